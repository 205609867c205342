"""H-82: names and patterns find what was just taken in; what it means is read in steps, and nothing is ever half."""

from __future__ import annotations

import random
import re
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from periplus.model import Scope, Tool
from periplus.ports import Grep
from periplus.search import index
from periplus.search.room import SearchRoom
from periplus.testing.search_catalogs import asked, fill, made, taught, tools

ALL = [*tools(), taught("town", "zoo/feedOtter", "Feed the otter", "something fishy for lunch")]
GOALS = ("print an invoice", "delete the vessel", "something fishy for lunch", "rename a playlst", "明日の天気")
KILLS = 10
WRITER = """
import sys
from pathlib import Path
from periplus.search import index
from periplus.search.room import SearchRoom
from periplus.testing.search_catalogs import tools

index.PIECE = 16
room = SearchRoom(Path(sys.argv[1]))
print("ready", flush=True)
revision = room.revision
while True:
    while room.settle():
        pass
    revision += 1
    room.update(revision, ((tool, "()") for tool in tools(f"town{revision % 3}")), [])
    print(revision, flush=True)
"""


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that a hundred tools are many."""
    monkeypatch.setattr(index, "PIECE", 16)


def take(room: SearchRoom, several: list[Tool], revision: int = 1, removed: tuple[str, ...] = ()) -> None:
    room.update(revision, ((tool, "()") for tool in several), removed)


def settled(room: SearchRoom) -> SearchRoom:
    while room.settle():
        pass
    return room


def answers(room: SearchRoom) -> dict[str, list[tuple[str, float]]]:
    return {goal: [(str(ref), round(score, 2)) for ref, score in asked(room, goal, limit=20)] for goal in GOALS}


def test_names_and_patterns_find_every_tool_before_its_words_are_read(tmp_path: Path) -> None:
    """H-82, R-3."""
    room = SearchRoom(tmp_path)
    take(room, ALL)
    assert (room.revision, room.unread) == (1, len(ALL))
    assert asked(room, "all my invoices, please") == []
    assert [str(ref) for ref, _ in asked(room, "feed otter")] == ["town/zoo/feedOtter"], "its name"
    assert room.grep(Grep(pattern="invoice"), Scope()).tools == 6
    assert room.grep(Grep(pattern="."), Scope()).tools == len(ALL)
    assert len(room.match("print", Scope(), limit=99, after="").hits) == 18
    assert [str(ref) for ref in room.resolve("printInvoice", Scope()).exact] == ["town/billing/printInvoice"]


def test_the_share_that_is_found_by_meaning_grows_to_all_of_it(tmp_path: Path) -> None:
    """H-82: and what is found then is what one build finds."""
    room, whole = SearchRoom(tmp_path / "steps"), SearchRoom(tmp_path / "whole")
    take(room, ALL)
    shares = []
    while room.settle():
        found = room.search("print an invoice", Scope(), limit=5, start=0, within=None, boosts=None)
        shares.append(found.ready)
        assert room.unread == round((1 - found.ready) * len(ALL))
    assert shares == sorted(shares)
    assert shares[0] < 0.2
    assert shares[-1] == 1
    fill(whole, ALL)
    assert answers(room) == answers(whole)
    assert len(list((tmp_path / "steps").glob("segment-*"))) == 1


def test_a_few_tools_are_found_by_meaning_at_once(tmp_path: Path) -> None:
    room = SearchRoom(tmp_path)
    take(room, ALL[:16])
    assert room.unread == 0
    assert asked(room, "list all my invoices")


def test_hidden_tools_do_not_show_in_the_share(tmp_path: Path) -> None:
    """R-2: whoever sees nothing of what is being read is told of nothing."""
    room = SearchRoom(tmp_path)
    fill(room, [made("open", "a/listDoor", "List the doors")])
    take(room, [made("secret", f"b/listSafe{number}", "List the safes", hidden=True) for number in range(40)], 2)
    assert room.unread == 40
    assert room.search("list doors", Scope(), limit=5, start=0, within=None, boosts=None).ready == 1


def test_what_one_process_began_another_ends(tmp_path: Path) -> None:
    """R-15: words are read from what the first one left behind, so both end with the same."""
    first, second = SearchRoom(tmp_path), SearchRoom(tmp_path)
    take(first, ALL)
    first.settle()
    del first
    assert second.refresh()
    assert 0 < second.unread < len(ALL)
    settled(second)
    assert answers(SearchRoom(tmp_path)) == answers(second)
    assert second.unread == 0


def test_a_process_killed_at_any_moment_leaves_an_index_that_finds_all_names(tmp_path: Path) -> None:
    """R-15: while tools are taken in, read, and brought together."""
    moments = random.Random(82)
    for _ in range(KILLS):
        told = _killed(tmp_path, moments.uniform(0.0, 0.4))
        room = SearchRoom(tmp_path)
        assert room.damage == ""
        assert room.revision in {told, told + 1}
        sources = {f"town{number % 3}" for number in range(1, room.revision + 1)}
        assert room.grep(Grep(pattern="^billing:printInvoice$"), Scope()).tools == len(sources)
        settled(room)
        assert asked(room, "print an invoice")[0][0].leaf == "printInvoice"


def _killed(folder: Path, seconds: float) -> int:
    before = SearchRoom(folder).revision
    with subprocess.Popen([sys.executable, "-c", WRITER, str(folder)], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        lines = [process.stdout.readline(), process.stdout.readline()]
        time.sleep(seconds)  # waits for nothing: this is the moment
        process.kill()
        lines += process.stdout.read().splitlines(keepends=True)
    return max([before, *(int(line) for line in lines if re.fullmatch(r"\d+\n", line))])


_CHANGES = st.lists(
    st.tuples(st.sets(st.integers(0, len(ALL) - 1), max_size=40), st.sets(st.integers(0, len(ALL) - 1), max_size=40)),
    min_size=1,
    max_size=6,
)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(changes=_CHANGES)
def test_whatever_was_changed_one_segment_says_what_a_new_index_says(
    tmp_path_factory: pytest.TempPathFactory, changes: list[tuple[set[int], set[int]]]
) -> None:
    """R-15: bringing segments together loses nothing and keeps nothing that is gone, in names, patterns and words."""
    folder = tmp_path_factory.mktemp("changed")
    room, whole = SearchRoom(folder / "steps"), SearchRoom(folder / "whole")
    there: dict[str, Tool] = {}
    for revision, (changed, gone) in enumerate(changes, 1):
        fresh = {str(tool.ref): made("town", tool.path, f"{tool.summary} {revision}", tags=tool.tags)
                 for tool in (ALL[number] for number in sorted(changed))}  # fmt: skip
        lost = {str(ALL[number].ref) for number in gone} - fresh.keys()
        take(room, list(fresh.values()), revision, tuple(sorted(lost)))
        there = {ref: tool for ref, tool in (there | fresh).items() if ref not in lost}
    fill(whole, list(there.values()), len(changes))
    assert _seen(settled(room)) == _seen(whole)


def _seen(room: SearchRoom) -> Mapping[str, object]:
    seen: dict[str, object] = dict(answers(room))
    for pattern in (".", "invoice", r"\d", "weather"):
        page = room.grep(Grep(pattern=pattern, limit=200), Scope())
        seen[pattern] = (sorted(zip(map(str, page.refs), page.ranks, strict=True)), page.tools)
    seen["names"] = [room.resolve(tool.path, Scope()).exact for tool in ALL]
    return seen


@pytest.mark.parametrize("limit", [1, 7, 40])
def test_pages_of_a_pattern_are_its_matches_however_many_pieces_there_are(tmp_path: Path, limit: int) -> None:
    """R-1: in order of ref over all pieces, each once; a page looks at no more than it shows."""
    room = SearchRoom(tmp_path)
    for number, name in enumerate(("town", "village", "city")):
        take(room, tools(name), number + 1)
    for pattern in (".", "print|list", r"e\w+$"):
        whole = [str(hit.ref) for hit in room.match(pattern, Scope(), limit=1000, after="").hits]
        assert whole == sorted(set(whole))
        shown: list[str] = []
        while True:
            page = room.match(pattern, Scope(), limit=limit, after=shown[-1] if shown else "")
            shown += [str(hit.ref) for hit in page.hits]
            if not page.more:
                break
        assert shown == whole
