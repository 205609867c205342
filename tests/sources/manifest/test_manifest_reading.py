"""What a manifest lists becomes drafts, in either dialect; nothing vanishes and nothing fails open."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from scenarios import DOC, LIST, PROTO, Reader, changed, tool

from periplus.model import Draft, Effect, FindingCode, Reading, Severity
from sites import Site, site, text


@pytest.fixture
def served() -> Iterator[Site]:
    with site() as made:
        yield made


async def one(served: Site, **members: Any) -> tuple[Reading, Draft]:
    """The first tool of a manifest with these members in its tool."""
    served.write(LIST, text(changed(tools=[tool(**members)])))
    reading, drafts = await Reader().all(served.base)
    (draft,) = drafts.values()
    return reading, draft


async def with_metadata(served: Site, **members: Any) -> tuple[Reading, Draft]:
    return await one(served, metadata={"enabled_by_default": True} | members)


def codes(reading: Reading) -> list[FindingCode]:
    return [finding.code for finding in reading.findings]


async def test_both_dialects_give_the_same_tools(served: Site) -> None:
    """M-1, M-2, M-71"""
    served.write(LIST, text(DOC))
    plain, of_plain = await Reader().all(served.base)
    served.write(LIST, text(PROTO))
    proto, of_proto = await Reader().all(served.base)
    assert of_plain == of_proto
    assert (plain.nodes, plain.site, plain.instructions) == (proto.nodes, proto.site, proto.instructions)
    assert plain.findings == proto.findings == []


async def test_a_tool_keeps_everything_that_was_declared(served: Site) -> None:
    """M-67, M-68, S-101"""
    served.write(LIST, text(DOC))
    reading, drafts = await Reader().all(served.base)
    draft = drafts["find_berths"]
    assert (draft.leaf, draft.areas, draft.aliases) == ("find_berths", ((), ("berths",)), ("find_berths",))
    assert draft.args_schema == DOC["tools"][0]["parameters"]
    assert (draft.effect, draft.idempotent, draft.requires_approval, draft.hidden) == (Effect.READ, True, False, False)
    assert draft.tags == ("read",)
    assert [(example.description, example.input) for example in draft.examples] == [("Tonight", {"date": "2031-05-02"})]
    assert draft.metadata == {"enabled": True, "timeout": 10, "rate": 30, "cost_estimate": "low"}
    assert draft.binding == {
        "kind": "manifest", "method": "POST", "endpoint": "/api/v1/tools/execute", "name": "find_berths",
    }  # fmt: skip
    assert reading.site == {
        "base": served.base, "execute": "/api/v1/tools/execute", "health": "/health", "scenario": "harbour",
        "protocol": "1.0", "capabilities": {"supports_async": True},
    }  # fmt: skip
    assert (reading.document.title, reading.document.api_version, reading.document.version) == (
        "harbour",
        "1.4.0",
        "1.0",
    )
    assert [(node.path, node.title, node.description) for node in reading.nodes] == [
        (("berths",), "Berths", "Where ships lie.")
    ]


async def test_a_long_running_tool_keeps_how_it_is_followed(served: Site) -> None:
    """M-29, M-68"""
    served.write(LIST, text(PROTO))
    _, drafts = await Reader().all(served.base)
    assert drafts["dredge"].metadata["async_behavior"] == DOC["tools"][1]["metadata"]["async_behavior"]
    assert drafts["dredge"].metadata["long_running"] is True
    assert drafts["dredge_status"].hidden


@pytest.mark.parametrize(
    "polling",
    [
        {"status_tool": "gone", "status_tool_id_param": "run"},
        {"status_tool": "status", "status_tool_id_param": "id"},
        {"status_tool": None, "status_tool_id_param": ["run"]},
        {},
    ],
)
async def test_behaviour_that_names_what_is_not_there_is_told_and_left_out(served: Site, polling: Any) -> None:
    """M-35"""
    status = tool("status", parameters={"properties": {"run": {"type": "string"}}})
    metadata = {"enabled_by_default": True, "long_running": True, "async_behavior": {"status_polling": polling}}
    served.write(LIST, text(changed(tools=[tool("work", metadata=metadata), status])))
    reading, drafts = await Reader().all(served.base)
    assert codes(reading) == [FindingCode.ASYNC_UNPOLLABLE]
    assert drafts["work"].metadata == {"enabled": True, "long_running": True}


async def test_a_cancel_tool_has_to_be_there_as_well(served: Site) -> None:
    """M-35"""
    status = tool("status", parameters={"properties": {"run": {"type": "string"}}})
    behaviour = {
        "status_polling": {"status_tool": "status", "status_tool_id_param": "run"},
        "cancellation": {"cancel_tool": "stop", "cancel_tool_id_param": "run"},
    }
    metadata = {"enabled_by_default": True, "async_behavior": behaviour}
    served.write(LIST, text(changed(tools=[tool("work", metadata=metadata), status])))
    reading, drafts = await Reader().all(served.base)
    assert codes(reading) == [FindingCode.ASYNC_UNPOLLABLE]
    assert "async_behavior" not in drafts["work"].metadata


@pytest.mark.parametrize("metadata", [None, {}, {"enabled_by_default": None}, [], {"enabled_by_default": "maybe"}])
async def test_what_does_not_say_that_it_is_enabled_is_disabled(served: Site, metadata: Any) -> None:
    """M-5: nothing fails open, and the report says so."""
    reading, draft = await one(served, metadata=metadata)
    assert draft.metadata["enabled"] is False
    assert reading.findings
    assert {finding.severity for finding in reading.findings} == {Severity.WARNING}


async def test_an_omitted_flag_is_false_where_false_is_not_written(served: Site) -> None:
    """M-5: no warning in the dialect that omits what is false."""
    served.write(
        LIST,
        text(
            {name: value for name, value in PROTO.items() if name != "tools"}
            | {"tools": [{"name": "t", "description": "d"}]}
        ),
    )
    reading, drafts = await Reader().all(served.base)
    assert drafts["t"].metadata["enabled"] is False
    assert reading.findings == []


@pytest.mark.parametrize(
    ("metadata", "approval"),
    [
        ({}, False),
        ({"modifies_state": True}, True),
        ({"modifies_state": False}, False),
        ({"modifies_state": True, "requires_approval": False}, False),
        ({"modifies_state": False, "requires_approval": True}, True),
        ({"modifies_state": "perhaps"}, True),
        ({"requires_approval": 7}, True),
    ],
)
async def test_what_changes_state_needs_approval_unless_it_says_otherwise(
    served: Site,
    metadata: Any,
    approval: bool,  # noqa: FBT001
) -> None:
    """M-5"""
    _, draft = await with_metadata(served, **metadata)
    assert draft.requires_approval is approval


@pytest.mark.parametrize(
    ("members", "trusted", "effect"),
    [
        ({}, True, Effect.WRITE),
        ({"metadata": {"idempotent": True, "tags": ["read"]}}, True, Effect.READ),
        ({"metadata": {"tags": ["read"]}}, True, Effect.WRITE),
        ({"metadata": {"idempotent": True}}, True, Effect.WRITE),
        ({"metadata": {"modifies_state": False}}, True, Effect.READ),
        ({"metadata": {"modifies_state": False}}, False, Effect.WRITE),
        ({"metadata": {"modifies_state": True, "idempotent": True, "tags": ["read"]}}, True, Effect.WRITE),
        ({"x_periplus": {"side_effects": "destroy"}}, False, Effect.DESTROY),
        ({"x_periplus": {"side_effects": "read"}}, True, Effect.READ),
        ({"x_periplus": {"side_effects": "read"}}, False, Effect.WRITE),
    ],
)
async def test_effects_follow_the_table(served: Site, members: Any, trusted: bool, effect: Effect) -> None:  # noqa: FBT001
    """Section 5 of the sources' contract, S-29"""
    served.write(LIST, text(changed(tools=[tool(**members)])))
    _, drafts = await Reader().all(served.base, trust_annotations=trusted)
    assert drafts["t"].effect is effect


