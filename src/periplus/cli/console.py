"""Printing for people and for programs. Text from sources is data: it is never read as markup."""

from __future__ import annotations

import sys
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import msgspec

from periplus.model import Effect, Problem, ToolRef

if TYPE_CHECKING:
    from rich.console import Console

    from periplus.core.connect import Progress

_UNFOLDED = 4_000
EFFECT_STYLE = {Effect.READ: "green", Effect.WRITE: "yellow", Effect.DESTROY: "red"}


def out() -> Console:
    from rich.console import Console

    is_seen = sys.stdout.isatty()
    # What goes into a pipe or a file is not folded to a width nobody chose: a line of a table stays a line.
    return Console(highlight=False, soft_wrap=not is_seen, width=None if is_seen else _UNFOLDED)


def err() -> Console:
    from rich.console import Console

    return Console(stderr=True, highlight=False, soft_wrap=not sys.stderr.isatty())


def print_json(value: Any) -> None:
    """One JSON document on stdout."""
    text = msgspec.json.format(msgspec.json.encode(plain(value)), indent=2)
    sys.stdout.write(text.decode() + "\n")


def json_line(value: Any) -> str:
    """A value as JSON on one line."""
    return msgspec.json.encode(plain(value)).decode()


def json_lines(value: Any) -> list[str]:
    """A value as indented JSON, line by line."""
    return msgspec.json.format(msgspec.json.encode(plain(value)), indent=2).decode().splitlines()


def plain(value: Any) -> Any:
    """A value as JSON shows it: refs as text, effects as words."""
    return (
        msgspec.to_builtins(value, enc_hook=str, str_keys=True, builtin_types=())
        if not _special(value)
        else _shown(value)
    )


def _special(value: Any) -> bool:
    return isinstance(value, ToolRef | Effect | msgspec.Struct | dict | list | tuple)


def _shown(value: Any) -> Any:
    if isinstance(value, ToolRef):
        return str(value)
    if isinstance(value, Effect):
        return value.word
    if isinstance(value, msgspec.Struct):
        return {name: plain(getattr(value, name)) for name in value.__struct_fields__}
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    return [plain(item) for item in value]


def print_problem(problem: Problem, *, as_json: bool) -> None:
    """What was wrong, where, and what to do, on stderr."""
    if as_json:
        sys.stderr.write(msgspec.json.encode({"error": problem.to_json()}).decode() + "\n")
        return
    from rich.text import Text

    console = err()
    console.print(Text.assemble((f"{problem.code.value}: ", "bold red"), problem.message))
    if problem.where:
        console.print(Text.assemble("  in ", (problem.where, "cyan")))
    for hint in problem.hints:
        console.print(Text.assemble(("  → ", "dim"), hint))


@contextmanager
def progress(title: str, *, quiet: bool) -> Generator[Progress]:
    """A progress bar on stderr where a person is looking; nothing otherwise."""
    if quiet or not sys.stderr.isatty():
        yield lambda _stage, _done, _total: None
        return
    from rich.progress import Progress as Bars
    from rich.progress import SpinnerColumn, TextColumn, TimeElapsedColumn

    words = {"read": "reading", "write": "writing"}
    with Bars(
        SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn(), console=err(), transient=True
    ) as bars:
        task = bars.add_task(f"{title}: fetching")

        def advance(stage: str, done: int, total: int | None) -> None:
            of = f" of {total:,}" if total else ""
            bars.update(task, description=f"{title}: {words.get(stage, stage)} {done:,}{of} tools")

        yield advance


def table(columns: Sequence[tuple[str, dict[str, Any]]], rows: Sequence[Sequence[Any]]) -> Any:
    """A plain table; cells that are strings are printed as they are."""
    from rich.table import Table
    from rich.text import Text

    made = Table(box=None, pad_edge=False, header_style="bold")
    for title, options in columns:
        made.add_column(title, **options)
    for row in rows:
        made.add_row(*(Text(cell) if isinstance(cell, str) else cell for cell in row))
    return made
