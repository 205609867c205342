"""The SQL of this store, from its named files: `-- name: x` starts the query called x."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from functools import cache
from importlib.resources import files

_PACKAGE = __name__.rpartition(".")[0]
_NAME = re.compile(r"^-- name: (\w+)$", re.MULTILINE)


@cache
def queries(file: str) -> dict[str, str]:
    """All queries of one file by name; `$scope` in them is where a compiled scope goes."""
    pieces = _NAME.split(_text(file))
    return dict(zip(pieces[1::2], (piece.strip().rstrip(";") for piece in pieces[2::2]), strict=True))


def schema(folder: str = "") -> list[str]:
    return list(_statements(_text(f"{folder}schema.sql")))


def migrations(folder: str = "") -> dict[int, list[str]]:
    """The statements of each numbered migration, in order."""
    place = f"{folder}migrations"
    names = sorted(entry.name for entry in files(_PACKAGE).joinpath(place).iterdir() if entry.name.endswith(".sql"))
    return {int(name.partition("_")[0]): list(_statements(_text(f"{place}/{name}"))) for name in names}


def _text(file: str) -> str:
    return files(_PACKAGE).joinpath(file).read_text(encoding="utf-8")


def _statements(script: str) -> Iterator[str]:
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""