@pytest.mark.parametrize(
    ("version", "read_as", "told"),
    [
        ("1.0", "1.0", []),
        ("1.7.3", "1.7.3", []),
        (None, "1.0", [FindingCode.MISSING_MEMBER]),
        ("2.0", "2.0", [FindingCode.PARSE_LENIENT]),
        (1.0, "1.0", []),
    ],
)
async def test_any_version_whose_shape_fits_is_read(served: Site, version: Any, read_as: str, told: Any) -> None:
    """M-3"""
    served.write(LIST, text(changed(protocol_version=version)))
    reading, drafts = await Reader().all(served.base)
    assert (len(drafts), reading.document.version, codes(reading)) == (3, read_as, told)


async def test_the_version_of_a_tool_is_the_one_it_declares(served: Site) -> None:
    """M-27"""
    assert (await one(served, version="2.3.0"))[1].version == "2.3.0"
    reading, draft = await one(served, version="newest")
    assert (draft.version, codes(reading)) == ("", [FindingCode.BAD_PARAMETER])


async def test_a_name_of_other_characters_gets_an_alias_and_a_warning(served: Site) -> None:
    """Section 1, ToolDefinition.name"""
    reading, draft = await one(served, name="Find Berths!")
    assert (draft.leaf, draft.aliases) == ("Find Berths!", ("Find Berths!", "find_berths"))
    assert [finding.severity for finding in reading.findings] == [Severity.WARNING]
    assert (await one(served, name="7seas"))[1].aliases == ("7seas", "t_7seas")


