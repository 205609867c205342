"""What a call needs, and what an operation is."""

from __future__ import annotations

from typing import Any

import pytest

from periplus.model import Effect

OK = {"responses": {"200": {"description": "fine"}}}


def path_parameter(name: Any, **more: Any):
    return {"name": name, "in": "path", "required": True, "schema": {"type": "string"}, **more}


@pytest.mark.parametrize(
    ("key", "path", "query", "names"),
    [
        ("/a/{id}", "/a/{id}", None, ["id"]),
        ("a/{id}", "/a/{id}", None, ["id"]),
        ("/a/{x}.{y}", "/a/{x}.{y}", None, ["x", "y"]),
        ("/a/{id}/b/{id}", "/a/{id}/b/{id}", None, ["id"]),
        ("/a?kind=b&n", "/a", [["kind", "b"], ["n", ""]], []),
        ("/a?kind=b%20c+d", "/a", [["kind", "b c d"]], []),
        ("/a?lat={lat}", "/a", None, ["lat"]),
        ("/a?{q}", "/a", None, ["q"]),
        ("/a#Action=Add", "/a", None, []),
        ("/a?x=1#frag?y", "/a", [["x", "1"]], []),
        ("/a/{id}{?limit,page}", "/a/{id}", None, ["id", "limit", "page"]),
        ("/a b/ü", "/a%20b/%C3%BC", None, []),
        ("/a%2Fb/100%", "/a%2Fb/100%25", None, []),
        ("/a/{id", "/a/%7Bid", None, []),
        ("/a/{id}:cancel", "/a/{id}:cancel", None, ["id"]),
        ("", "/", None, []),
    ],
)
def test_paths_as_people_write_them(read: Any, api: Any, key: Any, path: Any, query: Any, names: Any):
    """S-38."""
    draft = read(api({key: {"get": OK}})).drafts[0]
    assert (draft.binding["path"], draft.binding.get("query")) == (path, query)
    assert list(draft.args_schema["properties"]) == names
    assert draft.args_schema.get("required", []) == names


def test_an_undeclared_variable_is_a_required_string_and_an_unused_parameter_is_left_out(read: Any, api: Any):
    """S-38."""
    operation = {"parameters": [path_parameter("other")], **OK}
    result = read(api({"/a/{id}": {"get": operation}}))
    assert list(result.drafts[0].args_schema["properties"]) == ["id"]
    assert "undeclared_path_parameter" in result.codes
    assert "unused_path_parameter" in result.codes


@pytest.mark.parametrize(
    ("variable", "declared"), [("Key+", "Key"), ("petId", "petid"), ("+rest", "rest"), ("id*", "id")]
)
def test_a_variable_finds_the_parameter_it_means(read: Any, api: Any, variable: Any, declared: Any):
    """S-38."""
    operation = {"parameters": [path_parameter(declared)], **OK}
    result = read(api({f"/a/{{{variable}}}": {"get": operation}}))
    assert result.drafts[0].binding["path"] == f"/a/{{{declared}}}"
    assert list(result.drafts[0].args_schema["properties"]) == [declared]
    assert result.codes == []


def test_a_path_parameter_that_the_template_puts_into_the_query_goes_there(read: Any, api: Any):
    """S-38."""
    lat = {"name": "lat", "in": "path", "required": True, "schema": {"type": "number"}}
    result = read(api({"/now?lat={lat}": {"get": {"parameters": [lat], **OK}}}))
    assert result.drafts[0].args_schema["properties"]["lat"]["type"] == "number"
    assert result.drafts[0].binding["path"] == "/now"
    assert result.codes == []


def test_an_operation_overrides_a_parameter_of_its_path(read: Any, api: Any):
    """S-38."""
    shared = [{"name": "q", "in": "query", "schema": {"type": "string"}}, path_parameter("id")]
    own = [{"name": "q", "in": "query", "schema": {"type": "integer"}}]
    result = read(api({"/a/{id}": {"parameters": shared, "get": {"parameters": own, **OK}, "put": OK}}))
    kinds = [draft.args_schema["properties"]["q"]["type"] for draft in result.drafts]
    assert kinds == ["integer", "string"]


