"""Directories of definitions, as their reader sees them."""

from __future__ import annotations

from enum import StrEnum
from typing import Protocol

import msgspec


class Away(StrEnum):
    """Why a file that is listed cannot be read."""

    OUTSIDE = "outside_root"  # a link that leads out of the directory
    UNREADABLE = "unreadable"  # a link to nothing, a file of somebody else


class Listed(msgspec.Struct, frozen=True, kw_only=True):
    """A file by its path below the directory, and what tells one state of it from another."""

    path: str  # with forward slashes
    size: int = 0
    mtime_ns: int = 0
    away: Away | None = None


class Shelf(Protocol):
    """One directory of definitions. Its methods wait for a disk: they belong in a thread."""

    @property
    def place(self) -> str:
        """Where it is, for messages."""
        ...

    def files(self) -> tuple[Listed, ...]:
        """Every file three levels deep, sorted by path; a problem when the directory itself is away."""
        ...

    def read(self, path: str) -> bytes:
        """A listed file; an OSError when it went away meanwhile."""
        ...
