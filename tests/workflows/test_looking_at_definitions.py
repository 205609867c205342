"""What a call knows of the disk: all that was there when it was made, for the price of one look among many callers."""

from __future__ import annotations

import threading
from pathlib import Path

import anyio
import anyio.to_thread

from periplus.app.shelves import Directory, shipped
from periplus.core.workflows.library import Library
from periplus.core.workflows.looking import Looking
from periplus.ports.shelves import Listed

TEXT = (
    "id: {id}\nversion: 1.0.0\ntitle: {title}\nexecutionModel: {{roles: [{{id: a, description: A}}]}}\n"
    "activities: [{{id: one, version: 1.0.0, name: One}}]\n"
)


class Watched:
    """A directory that tells how often it was listed and what of it was read; a look at it can be held up."""

    def __init__(self, path: Path) -> None:
        self._directory = Directory(path)
        self.listed = 0
        self.read_: list[str] = []
        self.free = threading.Event()
        self.free.set()
        self.reached = threading.Event()

    @property
    def place(self) -> str:
        return self._directory.place

    def files(self) -> tuple[Listed, ...]:
        seen = self._directory.files()
        self.listed += 1
        self.reached.set()
        assert self.free.wait(20)
        return seen

    def read(self, path: str) -> bytes:
        self.read_.append(path)
        return self._directory.read(path)


def put(root: Path, id_: str, title: str) -> None:
    (root / f"{id_}.yaml").write_text(TEXT.format(id=id_, title=title))


def library(root: Path) -> tuple[Library, Watched]:
    shelf = Watched(root)
    return Library((shelf,), shipped(), examples=False), shelf


def test_only_what_has_changed_is_read_again(tmp_path: Path) -> None:
    """W-107, W-26."""
    put(tmp_path, "kept", "K")
    put(tmp_path, "edited", "E")
    seen, shelf = library(tmp_path)
    first = seen.look()
    assert sorted(shelf.read_) == ["edited.yaml", "kept.yaml"]
    assert seen.look() is first
    shelf.read_.clear()
    put(tmp_path, "edited", "another title")
    assert [one.title for one in seen.look().listed()] == ["another title", "K"]
    assert shelf.read_ == ["edited.yaml"]


async def test_many_who_ask_at_once_share_a_look(tmp_path: Path) -> None:
    """W-107: one looks, and all who came meanwhile get what the next look finds."""
    put(tmp_path, "w", "W")
    seen, shelf = library(tmp_path)
    looking = Looking(seen)
    async with anyio.create_task_group() as tasks:
        for _ in range(40):
            tasks.start_soon(looking.look)
    assert shelf.listed == 2


async def test_nobody_gets_a_look_from_before_they_asked(tmp_path: Path) -> None:
    """W-26: a change is seen by the next call, though another call looks at that moment."""
    put(tmp_path, "w", "before")
    seen, shelf = library(tmp_path)
    looking = Looking(seen)
    shelf.free.clear()
    titles: list[str] = []

    async def ask() -> None:
        titles.append((await looking.look()).listed()[0].title)

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(ask)
        await anyio.to_thread.run_sync(shelf.reached.wait)
        put(tmp_path, "w", "afterwards")
        tasks.start_soon(ask)
        shelf.free.set()
    assert titles[1] == "afterwards"


async def test_a_caller_who_goes_away_holds_up_nobody(tmp_path: Path) -> None:
    """W-26."""
    put(tmp_path, "w", "W")
    seen, shelf = library(tmp_path)
    looking = Looking(seen)
    shelf.free.clear()
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(looking.look)
        await anyio.to_thread.run_sync(shelf.reached.wait)
        tasks.cancel_scope.cancel()
        shelf.free.set()
    assert [one.id for one in (await looking.look()).listed()] == ["w"]
