from __future__ import annotations

from typing import Any

from schema_desk import Desk, accepts


def _with(dialect: str = "3.0", **schemas: Any) -> Desk:
    place = {"definitions": schemas} if dialect == "2.0" else {"components": {"schemas": schemas}}
    return Desk(place, dialect)


def _to(name: str) -> dict[str, str]:
    return {"$ref": f"#/components/schemas/{name}"}


def test_recursion_stays_a_reference():
    """S-36, S-115"""
    desk = _with(
        Node={"type": "object", "properties": {"next": _to("Node"), "all": {"type": "array", "items": _to("Node")}}}
    )
    schema = desk.request(_to("Node"))
    assert schema["$ref"] == "#/$defs/Node"
    assert schema["$defs"]["Node"]["properties"]["next"] == {"$ref": "#/$defs/Node"}
    assert accepts(schema, {"next": {"all": [{"next": {}}]}})
    assert not accepts(schema, {"next": {"all": [{"next": 1}]}})


def test_a_definition_used_many_times_is_kept_once_and_grows_with_the_document():
    """S-115"""
    deep = {f"L{at}": {"properties": {"a": _to(f"L{at + 1}"), "b": _to(f"L{at + 1}")}} for at in range(60)}
    desk = _with(**deep, L60={"type": "string"})
    desk.request(_to("L0"))
    assert len(desk.schemas.definitions) == 61


def test_siblings_of_a_reference_count_from_3_1_on():
    """S-37"""
    written = {**_to("A"), "description": "here", "maxLength": 3, "nullable": True}
    old, new = _with("3.0", A={"type": "string"}), _with("3.1", A={"type": "string"})
    assert old.schemas.request(written, "https://api.example.com/openapi.json", "w") == {
        "$ref": "#/$defs/A",
        "description": "here",
    }
    schema = new.request(written)
    assert (schema["$ref"], schema["maxLength"], schema["description"]) == ("#/$defs/A", 3, "here")
    assert not accepts(schema, "abcd")


def test_a_dangling_reference_accepts_anything_and_is_reported():
    """S-36"""
    desk = _with(A={"properties": {"x": _to("Gone"), "y": {"type": "string"}}})
    schema = desk.request(_to("A"))
    assert schema["$defs"]["A"] == {"properties": {"x": {}, "y": {"type": "string"}}}
    assert desk.codes == ["dangling_ref"]
    assert desk.findings[0].where.endswith("#/components/schemas/A/properties/x")


def test_references_may_lead_anywhere_in_the_document():
    """S-34"""
    document = {
        "paths": {"/x": {"get": {"parameters": [{"schema": {"type": "integer"}}]}}},
        "components": {"schemas": {"a b": {"definitions": {"in": {"type": "boolean"}}}}},
    }
    desk = Desk(document, "3.1")
    schema = desk.request(
        {
            "prefixItems": [
                {"$ref": "#/paths/~1x/get/parameters/0/schema"},
                {"$ref": "#/components/schemas/a%20b/definitions/in"},
            ]
        }
    )
    assert accepts(schema, [1, True])
    assert not accepts(schema, [1, 1])
    assert desk.codes == []


def test_two_definitions_of_one_name_stay_apart():
    document = {"a": {"X": {"type": "string"}}, "b": {"X": {"type": "integer"}}}
    desk = Desk(document, "3.1")
    schema = desk.request({"prefixItems": [{"$ref": "#/a/X"}, {"$ref": "#/b/X"}, {"$ref": "#/a/X"}]})
    assert [part["$ref"] for part in schema["prefixItems"]] == ["#/$defs/X", "#/$defs/X_2", "#/$defs/X"]


def test_anchors_ids_and_dynamic_references_lead_to_definitions():
    """S-34"""
    tree = {
        "$id": "https://example.com/tree",
        "$dynamicAnchor": "node",
        "type": "object",
        "properties": {"kids": {"type": "array", "items": {"$dynamicRef": "#node"}}, "tag": {"$ref": "#tag"}},
        "$defs": {"tag": {"$anchor": "tag", "type": "string"}},
    }
    desk = _with("3.1", Tree=tree)
    schema = desk.request(_to("Tree"))
    assert desk.codes == []
    assert accepts(schema, {"kids": [{"kids": [], "tag": "x"}]})
    assert not accepts(schema, {"kids": [{"kids": 1}]})
    assert not accepts(schema, {"tag": 1})