@pytest.mark.parametrize(
    "parameter", [None, [], {"in": "query"}, {"name": "a"}, {"name": "a", "in": "sky"}, {"name": [], "in": {}}, "x"]
)
def test_a_bad_parameter_costs_itself_only(read: Any, api: Any, parameter: Any):
    """S-3."""
    good = {"name": "q", "in": "query", "schema": {"type": "string"}}
    result = read(api({"/a": {"get": {"parameters": [parameter, good], **OK}}}))
    assert list(result.drafts[0].args_schema["properties"]) == ["q"]
    assert result.codes == ["bad_parameter"]


@pytest.mark.parametrize(
    ("responses", "accept"),
    [
        ({}, "application/json, */*;q=0.1"),
        ({"200": {"content": {"text/csv": {}, "application/json": {}}}}, "application/json, text/csv, */*;q=0.1"),
        ({"200": {"content": {"*/*": {}}}}, "*/*"),
        ({"201": {"$ref": "#/components/responses/R"}}, "application/hal+json, */*;q=0.1"),
        ({"404": {"content": {"text/html": {}}}}, "application/json, */*;q=0.1"),
        ({"default": {"content": {"text/plain": {}}}}, "text/plain, */*;q=0.1"),
        ({"200": {"content": {"bad\r\ntype": {}, "x": {}}}}, "application/json, */*;q=0.1"),
        ({"200": {"$ref": "#/nowhere"}}, "application/json, */*;q=0.1"),
    ],
)
def test_accept_lists_declared_success_types_json_first(read: Any, api: Any, responses: Any, accept: Any):
    """S-54."""
    shared = {"responses": {"R": {"content": {"application/hal+json": {}}}}}
    assert read(api({"/a": {"get": {"responses": responses}}}, components=shared)).drafts[0].binding["accept"] == accept


def test_swagger_accepts_what_the_operation_or_the_root_produces(read: Any):
    """S-54."""
    paths = {"/a": {"get": OK, "put": {"produces": ["text/xml"], **OK}}}
    result = read({"swagger": "2.0", "produces": ["application/json", "text/csv"], "paths": paths})
    assert [draft.binding["accept"] for draft in result.drafts] == [
        "application/json, text/csv, */*;q=0.1",
        "text/xml, */*;q=0.1",
    ]


def test_effects_and_idempotence_start_from_the_method(read: Any, api: Any):
    """S-5's table, S-32."""
    item = dict.fromkeys(("get", "head", "options", "trace", "query", "put", "post", "patch", "delete"), OK)
    result = read(api({"/a": item | {"additionalOperations": {"COPY": OK}}}) | {"openapi": "3.2.0"})
    effects = {draft.method: draft.effect for draft in result.drafts}
    assert {method for method, effect in effects.items() if effect is Effect.WRITE} == {"put", "post", "patch", "copy"}
    assert effects["delete"] is Effect.DESTROY
    assert {draft.method for draft in result.drafts if not draft.idempotent} == {"post", "patch", "copy"}
    assert not any(draft.effect_declared for draft in result.drafts)


def test_extensions_set_what_they_name(read: Any, api: Any):
    """S-28."""
    operation = {
        "summary": "Other",
        "x-periplus-summary": "Find",
        "x-periplus-effect": "read",
        "x-periplus-approval": True,
        "x-periplus-timeout": 5,
        "x-periplus-rate": "10/m",
        "x-periplus-idempotency": "X-Once",
        "x-periplus-hidden": True,
        "x-semantic-type": "crm.account@1",
        "x-code": [1],
        "externalDocs": {"url": "https://docs.example.com"},
        "deprecated": True,
        **OK,
    }
    draft = read(api({"/a": {"post": operation}})).drafts[0]
    assert (draft.summary, draft.effect, draft.effect_declared) == ("Find", Effect.READ, True)
    assert (draft.requires_approval, draft.hidden, draft.idempotent, draft.deprecated) == (True, True, True, True)
    assert draft.binding["parameters"] == [{"in": "header", "name": "X-Once", "fill": "idempotency_key"}]
    assert draft.metadata == {
        "timeout": 5,
        "rate": "10/m",
        "semantic_type": "crm.account@1",
        "extensions": {"x-semantic-type": "crm.account@1", "x-code": [1]},
        "documentation": "https://docs.example.com",
    }


