"""What an answer costs tells nothing either: hidden and missing are looked for by the same statements."""

from __future__ import annotations

import re
import sqlite3
from pathlib import Path
from typing import Any

import msgspec
import pytest
from conversing import AGENT, OTHER, Talk

from periplus.app import open_gateway
from periplus.model import Policy, Rule, Verdict
from periplus.settings import load_settings
from periplus.testing.catalogs import make_change, make_row

_VALUE = re.compile(r"'(?:[^']|'')*'|\b\d+(?:\.\d+)?\b|x'[0-9a-f]*'", re.IGNORECASE)
_TREE = ("berths/list", "berths/free", "staff/hire", "staff/dismiss", "staff/old/retire")
# What is hidden from the agent, and beside it what never was: of the same shape.
_PAIRS: tuple[tuple[str, dict[str, Any], dict[str, Any]], ...] = (
    ("expand_tool", {"tool_id": "harbour/staff/hire"}, {"tool_id": "harbour/stuff/hear"}),
    ("expand_tool", {"tool_id": "hire"}, {"tool_id": "hear"}),
    ("call_tool", {"tool_id": "harbour/staff/hire", "args": {}}, {"tool_id": "harbour/stuff/hear", "args": {}}),
    ("list", {"path": ["harbour", "staff"]}, {"path": ["harbour", "stuff"]}),
    ("list", {"path": ["harbour", "staff", "old"]}, {"path": ["harbour", "stuff", "ode"]}),
    ("list", {"path": ["harbour", "staff"], "query": "hire"}, {"path": ["harbour", "stuff"], "query": "hire"}),
    (
        "search_tool_by_category",
        {"query": "hire", "category_path": ["harbour", "staff"]},
        {"query": "hire", "category_path": ["harbour", "stuff"]},
    ),
)


@pytest.fixture
def statements(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Every statement that any connection runs, without its values."""
    seen: list[str] = []
    connect = sqlite3.connect

    def traced(*place: Any, **more: Any) -> sqlite3.Connection:
        connection = connect(*place, **more)
        connection.set_trace_callback(lambda text: seen.append(_VALUE.sub("?", text)))
        return connection

    monkeypatch.setattr(sqlite3, "connect", traced)
    return seen


@pytest.mark.parametrize(("op", "hidden", "missing"), _PAIRS)
async def test_hidden_takes_the_same_work_as_missing(
    tmp_path: Path, statements: list[str], op: str, hidden: dict[str, Any], missing: dict[str, Any]
) -> None:
    """E-9, E-37: the timing class is the same, because what is done is."""
    rule = Rule(principal=(AGENT.id,), tools=("harbour/staff/*",), verdict=Verdict.DENY, action=("discover",))
    chosen = msgspec.structs.replace(load_settings(None, {}, {"data": str(tmp_path)}), policy=Policy(rules=(rule,)))
    async with open_gateway(chosen) as gateway:
        await gateway._parts.store.apply(make_change("harbour", [make_row(path) for path in _TREE]), 1.0)
        agent, other = Talk(gateway, chosen), Talk(gateway, chosen, OTHER)
        assert (await other.reply(op, hidden)).problem is None or op == "call_tool"

        async def worked(arguments: dict[str, Any]) -> list[str]:
            """The least of some times: what is kept is kept for both, until the gateway's own upkeep writes."""
            times: list[list[str]] = []
            for _ in range(6):
                statements.clear()
                await agent.reply(op, arguments)
                times.append(sorted(statements))
            return min(times, key=len)

        assert await worked(hidden) == await worked(missing)
        assert statements
