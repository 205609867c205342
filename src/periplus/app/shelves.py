"""A directory on this machine as a shelf: nothing is seen of what lies outside it."""

from __future__ import annotations

import os
from importlib import resources
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
            _collect(self.path, "", self.path.resolve(), found)
        except OSError as error:
            raise Problem(
                Code.STORE_ERROR,
                f"the directory of workflows {self.path} cannot be read: {error.strerror}",
                hints=("check [workflow] dir",),
                where=str(self.path),
            ) from error
        return tuple(sorted(found, key=lambda one: one.path))

    def read(self, path: str) -> bytes:
        return (self.path / path).read_bytes()


def _collect(directory: Path, below: str, root: Path, found: list[Listed]) -> None:
    with os.scandir(directory) as entries:
        for entry in entries:
            if entry.name.startswith("."):
                continue
            path = f"{below}{entry.name}"
            try:
                _take(entry, path, root, found)
            except OSError:
                found.append(Listed(path=path, away=Away.UNREADABLE))


def _take(entry: os.DirEntry[str], path: str, root: Path, found: list[Listed]) -> None:
    if entry.is_symlink() and not Path(entry.path).resolve(strict=True).is_relative_to(root):
        found.append(Listed(path=path, away=Away.OUTSIDE))
    elif entry.is_dir():
        if path.count("/") + 1 < _DEEP:
            _collect(Path(entry.path), f"{path}/", root, found)
    elif entry.is_file():
        seen = entry.stat()
        found.append(Listed(path=path, size=seen.st_size, mtime_ns=seen.st_mtime_ns))


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
