"""For authors: the registry and the mark refuse at once what is wrong, where it is written (M-45)."""

from __future__ import annotations

import functools
from typing import Any

import pytest

from periplus.model import Code, Problem
from periplus.provider import CallContext, Registry, ToolError, tool


def test_a_published_function_stays_what_it_was() -> None:
    registry = Registry("harbour")

    @registry.tool
    def bare(x: int) -> int:
        return x + 1

    @registry.tool(effect="read")
    @tool(title="Twice")
    def named(x: int) -> int:
        return x * 2

    assert (bare(1), named(2)) == (2, 4)
    assert list(registry.tools) == ["bare", "named"]


def test_two_tools_of_one_name_are_refused_at_once() -> None:
    """M-45"""
    registry = Registry("harbour")
    registry.tool(len)
    with pytest.raises(Problem) as refused:
        registry.tool(name="len")(max)
    assert refused.value.code is Code.CONFLICT
    assert "registry 'harbour' has a tool 'len' already" in refused.value.message
    assert list(registry.tools) == ["len"]


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"effect": "wipe"}, "effect='wipe' is not an effect"),
        ({"timeout_seconds": 0}, "timeout_seconds=0 leaves no time"),
        ({"cost_estimate": "a lot"}, "cost_estimate='a lot'"),
        ({"parameters": {"type": "string"}}, "parameters= must be a JSON Schema of an object"),
    ],
)
def test_a_wrong_option_is_told_where_it_is_written(options: dict[str, Any], says: str) -> None:
    for declare in (tool, Registry("harbour").tool):
        with pytest.raises(Problem) as refused:
            declare(**options)
        assert refused.value.code is Code.BAD_INPUT
        assert says in refused.value.message
        assert refused.value.hints


def test_an_unknown_option_is_a_type_error() -> None:
    with pytest.raises(TypeError, match="efect"):
        tool(efect="read")  # type: ignore[call-overload]


def test_the_first_description_of_a_category_stays() -> None:
    registry = Registry("harbour")
    registry.category("berths", "Berths", description="Where ships lie.")
    registry.category("berths", "Other")
    assert registry.categories["berths"].name == "Berths"


def test_a_partial_goes_by_the_name_of_what_it_calls() -> None:
    registry = Registry("harbour")
    registry.tool(functools.partial(max, 1))
    assert list(registry.tools) == ["max"]


def test_a_context_alone_serves_a_function_that_is_called_by_hand() -> None:
    """M-47: nothing listens, nothing is cancelled."""
    context = CallContext()
    context.progress(50, "half way")
    assert not context.cancelled
    assert (context.deadline, context.idempotency_key) == (None, "")
    heard: list[tuple[float, str]] = []
    CallContext(listener=lambda percent, message: heard.append((percent, message))).progress(7)
    assert heard == [(7, "")]


def test_a_tool_error_keeps_code_and_message() -> None:
    """S-103"""
    assert ToolError(Code.CONFLICT, "taken").code == "conflict"
    error = ToolError("berth_taken", "A1 is taken", 409)
    assert (error.code, error.message, error.status, str(error)) == ("berth_taken", "A1 is taken", 409, "A1 is taken")
