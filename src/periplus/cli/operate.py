"""`config` and `doctor`: what is set, and whether everything this gateway stands on is sound."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import typer

from periplus.cli import console
from periplus.cli.context import AsJson, Choices
from periplus.model import Code, Problem

if TYPE_CHECKING:
    from periplus.app.doctor import Check

_STYLE = {"ok": "green", "warning": "yellow", "failed": "bold red"}


def config(context: typer.Context, as_json: AsJson = False) -> None:
    """Print the settings in force, and where they come from."""
    from periplus.app.places import data_directory

    choices: Choices = context.obj
    settings = choices.settings
    shown = console.plain(settings) | {"data": str(data_directory(settings))}
    if tables := [credential.shown for credential in settings.credentials]:
        shown["credentials"] = tables
    else:
        del shown["credentials"]
    if as_json:
        console.print_json({"file": str(choices.file) if choices.file else None, "settings": shown})
        return
    out = console.out()
    out.print(f"settings file: {choices.file or 'none (./periplus.toml would be read)'}", style="dim", markup=False)
    for line in _toml_lines(shown):
        out.print(line, markup=False)


def _toml_lines(tree: dict[str, object], path: str = "", head: str = "") -> list[str]:
    """The settings as TOML, where nothing is said by silence; JSON spells text, numbers and lists as TOML does."""
    import json

    plain = [f"{key} = {json.dumps(value)}" for key, value in tree.items() if value is not None and not _nests(value)]
    lines = [*([head] if head and plain else []), *plain]
    for key, value in tree.items():
        name = key if key.replace("-", "").replace("_", "").isalnum() else json.dumps(key)
        name = f"{path}.{name}" if path else name
        tables: list[Any] = value if isinstance(value, list) else [value]
        for table in tables if _nests(value) else ():
            below = _toml_lines(table, name, f"[[{name}]]" if isinstance(value, list) else f"[{name}]")
            lines += ["", *below] if lines and below else below
    return lines


def _nests(value: object) -> bool:
    """Whether a value is a table or a list of tables, which TOML writes below the rest."""
    return isinstance(value, dict) or (isinstance(value, list) and bool(value) and isinstance(value[0], dict))


def doctor(context: typer.Context, as_json: AsJson = False) -> None:
    """Check data, store, keys and sources; say what to do."""
    import anyio

    from periplus.app.doctor import examine

    choices: Choices = context.obj
    checks = anyio.run(examine, choices.settings, choices.file)
    if as_json:
        console.print_json(checks)
    else:
        for check in checks:
            _print_check(check)
    if failed := [check for check in checks if check.state == "failed"]:
        names = ", ".join(check.name for check in failed)
        raise Problem(
            Code.STORE_ERROR, f"not sound: {names}", hints=tuple(check.remedy for check in failed if check.remedy)
        )


def _print_check(check: Check) -> None:
    from rich.text import Text

    line = Text.assemble((f"{check.state:8}", _STYLE[check.state]), (f"{check.name}  ", "bold"), check.message)
    if check.remedy:
        line.append(f"\n        → {check.remedy}", style="dim")
    console.out().print(line)
