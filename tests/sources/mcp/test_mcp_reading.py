"""What a server lists becomes drafts; nothing vanishes, and no listing raises."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import jsonschema_rs
import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from periplus.model import Code, Draft, Effect, FindingCode, Problem, Reading, SourceSpec, Unchanged
from periplus.net import Fetcher, FetchPolicy
from periplus.net.mcp import McpPool
from periplus.ports import McpListing, ReadLimits, Wires
from periplus.sources.mcp import ADAPTER, McpSource
from periplus.sources.mcp.adapter import reading_of
from periplus.sources.mcp.others import variables
from periplus.sources.mcp.tools import weighed

SPEC = SourceSpec(id="harbour", kind="mcp", command="harbour", args=("--all",))
ALL = msgspec.structs.replace(SPEC, expose=("tools", "resources", "prompts"))


def read(spec: SourceSpec = SPEC, **lists: Any) -> tuple[Reading, list[Draft]]:
    listing = McpListing(server=lists.pop("server", {}), protocol="2025-11-25", **lists)
    reading = reading_of(spec, listing, ReadLimits())
    assert isinstance(reading, Reading)
    return reading, list(reading.drafts)


def test_a_tool_keeps_everything_it_came_with() -> None:
    """S-94, S-95, S-17, S-19"""
    tool = {
        "name": "Berth.find ship",
        "title": "Find",
        "description": "Finds a berth.",
        "inputSchema": {"type": "object", "properties": {"day": {"type": "string"}}},
        "outputSchema": {"type": "object", "properties": {"berth": {"type": "string"}}},
        "annotations": {"readOnlyHint": True, "idempotentHint": True, "openWorldHint": False},
        "execution": {"taskSupport": "optional"},
        "icons": [{"src": "https://example.com/i.png"}],
        "_meta": {"vendor": {"x": 1}},
    }
    reading, (draft,) = read(
        tools=(tool,), server={"name": "h", "title": "Harbour", "version": "3", "instructions": "I"}
    )
    assert (draft.leaf, draft.key, draft.aliases) == ("Berth.find ship",) * 2 + (("Berth.find ship",),)
    assert draft.areas == ((),)
    assert (draft.title, draft.description) == ("Find", "Finds a berth.")
    assert (draft.effect, draft.effect_declared, draft.idempotent) == (Effect.READ, True, True)
    assert draft.args_schema == tool["inputSchema"]
    assert draft.result_schema == tool["outputSchema"]
    assert draft.binding == {
        "kind": "mcp",
        "method": "tools/call",
        "name": "Berth.find ship",
        "annotations": tool["annotations"],
        "execution": tool["execution"],
    }
    assert draft.metadata == {"_meta": tool["_meta"], "icons": tool["icons"]}
    assert (reading.document.title, reading.document.api_version, reading.instructions) == ("Harbour", "3", "I")
    assert reading.document.version == "2025-11-25"
    assert reading.findings == []


@pytest.mark.parametrize(
    ("annotations", "trusted", "effect", "declared"),
    [
        ({}, True, Effect.WRITE, False),
        ({"readOnlyHint": True}, True, Effect.READ, True),
        ({"readOnlyHint": True}, False, Effect.WRITE, False),
        ({"readOnlyHint": False}, True, Effect.WRITE, False),
        ({"destructiveHint": True}, True, Effect.DESTROY, True),
        ({"destructiveHint": True}, False, Effect.DESTROY, True),
        ({"destructiveHint": False}, True, Effect.WRITE, True),
        ({"destructiveHint": False}, False, Effect.WRITE, False),
        ({"readOnlyHint": "true", "destructiveHint": 1}, True, Effect.WRITE, False),
    ],
)
def test_effects_follow_the_table(annotations: Any, trusted: bool, effect: Effect, declared: bool) -> None:  # noqa: FBT001
    """Section 5, S-29: a server that is not trusted can raise but not lower."""
    weight = weighed(annotations, trusted=trusted)
    assert (weight.effect, weight.declared) == (effect, declared)
    assert weighed({**annotations, "idempotentHint": True}, trusted=trusted).idempotent is trusted


def test_the_settings_say_whether_annotations_are_trusted() -> None:
    """S-29"""
    tool = {"name": "look", "annotations": {"readOnlyHint": True}}
    untrusted = msgspec.structs.replace(SPEC, trust_annotations=False)
    assert read(tools=(tool,))[1][0].effect is Effect.READ
    assert read(untrusted, tools=(tool,))[1][0].effect is Effect.WRITE


def test_marked_arguments_are_mirrored_into_headers_and_a_bad_mark_costs_only_itself() -> None:
    """S-94: `x-mcp-header`"""
    properties = {
        "region": {"type": "string", "x-mcp-header": "Region"},
        "again": {"type": "string", "x-mcp-header": "region"},
        "list": {"type": "array", "x-mcp-header": "List"},
        "bad": {"type": "string", "x-mcp-header": "a b"},
        "deep": {"type": "object", "properties": {"id": {"type": "integer", "x-mcp-header": "Id"}}},
    }
    reading, (draft,) = read(tools=({"name": "t", "inputSchema": {"type": "object", "properties": properties}},))
    assert draft.binding["headers"] == [
        {"path": ["deep", "id"], "header": "Mcp-Param-Id"},
        {"path": ["region"], "header": "Mcp-Param-Region"},
    ]
    assert [finding.code for finding in reading.findings] == [FindingCode.BAD_PARAMETER] * 3


def test_tools_of_one_name_stay_apart_and_equal_ones_count_once() -> None:
    """S-94, S-20, S-4: independent of their order."""
    one, other = {"name": "t", "description": "a"}, {"name": "t", "description": "b"}
    reading, drafts = read(tools=(one, other, dict(one)))
    assert len(drafts) == 2
    assert len({draft.origin for draft in drafts}) == 2
    assert [finding.skipped for finding in reading.findings if finding.code is FindingCode.NAME_COLLISION] == [True]
    _, turned = read(tools=(other, one))
    assert {draft.origin for draft in turned} == {draft.origin for draft in drafts}


def test_an_entry_without_a_name_is_reported_and_costs_no_other() -> None:
    """S-3, S-4: operations = tools + skipped"""
    reading, drafts = read(
        ALL,
        tools=({"name": 7}, {}, {"name": "ok"}, {"name": " "}),
        resources=({"name": "no uri"},),
        templates=({},),
        prompts=({"arguments": []},),
    )
    assert [draft.leaf for draft in drafts] == ["ok"]
    assert sum(finding.skipped for finding in reading.findings) == 6


def test_resources_templates_and_prompts_are_tools_that_read() -> None:
    """S-99"""
    reading, drafts = read(
        ALL,
        resources=({"uri": "note://log", "name": "log", "mimeType": "text/plain"}, {"uri": "note://bare"}),
        templates=({"uriTemplate": "note://{year}/{day}{?q,lang*}", "name": "day"},),
        prompts=({"name": "brief", "arguments": [{"name": "ship", "required": True, "description": "d"}, {"x": 1}]},),
    )
    by_leaf = {draft.leaf: draft for draft in drafts}
    assert all(draft.effect is Effect.READ and draft.effect_declared for draft in drafts)
    assert by_leaf["log"].areas == (("resources",),)
    assert by_leaf["log"].binding == {"kind": "mcp", "method": "resources/read", "uri": "note://log"}
    assert by_leaf["note://bare"].description == "Reads note://bare"
    assert by_leaf["day"].args_schema["required"] == ["year", "day"]
    assert set(by_leaf["day"].args_schema["properties"]) == {"year", "day", "q", "lang"}
    assert by_leaf["brief"].areas == (("prompts",),)
    assert by_leaf["brief"].args_schema == {
        "type": "object",
        "additionalProperties": False,
        "properties": {"ship": {"type": "string", "description": "d"}},
        "required": ["ship"],
    }
    assert [node.path for node in reading.nodes] == [("resources",), ("prompts",)]
    assert [finding.code for finding in reading.findings] == [FindingCode.BAD_PARAMETER]


def test_odd_expressions_in_a_template_are_passed_over() -> None:
    """S-3"""
    assert variables("x{}{a b}{|c}{+d}{e:3}{#f}")["required"] == ["d", "e", "f"]


def test_an_equal_listing_is_unchanged_in_whatever_order_and_a_changed_one_is_not() -> None:
    """S-106, S-107"""
    one, other = {"name": "a"}, {"name": "b", "description": "d"}
    listing = McpListing(server={"name": "h"}, protocol="2025-11-25", tools=(one, other))
    document = read(tools=(one, other), server={"name": "h"})[0].document
    limits = ReadLimits()
    shuffled = msgspec.structs.replace(listing, tools=(dict(reversed(other.items())), one), notes=("a note",))
    assert isinstance(reading_of(SPEC, shuffled, limits, document), Unchanged)
    for changed in (
        msgspec.structs.replace(listing, tools=(one,)),
        msgspec.structs.replace(listing, tools=(one, {**other, "description": "e"})),
        msgspec.structs.replace(listing, tools=(), prompts=(one, other)),
        msgspec.structs.replace(listing, protocol="2026-07-28"),
    ):
        assert isinstance(reading_of(SPEC, changed, limits, document), Reading)
    untrusted = msgspec.structs.replace(SPEC, trust_annotations=False)
    assert isinstance(reading_of(untrusted, listing, limits, document), Reading)


def test_too_many_entries_are_refused_by_name_of_the_limit() -> None:
    """S-6"""
    listing = McpListing(server={}, protocol="x", tools=({"name": "a"}, {"name": "b"}))
    with pytest.raises(Problem) as caught:
        reading_of(SPEC, listing, ReadLimits(operations=1))
    assert caught.value.code is Code.OVER_LIMIT
    assert "operations" in caught.value.hints[0]


def test_notes_of_the_link_reach_the_report() -> None:
    """S-91, S-93"""
    reading, _ = read(tools=(), notes=("wrote text that is no JSON-RPC: 'hello'",))
    assert [finding.message for finding in reading.findings] == ["wrote text that is no JSON-RPC: 'hello'"]


SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=8)
    | st.text(alphabet=st.characters(), max_size=3)
    | st.sampled_from(
        ["object", "string", "#", "#/$defs/A", "#/properties/a", "#x", "a/b", "(?=", "{x}{?y*}", "\ud800"]
    )
)
WORDS = st.sampled_from(
    [
        "name",
        "type",
        "properties",
        "items",
        "required",
        "$ref",
        "$defs",
        "definitions",
        "A",
        "a",
        "anyOf",
        "allOf",
        "oneOf",
        "not",
        "enum",
        "const",
        "pattern",
        "additionalProperties",
        "patternProperties",
        "dependencies",
        "dependentSchemas",
        "prefixItems",
        "$id",
        "$anchor",
        "$schema",
        "nullable",
        "exclusiveMinimum",
        "minimum",
        "minLength",
        "title",
        "description",
        "annotations",
        "readOnlyHint",
        "destructiveHint",
        "inputSchema",
        "outputSchema",
        "uri",
        "uriTemplate",
        "arguments",
        "_meta",
        "icons",
        "x-mcp-header",
        "format",
        "default",
        "examples",
        "if",
        "then",
        "else",
    ]
)
JSON = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(WORDS | st.text(max_size=4), inner, max_size=5),
    max_leaves=25,
)
OBJECTS = st.dictionaries(WORDS | st.text(max_size=4), JSON, max_size=8)
TOOLS = st.builds(
    lambda name, schema, rest: {**rest, "name": name, "inputSchema": schema, "outputSchema": schema},
    st.sampled_from(["a", "b", "delete_c"]) | SCALARS,
    OBJECTS | JSON,
    OBJECTS,
)


@settings(max_examples=150, deadline=None)
@given(
    server=OBJECTS,
    tools=st.lists(TOOLS | OBJECTS, max_size=4),
    others=st.tuples(*[st.lists(OBJECTS, max_size=2)] * 3),
)
def test_no_listing_raises_and_every_entry_is_a_draft_or_a_finding(
    server: dict[str, Any], tools: Sequence[dict[str, Any]], others: tuple[list[dict[str, Any]], ...]
) -> None:
    """S-3, S-4: whatever a server lists; and what comes out is valid 2020-12 that refers to what is there."""
    resources, templates, prompts = map(tuple, others)
    reading, drafts = read(
        ALL, server=server, tools=tuple(tools), resources=resources, templates=templates, prompts=prompts
    )
    assert len(tools) + sum(map(len, others)) == len(drafts) + sum(finding.skipped for finding in reading.findings)
    for draft in drafts:
        assert draft.args_schema["type"] == "object"
        assert msgspec.json.encode(draft)
        for schema in (draft.args_schema, draft.result_schema or {}):
            check(schema, reading)
    for definition in reading.definitions.values():
        check(definition, reading)


def check(schema: dict[str, Any], reading: Reading) -> None:
    whole = {**schema, "$defs": dict(reading.definitions), "$schema": "https://json-schema.org/draft/2020-12/schema"}
    jsonschema_rs.meta.validate(whole)
    jsonschema_rs.validator_for(whole, pattern_options=jsonschema_rs.RegexOptions()).is_valid({"a": None})


async def test_a_real_server_is_read_through_the_wires() -> None:
    """S-90, S-99: the adapter and the pool together."""
    server = Path(__file__).parents[2] / "net" / "mcp" / "servers" / "real.py"
    spec = msgspec.structs.replace(ALL, command=sys.executable, args=(str(server), "stdio"))
    fetcher = Fetcher(FetchPolicy())
    async with McpPool(lambda spec, *_: fetcher.transport(spec), environ=dict(os.environ)) as pool:
        wires = Wires(fetch=fetcher.for_source(spec), mcp=pool)
        reading = await McpSource().read(spec, wires, None)
        assert isinstance(reading, Reading)
        kinds = Counter(draft.binding["method"] for draft in reading.drafts)
        assert kinds == {"tools/call": 12, "resources/read": 2, "prompts/get": 1}
        assert isinstance(await ADAPTER().read(spec, wires, reading.document), Unchanged)
        with pytest.raises(Problem) as caught:
            await McpSource().read(msgspec.structs.replace(spec, expose=("toolz",)), wires, None)
    assert caught.value.code is Code.BAD_SETTING