def test_internal_operations_and_path_items_are_hidden(read: Any, api: Any):
    """S-28."""
    paths = {
        "/a": {"get": {"x-internal": True, **OK}, "put": OK},
        "/b": {"x-periplus-hidden": True, "get": OK},
        "/c": {"get": {"x-internal": "yes", **OK}},
    }
    assert [draft.hidden for draft in read(api(paths)).drafts] == [True, False, True, False]


@pytest.mark.parametrize(
    ("name", "value"), [("effect", "maybe"), ("name", 3), ("timeout", -1), ("area", {}), ("effect", [])]
)
def test_an_extension_that_makes_no_sense_is_left_out(read: Any, api: Any, name: Any, value: Any):
    """S-28, S-3."""
    result = read(api({"/a": {"get": {f"x-periplus-{name}": value, **OK}}}))
    assert len(result.drafts) == 1
    assert f"x-periplus-{name}" in result.finding("bad_operation").message


def test_instructions_are_the_sites_own_or_its_description(read: Any, api: Any):
    """S-28."""
    document = api({}) | {"info": {"title": "T", "description": "About."}}
    assert read(document).reading.instructions == "About."
    assert read(document | {"x-elemm-instructions": "Do this."}).reading.instructions == "Do this."


def test_an_idempotency_key_header_makes_a_call_idempotent(read: Any, api: Any):
    """S-70."""
    header = {"name": "idempotency-key", "in": "header", "schema": {"type": "string"}}
    draft = read(api({"/a": {"post": {"parameters": [header], **OK}}})).drafts[0]
    assert draft.idempotent
    assert draft.binding["parameters"][0]["fill"] == "idempotency_key"


def test_an_author_may_name_the_header_that_takes_the_calls_key(read: Any, api: Any):
    """S-70, S-28."""
    header = {"name": "X-Once", "in": "header", "required": True, "schema": {"type": "string"}}
    operation = {"parameters": [header], "x-periplus-idempotency": "x-once", **OK}
    draft = read(api({"/a": {"post": operation}})).drafts[0]
    assert "required" not in draft.args_schema
    assert draft.binding["parameters"] == [{"in": "header", "name": "X-Once", "fill": "idempotency_key"}]


def test_parameters_that_carry_a_key_are_not_asked_for(read: Any, api: Any):
    """S-43, S-65."""
    schemes = {
        "head": {"type": "apiKey", "in": "header", "name": "X-Key"},
        "query": {"type": "apiKey", "in": "query", "name": "key"},
    }
    keys = [
        {"name": "x-key", "in": "header", "required": True, "schema": {"type": "string"}},
        {"name": "key", "in": "query", "schema": {"type": "string"}},
    ]
    paths = {
        "/a": {
            "parameters": keys,
            "get": OK,
            "put": {"security": [{"query": []}], **OK},
            "post": {"security": [], **OK},
        }
    }
    document = api(paths, components={"securitySchemes": schemes}, security=[{"head": []}, {"query": []}])
    assert [list(draft.args_schema["properties"]) for draft in read(document).drafts] == [
        [],
        ["x-key"],
        ["x-key", "key"],
    ]


