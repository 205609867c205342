"""H-49: what a regular expression finds is what it finds in each text alone, however it is looked for."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from periplus.model import Lines, Scope, Selector
from periplus.ports import Grep
from periplus.search.grep import alternatives
from periplus.search.room import SearchRoom
from periplus.testing.catalogs import make_tool

_PIECES = (
    "valve",
    "Pump",
    "v",
    "open_",
    "a:b",
    "r 1",
    "[a-z]+",
    ".",
    "x|y",
    "^get",
    "e$",
    "(a|o)p",
    "\\d",
    "zz",
    "B4",
    "^",
    "op.*ve",
    "[a-m]+",
    "[aeiou]{2}",
    "u?",
    "[^a-z]",
    "\\Bp",
)
_NAMES = ("works/get_valve", "works/open_pump_2", "b4", "a/b/valve", "9/1")
_TEXTS = ("Open the valve.", "Reads B4\nand more", "", "pump 1 of 2", "Étage valve")


@pytest.fixture(scope="module")
def room(tmp_path_factory: pytest.TempPathFactory) -> SearchRoom:
    room = SearchRoom(Path(tmp_path_factory.mktemp("search")))
    room.rebuild(1, [(tool, "") for tool in TOOLS])
    return room


def _tools() -> list[object]:
    made = []
    for number, name in enumerate(_NAMES):
        schema = {"type": "object", "properties": {"side": {"description": "left"}, f"p{number}": {}}}
        tool = make_tool(name, summary=_TEXTS[number], description=_TEXTS[-number], args_schema=schema, tags=("T x",))
        made.append(msgspec.structs.replace(tool, source="site", path=name))
    return made


TOOLS = _tools()


def expected(pattern: str) -> set[str]:
    """The same by the plainest way there is."""
    compiled = re.compile(f"(?im){pattern}")
    found = set()
    for tool in TOOLS:
        lines = [tool.path.replace("/", ":"), tool.path.replace("/", "_"), tool.path.rpartition("/")[2]]
        lines += [*tool.args_schema["properties"], *tool.tags, tool.summary, tool.description]
        if any(compiled.search(" ".join(line.split())) for line in lines if line):
            found.add(tool.path)
    return found


@given(st.lists(st.sampled_from(_PIECES), min_size=1, max_size=3), st.sampled_from(["", "|"]))
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_pattern_finds_what_it_finds_in_each_text(room: SearchRoom, pieces: list[str], between: str) -> None:
    pattern = between.join(pieces)
    found = room.grep(Grep(pattern=pattern, limit=50), Scope())
    assert {ref.path for ref in found.refs} == expected(pattern)
    assert found.tools == len(found.refs) == len(set(found.refs))


def test_whole_ids_come_first_then_ids_then_parameters_then_texts(room: SearchRoom) -> None:
    """H-50."""
    found = room.grep(Grep(pattern="b4"), Scope())
    assert found.refs[0].path == "b4"
    assert found.ranks == (0, 3, 3)
    assert room.grep(Grep(pattern="side"), Scope()).ranks == (2,) * 5


def test_alternatives_take_turns(room: SearchRoom) -> None:
    """H-50."""
    found = room.grep(Grep(pattern="valve|9|b4", limit=3), Scope())
    assert {ref.path for ref in found.refs} == {"a/b/valve", "9/1", "b4"}


def test_what_is_hidden_is_neither_found_nor_counted(room: SearchRoom) -> None:
    """H-46, H-54."""
    scope = Scope(deny=(Selector(ref="site/works/*"),))
    found = room.grep(Grep(pattern="valve"), scope)
    assert {ref.path for ref in found.refs} == {"a/b/valve", "9/1"}
    assert found.tools == 2
    assert room.grep(Grep(pattern=".", within=Selector(node="site/a")), Scope()).tools == 1


def test_areas_are_found_in_their_lines(room: SearchRoom) -> None:
    blob = b"works\nworks\nwhere valves are\nother\nother\n\n"
    found = room.grep(Grep(pattern="valve", areas=Lines(blob, (29, len(blob)))), Scope())
    assert (found.areas, found.area_total) == ((0,), 1)


@pytest.mark.parametrize(
    ("pattern", "pieces"),
    [
        ("a|b", ["a", "b"]),
        ("(a|b)|c", ["(a|b)", "c"]),
        ("[|]x|y", ["[|]x", "y"]),
        ("a\\|b", ["a\\|b"]),
        ("[]|]", ["[]|]"]),
        ("|", ["|"]),
    ],
)
def test_alternatives_are_split_where_they_are_outermost(pattern: str, pieces: list[str]) -> None:
    assert alternatives(pattern) == pieces
