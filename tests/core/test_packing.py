"""A tool packed for a store is the same tool when it comes out."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from periplus.model import Effect, Example, Tool
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


@given(_VALUES | st.integers(min_value=10**18, max_value=10**40))
def test_integers_of_any_size_come_back_from_a_packed_tool(value: Any) -> None:
    """S-9, S-11: a document of the public directory has a bound that no 64 bits hold."""
    tool = _tool(value)
    found = unpack_tool("s", "p", pack_tool(tool))
    assert found.args_schema == tool.args_schema
    assert found.examples == tool.examples