def test_read_only_is_no_part_of_a_request_nor_write_only_of_a_response():
    """S-39"""
    desk = _with(
        Pet={
            "required": ["id", "name", "secret"],
            "properties": {
                "id": {"type": "integer", "readOnly": True},
                "name": {"type": "string"},
                "secret": {"type": "string", "writeOnly": True},
            },
        }
    )
    request, response = desk.request(_to("Pet")), desk.response(_to("Pet"))
    assert (request["$ref"], response["$ref"]) == ("#/$defs/Pet_input", "#/$defs/Pet")
    assert sorted(request["$defs"]["Pet_input"]["properties"]) == ["name", "secret"]
    assert request["$defs"]["Pet_input"]["required"] == ["name", "secret"]
    assert sorted(response["$defs"]["Pet"]["properties"]) == ["id", "name"]
    assert response["$defs"]["Pet"]["required"] == ["id", "name"]


def test_both_directions_share_a_definition_that_is_the_same_in_both():
    desk = _with(A={"properties": {"b": _to("B")}}, B={"type": "string", "readOnly": False}, C={"readOnly": True})
    assert desk.request(_to("A")) == desk.response(_to("A"))
    assert desk.request({"items": _to("C")}) == desk.response({"items": _to("C")})
    assert sorted(desk.schemas.definitions) == ["A", "B", "C"]


def test_what_refers_to_a_definition_with_two_forms_has_two_forms():
    desk = _with(
        Outer={"properties": {"inner": _to("Inner"), "outer": _to("Outer")}},
        Inner={"properties": {"id": _to("Id"), "plain": _to("Plain")}, "required": ["id"]},
        Id={"type": "string", "readOnly": True},
        Plain={"type": "string"},
    )
    request, response = desk.request(_to("Outer")), desk.response(_to("Outer"))
    assert request["$defs"]["Outer_input"]["properties"] == {
        "inner": {"$ref": "#/$defs/Inner_input"},
        "outer": {"$ref": "#/$defs/Outer_input"},
    }
    assert request["$defs"]["Inner_input"] == {"properties": {"plain": {"$ref": "#/$defs/Plain"}}}
    assert response["$defs"]["Inner"]["required"] == ["id"]


def test_a_read_only_property_is_not_required_by_a_neighbour_in_all_of():
    desk = _with(
        Base={"type": "object", "properties": {"id": {"type": "string", "readOnly": True}, "n": {"type": "string"}}},
        Pet={"allOf": [_to("Base"), {"type": "object", "required": ["id", "n"]}]},
    )
    schema = desk.request(_to("Pet"))
    assert accepts(schema, {"n": "x"})
    assert not accepts(schema, {})


def test_a_loop_without_a_value_is_opened_and_reported():
    """S-36"""
    desk = _with(A={"allOf": [_to("B")]}, B={"allOf": [_to("A"), {"type": "array"}]}, C=_to("C"))
    schema = desk.request({"items": _to("A"), "prefixItems": [_to("C")]})
    assert accepts(schema, [[1], [2]])
    assert desk.codes.count("ref_cycle") == 2


def test_branches_of_a_discriminator_carry_their_tag():
    """S-39"""
    pet = {
        "oneOf": [_to("Cat"), _to("Dog"), _to("Fish")],
        "discriminator": {
            "propertyName": "kind",
            "mapping": {"c": "#/components/schemas/Cat", "d": "Dog", "hound": "Dog"},
        },
    }
    animal = {"type": "object", "properties": {"kind": {"type": "string"}}}
    desk = _with(Pet=pet, Cat=animal, Dog=animal, Fish=animal)
    schema = desk.request(_to("Pet"))
    assert schema["$defs"]["Pet"]["oneOf"] == [
        {"$ref": "#/$defs/Cat", "properties": {"kind": {"const": "c"}}, "required": ["kind"]},
        {"$ref": "#/$defs/Dog", "properties": {"kind": {"enum": ["d", "hound"]}}, "required": ["kind"]},
        {"$ref": "#/$defs/Fish", "properties": {"kind": {"const": "Fish"}}, "required": ["kind"]},
    ]
    assert accepts(schema, {"kind": "hound"})
    assert not accepts(schema, {"kind": "Cat"})
    assert not accepts(schema, {})


def test_a_default_mapping_takes_what_no_other_branch_takes():
    """S-39"""
    pet = {
        "oneOf": [_to("Cat"), _to("Other")],
        "discriminator": {"propertyName": "kind", "mapping": {"cat": "Cat"}, "defaultMapping": "Other"},
    }
    desk = _with("3.2", Pet=pet, Cat={"type": "object"}, Other={"type": "object"})
    schema = desk.request(_to("Pet"))
    assert accepts(schema, {"kind": "cat"})
    assert accepts(schema, {"kind": "bird"})
    assert accepts(schema, {})