async def test_tools_of_one_name_stay_apart_and_equal_ones_count_once(served: Site) -> None:
    """S-4, S-20"""
    twin = tool("t", description="Another.")
    served.write(LIST, text(changed(tools=[tool(), twin, tool(), tool("u"), {"name": 5}, None, "x", tool(" ")])))
    reading = await Reader().read(served.base)
    assert isinstance(reading, Reading)
    drafts = list(reading.drafts)
    assert len({draft.origin for draft in drafts}) == 3
    assert sum(finding.skipped for finding in reading.findings) == 5


async def test_the_first_of_two_categories_with_one_id_counts(served: Site) -> None:
    """M-45"""
    twice = [{"id": "a", "name": "First"}, {"id": "a", "name": "Second"}, {"name": "nameless"}]
    served.write(LIST, text(changed(categories=twice, tools=[tool(category="unlisted")])))
    reading, drafts = await Reader().all(served.base)
    assert [node.title for node in reading.nodes] == ["First"]
    assert drafts["t"].areas == ((), ("unlisted",))
    assert codes(reading) == [FindingCode.NAME_COLLISION, FindingCode.MISSING_MEMBER]


async def test_full_schemas_survive_and_become_2020_12(served: Site) -> None:
    """M-4, M-74"""
    parameters = {
        "properties": {
            "unit": {"oneOf": [{"const": "m"}, {"const": "ft"}]},
            "depth": {"type": "integer", "enum": ["1", "2"], "default": {"intValue": "2"}},
            "far": {"type": "number", "minimum": 0, "exclusiveMinimum": True},
            "ship": {"$ref": "#/$defs/Ship"},
            "tags": {"type": "array", "items": {"type": "string"}, "maxItems": "3"},
            "big": {"type": "integer", "maximum": 10**30},
        },
        "additionalProperties": False,
        "$defs": {"Ship": {"properties": {"name": {"type": "string", "max_length": 4}}}},
    }
    reading, draft = await one(
        served, parameters=parameters, output_schema={"type": "array", "items": {"type": "integer"}}
    )
    properties = draft.args_schema["properties"]
    assert properties["depth"] == {"type": "integer", "enum": [1, 2], "default": 2}
    assert properties["far"] == {"type": "number", "exclusiveMinimum": 0}
    assert properties["tags"]["maxItems"] == 3
    assert properties["big"]["maximum"] == 1e30
    ((name, ship),) = reading.definitions.items()
    assert properties["ship"] == {"$ref": f"#/$defs/{name}"}
    assert ship == {"properties": {"name": {"type": "string", "maxLength": 4}}}
    assert draft.args_schema["additionalProperties"] is False
    assert draft.result_schema == {"type": "array", "items": {"type": "integer"}}
    jsonschema_rs.validator_for(draft.args_schema | {"$defs": dict(reading.definitions)})
    assert reading.findings == []


async def test_a_tool_without_parameters_takes_none(served: Site) -> None:
    """Section 1: absent means an object without properties."""
    reading, draft = await one(served, parameters=None)
    assert draft.args_schema == {"type": "object", "properties": {}}
    assert reading.findings == []


async def test_a_plain_default_that_looks_like_nothing_typed_stays(served: Site) -> None:
    """M-2: never a guess about what is no typed union."""
    shaped = {"properties": {"a": {"default": {"stringValue": 5}}, "b": {"default": {"x": {"boolValue": True}}}}}
    _, draft = await one(served, parameters=shaped)
    assert draft.args_schema["properties"]["a"]["default"] == {"stringValue": 5}
    assert draft.args_schema["properties"]["b"]["default"] == {"x": {"boolValue": True}}


@pytest.mark.parametrize(
    ("typed", "plain"),
    [
        ({"boolValue": False}, False),
        ({"intValue": "9007199254740993"}, 9007199254740993),
        ({"nullValue": "NULL_VALUE"}, None),
        ({"listValue": {"values": [{"intValue": 1}, {"stringValue": "a"}]}}, [1, "a"]),
        ({"listValue": {}}, []),
        ({"objectValue": {"fields": {"a": {"objectValue": {}}}}}, {"a": {}}),
        ({"double_value": 1.5}, 1.5),
    ],
)
async def test_typed_unions_are_unwrapped(served: Site, typed: Any, plain: Any) -> None:
    """M-1, M-2"""
    _, draft = await one(served, parameters={"properties": {"a": {"default": typed}}})
    assert draft.args_schema["properties"]["a"]["default"] == plain


async def test_a_file_holds_a_manifest_as_well(tmp_path: Path) -> None:
    """S-9: JSON or YAML; where calls go is the operator's word then."""
    file = tmp_path / "harbour.json"
    file.write_text(text(changed(scenario=DOC["scenario"] | {"base_url": "https://harbour.example"})))
    reading, drafts = await Reader().all(str(file))
    assert len(drafts) == 3
    assert (reading.site["base"], codes(reading)) == ("", [FindingCode.NO_SERVER])
    assert "https://harbour.example" in reading.findings[0].fix
    told, _ = await Reader().all(str(file), base_url="https://harbour.example/")
    assert (told.site["base"], told.findings) == ("https://harbour.example", [])
