"""A tool packed for a store is the same tool when it comes out."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from periplus.model import Effect, Example, Link, Tool
from periplus.ports import pack_tool, unpack_tool

_VALUES = st.recursive(
    st.none() | st.booleans() | st.text() | st.integers(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
)


def _tool(value: Any) -> Tool:
    return Tool(
        source="",
        path="",
        key="k",
        origin="GET /x",
        title="",
        summary="",
        args_schema={"properties": {"x": {"enum": [value]}}},
        effect=Effect.READ,
        examples=(Example(input={"x": value}),),
    )


_TEXTS = st.text(max_size=20)
_NAMES = st.lists(_TEXTS, max_size=3).map(tuple)
_OBJECTS = st.dictionaries(st.text(max_size=5), _VALUES, max_size=3)
_TOOLS = st.builds(
    Tool,
    source=st.just("s"),
    path=st.just("p"),
    key=_TEXTS,
    origin=_TEXTS,
    title=_TEXTS,
    summary=_TEXTS,
    description=_TEXTS,
    args_schema=_OBJECTS,
    result_schema=st.none() | _OBJECTS,
    effect=st.sampled_from(Effect),
    idempotent=st.booleans(),
    requires_approval=st.booleans(),
    hidden=st.booleans(),
    deprecated=st.booleans() | _TEXTS,
    tags=_NAMES,
    paths=_NAMES,
    examples=st.lists(st.builds(Example, description=_TEXTS, input=_OBJECTS, expected_output=_VALUES), max_size=2).map(
        tuple
    ),
    links=st.lists(st.builds(Link, to=_TEXTS, name=_TEXTS, parameters=_OBJECTS), max_size=2).map(tuple),
    aliases=_NAMES,
    version=st.just("2.1.0"),
    schema_hash=_TEXTS,
    fingerprint=_TEXTS,
    binding=_OBJECTS,
    metadata=_OBJECTS,
    notes=_NAMES,
)


@given(_TOOLS)
def test_any_tool_comes_back_whole(tool: Tool) -> None:
    """S-2: each member of a tool, whatever is in it."""
    assert unpack_tool("s", "p", pack_tool(tool)) == tool


@given(_VALUES | st.integers(min_value=10**18, max_value=10**40))
def test_integers_of_any_size_come_back_from_a_packed_tool(value: Any) -> None:
    """S-9, S-11: a document of the public directory has a bound that no 64 bits hold."""
    tool = _tool(value)
    found = unpack_tool("s", "p", pack_tool(tool))
    assert found.args_schema == tool.args_schema
    assert found.examples == tool.examples
