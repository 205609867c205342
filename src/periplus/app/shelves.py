"""A directory on this machine as a shelf: nothing is seen of what lies outside it."""

from __future__ import annotations

import os
from importlib import resources
from operator import attrgetter
from pathlib import Path

import msgspec

from periplus.model import Code, Problem
from periplus.ports.shelves import Away, Listed

_DEEP = 3


class Directory(msgspec.Struct, frozen=True):
    """Definitions below one directory; links are followed as long as they stay in it."""

    path: Path

    @property
    def place(self) -> str:
        return str(self.path)

    def files(self) -> tuple[Listed, ...]:
        found: list[Listed] = []
        try:
            _collect(str(self.path), "", str(self.path), found)
        except OSError as error:
            raise Problem(
                Code.STORE_ERROR,
                f"the directory of workflows {self.path} cannot be read: {error.strerror}",
                hints=("check [workflow] dir",),
                where=str(self.path),
            ) from error
        found.sort(key=_path)
        return tuple(found)

    def read(self, path: str) -> bytes:
        return (self.path / path).read_bytes()


_path = attrgetter("path")


def _collect(directory: str, below: str, root: str, found: list[Listed]) -> None:
    """Every call of a session looks at every file: no object is made here that is not kept."""
    with os.scandir(directory) as entries:
        for entry in entries:
            if entry.name.startswith("."):
                continue
            path = below + entry.name
            try:
                if entry.is_symlink() and not _is_within(entry.path, root):
                    found.append(Listed(path=path, away=Away.OUTSIDE))
                elif entry.is_dir():
                    if path.count("/") + 1 < _DEEP:
                        _collect(entry.path, path + "/", root, found)
                elif entry.is_file():
                    seen = entry.stat()
                    found.append(Listed(path=path, size=seen.st_size, mtime_ns=seen.st_mtime_ns))
            except OSError:
                found.append(Listed(path=path, away=Away.UNREADABLE))


def _is_within(link: str, root: str) -> bool:
    return Path(link).resolve(strict=True).is_relative_to(Path(root).resolve())


def shipped() -> Directory:
    """The definitions that come with the package."""
    return Directory(Path(str(resources.files("periplus.core.workflows") / "shipped")))


def directories(paths: tuple[str, ...]) -> tuple[Directory, ...]:
    """Directories an operator names; one that does not exist stops the start (W-11)."""
    for path in paths:
        if not Path(path).expanduser().is_dir():
            raise Problem(
                Code.BAD_SETTING,
                f"there is no directory of workflows {path}",
                hints=("check --workflows or [workflow] dir",),
                where=path,
            )
    return tuple(Directory(Path(path).expanduser().absolute()) for path in paths)
