"""The demo, as somebody sees it who runs it first."""

from __future__ import annotations

import re

import pytest

from periplus.demo.tour import tour


async def test_tour_connects_four_kinds_searches_them_and_refuses_a_wrong_name(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "110")
    await tour()
    seen = capsys.readouterr().out
    for row in (
        "harbour  openapi .* 8 +8 +3 +0",
        "crew +graphql .* 5 +5 +4 +0",
        "tides +mcp .* 4 +4",
        "charts +python",
    ):
        assert re.search(row, seen), row
    assert "unchanged: harbour, crew, tides, charts; the catalog stays at revision 4 = 4" in seen
    assert re.findall(r"(?m)^[a-z ]+\n +\d+%  (\w+)/", seen) == ["harbour", "tides", "crew"]
    assert "nothing here does that" in seen
    assert "function reserveBerth(args: {" in seen
    assert "tool_not_found: no tool is called 'reserve_birth'" in seen
