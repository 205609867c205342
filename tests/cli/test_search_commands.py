"""`search`, `index`, `memory` and `eval` as somebody runs them."""

from __future__ import annotations

import json
from pathlib import Path

from outcome import Run

from periplus.model import Code


def test_a_goal_is_answered_with_likelihood_and_reasons(quay: Run) -> None:
    """R-1."""
    found = quay("search", "reserve a berth")
    assert found.code == 0
    first = found.out.splitlines()[0].split()
    assert first[0].endswith("%")
    assert first[1].startswith("quay/berths/reserveBerth(")
    assert "reserve, berth in name" in found.out
    told = quay("search", "reserve a berth", "--json").json
    assert told["hits"][0]["why"]["words"]["name"] == ["reserve", "berth"]
    assert 0 < told["hits"][0]["score"] <= 1


def test_a_search_is_narrowed_by_flags(quay: Run) -> None:
    for flags in (
        ["--path", "quay/ships"],
        ["--source", "quay", "--path", "quay/ships"],
        ["--effect", "read", "--path", "quay/ships"],
    ):
        hits = quay("search", "ship or berth", *flags, "--json").json["hits"]
        assert hits
        assert all(hit["ref"].startswith("quay/ships/") for hit in hits), flags
    assert quay("search", "ship", "--tag", "none").out.startswith("nothing matches")
    assert quay("search", "ship", "--effect", "paint").code == Code.BAD_INPUT.status.exit
    assert quay("search", "  ").code == Code.BAD_INPUT.status.exit
    assert quay("search", "ship", "--limit", "0").code == Code.BAD_INPUT.status.exit


def test_the_index_is_brought_up_on_request(quay: Run) -> None:
    assert quay("index").out == "the index is at revision 1; 0 tools refined\n"
    assert quay("index", "--json").json == {"revision": 1, "refined": 0, "learned": 0}


def test_memories_are_given_out_and_erased(quay: Run) -> None:
    """R-8: export and erase."""
    assert quay("memory", "export").json == []
    refused = quay("memory", "erase")
    assert refused.code == Code.BAD_INPUT.status.exit
    assert "--yes" in refused.err
    assert quay("memory", "erase", "--tenant", "north", "--yes").out == "forgotten\n"


def test_search_is_measured_on_this_catalog(quay: Run, tmp_path: Path) -> None:
    """R-9: a table, the worst goals, JSON, a comparison."""
    lines = [{"query": "reserve a berth", "relevant": ["reserveBerth"]}, {"query": "zzqx", "relevant": ["listShips"]}]
    (tmp_path / "queries.jsonl").write_text("\n".join(map(json.dumps, lines)))
    measured = quay("eval", "--queries", "queries.jsonl")
    assert measured.code == 0
    assert measured.out.splitlines()[1].split()[:3] == ["own", "2", "50.0"]
    assert "wanted quay/ships/listShips (not among the first ten), got nothing" in measured.out
    told = quay("eval", "--queries", "queries.jsonl", "--json").json
    assert told["overall"]["ndcg5"] == 0.5
    assert {"recall5", "recall10", "ece", "low", "high", "silent"} <= told["overall"].keys()
    (tmp_path / "other.toml").write_text("[search]\nmemory = false\n")
    compared = quay("eval", "--queries", "queries.jsonl", "--against", "other.toml")
    assert "NDCG@5 +0.0 (+0.0 to +0.0): that may be chance" in compared.out
