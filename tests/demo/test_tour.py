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
    assert '{"name": "Thor", "vessel": {"name": "Kon-Tiki", "mates": [{"name": "Thor"}]}}' in seen
    assert '{"distance_nm": 146.4, "course_deg":' in seen
    assert "quoteBerth gives 172.8 EUR" in seen
    assert "did you mean 'nights'?" in seen
    assert "approval_required: harbour/berths/reserveBerth: a person has to approve this call (rule 1: " in seen
    assert "granted by harbour-master: the Argo is expected" in seen
    assert "reserveBerth gives {'id': 1, 'code': 'B4', 'date': '2031-05-02'}" in seen
    assert re.search(r"approval ap_[0-9a-f]+ was used already", seen)
    assert re.search(r"worker-1 +next_activity Cannot enter 'price': 1 unresolved checkpoint on 'berth'", seen)
    assert re.search(r"\? Lie at B4 for 2 nights\? High water is [\d.]+ m\.", seen)
    assert re.search(r"(?m)^ += 172\.8 EUR$", seen)
    assert re.search(r"NO_MATCH_IN_CATEGORY → next: search_tool_by_category .*crew", seen)
    assert '  ok: {"code":"B5","nights":3,"total":288.0,"currency":"EUR"}' in seen
    assert "11 events of one session, 2 activities, 1 answer" in seen
    trail = re.findall(r"(?m)^(call|grant) +(agent|harbour-master) +(\w+)", seen)
    assert [outcome for _, _, outcome in trail] == [
        "invalid_args", "approval_required", "granted", "ok", "conflict",
    ]  # fmt: skip
    phases = re.findall(r"(?m)^(connect|manifest|landmarks|inspect|act) +(\w+)\(", seen)
    assert phases == [
        ("connect", "connect_to_site"), ("manifest", "get_manifest"), ("landmarks", "get_landmarks"),
        ("inspect", "inspect_landmark"), ("act", "execute_sequence"),
    ]  # fmt: skip
    assert '"action":"harbour:berths:quoteBerth","alias":"step1","status":"ok"' in seen
    assert '"total":216.0' in seen


async def test_the_transcript_sets_what_an_agent_reads_beside_a_flat_list(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "110")
    await tour()
    seen = capsys.readouterr().out
    counts = {what: int(count.replace(",", "")) for what, count in re.findall(r"(?m)^  (.+?) +([\d,]+) tokens$", seen)}
    read = sum(int(count.replace(",", "")) for count in re.findall(r"(?m)^  \((?:.*, )?([\d,]+) tokens\)$", seen))
    flat = counts["a flat list of these 20 tools"]
    assert counts["the 9 tools, whatever is behind them"] < 1300
    assert abs(counts["all that the agent read on its way"] - read) <= 5
    assert 1000 < flat < 4000
    assert abs(counts["a flat list of 1,000 tools like these"] - 50 * flat) <= 50
    assert re.search(r"From \d\d tools on, discovery is the shorter way", seen)
