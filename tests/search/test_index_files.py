"""R-15: files of the index are old or new, never half; damage is seen, and said."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

from periplus.model import Scope
from periplus.search.room import SearchRoom
from periplus.testing.search_catalogs import asked, fill, tools

KILLS = 12
WRITER = """
import sys
from pathlib import Path
from periplus.search.room import SearchRoom
from periplus.testing.search_catalogs import fill, made, tools

room = SearchRoom(Path(sys.argv[1]))
several = list(tools())
revision = room.revision
print("ready", flush=True)
while True:
    revision += 1
    extra = made("town", "mark/now", f"Revision {revision}")
    if revision % 3:
        room.update(revision, [(extra, "()")], [])
    else:
        fill(room, [*several, extra], revision)
    print(revision, flush=True)
"""


def test_a_writer_killed_at_any_moment_leaves_the_old_index_or_the_new_one(tmp_path: Path) -> None:
    """R-15: what it said was written is there, and nothing is half."""
    folder, moments = tmp_path / "index", random.Random(15)
    fill(SearchRoom(folder), list(tools()))
    wanted = asked(SearchRoom(folder), "print an invoice")
    for _ in range(KILLS):
        told = _killed(folder, moments.uniform(0.0, 0.12))
        room = SearchRoom(folder)
        assert room.damage == ""
        assert room.revision in {told, told + 1}
        found = room.search("revision", Scope(), limit=1, start=0, within=None, boosts=None)
        assert [hit.summary for hit in found.hits][:1] in ([f"Revision {room.revision}"], [])
        assert asked(room, "print an invoice")[0][0] == wanted[0][0]


def _killed(folder: Path, seconds: float) -> int:
    """The last revision that a writer told of before it was killed."""
    before = SearchRoom(folder).revision
    with subprocess.Popen([sys.executable, "-c", WRITER, str(folder)], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        lines = [process.stdout.readline(), process.stdout.readline()]
        time.sleep(seconds)  # waits for nothing: this is the moment
        process.kill()
        lines += process.stdout.read().splitlines(keepends=True)
    return max([before, *(int(line) for line in lines if line.strip().isdigit() and line.endswith("\n"))])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    fill(SearchRoom(tmp_path), list(tools()))
    return tmp_path


@pytest.mark.parametrize("seed", range(25))
def test_a_changed_byte_anywhere_is_seen(folder: Path, seed: int) -> None:
    """R-15: in the manifest or a segment; nothing is answered from it, and building anew mends it."""
    pick = random.Random(seed)
    path = pick.choice([folder / "manifest.json", *folder.glob("segment-*.idx")])
    raw = bytearray(path.read_bytes())
    raw[pick.randrange(len(raw))] ^= 1 << pick.randrange(8)
    path.write_bytes(raw)
    room = SearchRoom(folder)
    assert room.damage
    assert room.revision == 0
    assert asked(room, "print an invoice") == []
    fill(room, list(tools()), 2)
    assert (room.damage, room.revision) == ("", 2)
    assert asked(room, "print an invoice")


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.99])
@pytest.mark.parametrize("which", ["manifest.json", "segment-*.idx"])
def test_a_file_that_was_cut_short_is_seen(folder: Path, which: str, share: float) -> None:
    """R-15: a full disk, a broken copy."""
    (path,) = folder.glob(which)
    raw = path.read_bytes()
    path.write_bytes(raw[: int(len(raw) * share)])
    room = SearchRoom(folder)
    assert room.damage
    assert room.revision == 0


def test_a_segment_that_is_gone_is_seen(folder: Path) -> None:
    (path,) = folder.glob("segment-*.idx")
    path.unlink()
    assert path.name in SearchRoom(folder).damage


def test_files_that_a_killed_writer_left_are_taken_away(folder: Path) -> None:
    (folder / "segment-0123456789abcdef.idx.99.partial").write_bytes(b"half")
    (folder / "segment-0123456789abcdef.idx").write_bytes(b"nobody's")
    room = SearchRoom(folder)
    assert room.damage == ""
    fill(room, list(tools()), 2)
    assert len(list(folder.glob("segment-*"))) == 1


def test_a_reader_goes_on_while_another_process_writes(folder: Path) -> None:
    """R-15: each answer is of one revision, whole."""
    reader = SearchRoom(folder)
    with subprocess.Popen([sys.executable, "-c", WRITER, str(folder)], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        assert process.stdout.readline() == "ready\n"
        seen: set[int] = set()
        while len(seen) < 4:
            process.stdout.readline()
            reader.refresh()
            assert reader.damage == ""
            seen.add(reader.revision)
            assert str(asked(reader, "print an invoice")[0][0]) == "town/billing/printInvoice"
        process.kill()
    assert max(seen) > 1