def test_a_tag_a_branch_declares_itself_is_kept():
    pet = {"oneOf": [_to("Cat")], "discriminator": {"propertyName": "kind"}}
    desk = _with(Pet=pet, Cat={"type": "object", "properties": {"kind": {"enum": ["felis"]}}})
    assert accepts(desk.request(_to("Pet")), {"kind": "felis"})


def test_a_base_that_others_extend_is_one_of_its_subtypes():
    """S-39"""
    desk = _with(
        Pet={
            "type": "object",
            "required": ["kind"],
            "properties": {"kind": {"type": "string"}, "friend": _to("Pet")},
            "discriminator": {"propertyName": "kind", "mapping": {"cat": "#/components/schemas/Cat"}},
        },
        Cat={
            "allOf": [
                _to("Pet"),
                {"type": "object", "properties": {"lives": {"type": "integer"}}, "required": ["lives"]},
            ]
        },
        Dog={"allOf": [_to("Pet"), {"type": "object", "properties": {"bark": {"type": "boolean"}}}]},
        Puppy={"allOf": [_to("Dog")]},
    )
    schema = desk.request({"type": "array", "items": _to("Pet")})
    tags = [branch["properties"]["kind"] for branch in schema["$defs"]["Pet"]["oneOf"]]
    assert tags == [{"const": "cat"}, {"const": "Dog"}, {"const": "Puppy"}]
    assert accepts(schema, [{"kind": "cat", "lives": 9, "friend": {"kind": "Dog"}}])
    assert not accepts(schema, [{"kind": "cat"}])
    assert not accepts(schema, [{"kind": "Dog", "friend": {"kind": "cat"}}])
    assert not accepts(schema, [{"kind": "bird"}])


def test_a_swagger_base_is_a_choice_that_includes_itself():
    to = {"$ref": "#/definitions/Pet"}
    desk = _with(
        "2.0",
        Pet={"discriminator": "kind", "required": ["kind"], "properties": {"kind": {"type": "string"}}},
        Cat={"allOf": [to, {"required": ["lives"], "properties": {"lives": {"type": "integer"}}}]},
    )
    schema = desk.request(to)
    assert accepts(schema, {"kind": "Pet"})
    assert accepts(schema, {"kind": "Cat", "lives": 1})
    assert not accepts(schema, {"kind": "Cat"})


def test_a_union_and_its_members_that_extend_it_do_not_run_in_circles():
    desk = _with(
        Pet={
            "type": "object",
            "properties": {"kind": {"type": "string"}},
            "oneOf": [_to("Cat")],
            "discriminator": {"propertyName": "kind"},
        },
        Cat={"allOf": [_to("Pet"), {"required": ["lives"]}]},
    )
    schema = desk.request(_to("Pet"))
    assert accepts(schema, {"kind": "Cat", "lives": 1})
    assert not accepts(schema, {"kind": "Cat"})
    assert desk.codes == []


def test_a_schema_over_the_limit_ends_at_some_depth():
    """S-6"""
    text = "x" * 400
    chain = {
        f"L{at}": {
            "description": text,
            "type": "object",
            "properties": {"next": _to(f"L{at + 1}"), "n": {"type": "integer"}},
        }
        for at in range(30)
    }
    desk = Desk({"components": {"schemas": {**chain, "L30": {"type": "string"}}}}, "3.0", schema_bytes=4_000)
    made = desk.schemas.request(_to("L0"), "https://api.example.com/openapi.json", "w")
    fitted = desk.whole(desk.schemas.fitted(made, "w", "op"))
    assert len(repr(fitted)) < 6_000
    assert desk.codes == ["schema_reduced"]
    assert accepts(fitted, {"next": {"next": {"n": 1}}})
    assert not accepts(fitted, {"next": {"next": {"n": "1"}}})


def test_a_recursive_schema_over_the_limit_ends_too():
    """S-6"""
    desk = Desk(
        {
            "components": {
                "schemas": {"N": {"description": "x" * 900, "properties": {"a": _to("N"), "b": {"type": "string"}}}}
            }
        },
        "3.0",
        schema_bytes=800,
    )
    made = desk.schemas.request({"properties": {"n": _to("N")}}, "https://api.example.com/openapi.json", "w")
    assert desk.schemas.fitted(made, "w") == {"properties": {"n": {}}}