def test_bodies_are_found_behind_references_and_sent_where_servers_may_ignore_them(read: Any, api: Any):
    """S-36, S-53."""
    content = {"application/json": {"schema": {"type": "object", "properties": {"n": {"type": "integer"}}}}}
    shared = {"requestBodies": {"B": {"required": True, "content": content}}}
    there, gone = {"$ref": "#/components/requestBodies/B"}, {"$ref": "#/components/requestBodies/C"}
    item = {
        "post": {"requestBody": there, **OK},
        "get": {"requestBody": there, **OK},
        "put": {"requestBody": gone, **OK},
    }
    result = read(api({"/a": item | {"patch": {"requestBody": [1], **OK}}}, components=shared))
    assert [list(draft.args_schema["properties"]) for draft in result.drafts] == [["n"], ["n"], []]
    assert result.skipped == 1
    assert "GET" in result.finding("parse_lenient").message
    assert "requestBody" in result.finding("bad_operation").message


def test_the_golden_operation_becomes_the_golden_tool(read: Any, api: Any):
    """Section 17, but for what the core settles."""
    parameters = [
        {"name": "id", "in": "path", "required": True, "schema": {"type": "string"}},
        {"name": "tag", "in": "query", "explode": False, "schema": {"type": "array", "items": {"type": "string"}}},
    ]
    properties = {
        "day": {"type": "string", "format": "date"},
        "id": {"type": "integer", "readOnly": True},
        "note": {"type": "string", "nullable": True},
    }
    schema = {"type": "object", "required": ["day"], "properties": properties}
    body = {"required": True, "content": {"application/json": {"schema": schema}}}
    operation = {"tags": ["visits"], "operationId": "addVisit", "parameters": parameters, "requestBody": body}
    draft = read(api({"/ships/{id}/visits": {"post": operation}}) | {"openapi": "3.0.3"}).drafts[0]
    assert draft.args_schema["required"] == ["id", "day"]
    assert list(draft.args_schema["properties"]) == ["id", "tag", "day", "note"]
    assert draft.args_schema["properties"]["note"]["type"] == ["string", "null"]
    assert draft.result_schema is None
    assert (draft.effect, draft.idempotent, draft.areas) == (Effect.WRITE, False, (("visits",),))
    assert draft.binding["accept"] == "application/json, */*;q=0.1"


def test_a_declared_202_says_where_to_ask(read: Any, api: Any):
    """S-76, S-73."""
    responses = {"202": {"headers": {"Operation-Location": {}, "X-Total": {}}}}
    binding = read(api({"/a": {"post": {"responses": responses}}})).drafts[0].binding
    assert binding["poll"] == "operation-location"
    assert binding["headers"] == ["operation-location", "x-total"]


def test_links_lead_to_operations_that_exist(read: Any, api: Any):
    """S-33."""
    links = {
        "byId": {"operationId": "getPet", "parameters": {"id": "$response.body#/id"}},
        "byRef": {"operationRef": "#/paths/~1pets~1{id}/delete"},
        "shared": {"$ref": "#/components/links/L"},
        "lost": {"operationId": "nobody"},
        "lostRef": {"operationRef": "https://elsewhere.example.com#/paths/~1x/get"},
    }
    paths = {
        "/pets": {"post": {"responses": {"201": {"description": "x", "links": links}}}},
        "/pets/{id}": {"get": {"operationId": "getPet", **OK}, "delete": OK},
    }
    result = read(api(paths, components={"links": {"L": {"operationId": "getPet"}}}))
    found = {link.name: link for link in result.drafts[0].links}
    assert {name: link.to for name, link in found.items()} == {
        "byId": "getPet", "byRef": "DELETE /pets/{id}", "shared": "getPet",
    }  # fmt: skip
    assert found["byId"].parameters == {"id": "$response.body#/id"}
    assert result.codes.count("links_noted") == 2


def test_callbacks_are_noted_on_the_tool(read: Any, api: Any):
    """S-33."""
    operation = {"callbacks": {"done": {"{$request.body#/url}": {"post": OK}}}, **OK}
    result = read(api({"/a": {"post": operation}}))
    assert result.drafts[0].notes == ("calls back: done",)
    assert "callbacks_noted" in result.codes
    assert len(result.drafts) == 1
