"""The reference pages, written from the code: `make docs` writes them, a test fails when they lag behind.

What a member means is the comment beside it, so that it is said once, where it is changed.
"""

from __future__ import annotations

import typing
from collections.abc import Callable, Iterator
from enum import Enum
from pathlib import Path
from typing import Any

import msgspec
import typer.main

from periplus.cli.main import app
from periplus.model import Code, CredentialSpec, FindingCode, Severity, SourceSpec
from periplus.settings import PREFIX, Settings
from tools import python_api
from tools.written import comments, table

DIRECTORY = Path(__file__).resolve().parents[1] / "docs" / "reference"
_MADE = "<!-- Written by tools/reference.py: change the code, then run `make docs`. -->\n"
_SOURCES = """\
One table for each source; `NAME` is 1 to 40 of `a-z`, `0-9` and `-`. A text instead of a table is its URL:
`sources.harbour = "https://api.example.com/openapi.json"`.
"""
_CREDENTIALS = """\
One table for each credential. What each scheme needs, and where a credential goes:
[the guide to credentials](../guides/credentials.md). A *secret* is a reference: `env:NAME`, `file:PATH` or
`keyring:SERVICE/USER`.
"""
_PROBLEMS = """\
A refusal is a code, a sentence and a remedy: [problems](../concepts/problems.md). On the command line the code
decides the exit status. The HTTP status and the JSON-RPC code are what the servers answer with, and
codes about conversations are theirs alone.
"""
_FINDINGS = """\
A load report has one line for each thing that was skipped, lost or read leniently: {words}. An error lost
something, a warning guessed or reduced something, a note only informs. What to do about them:
[read a load report](../guides/load-reports.md).
"""
_COMMANDS = """\
Options before the command's name hold for every command. Commands end with 0, or with the exit status of their
problem: [problem codes](problems.md).
"""
_NOT_WRITTEN = frozenset({"id", "asked", "trusted", "guests"})  # members of a source that Periplus fills in itself


def settings_page() -> str:
    """Every key of `periplus.toml`."""
    parts = [
        "# Settings\n",
        "Where settings come from, and which one counts: [the settings guide](../guides/settings.md).\n",
        "## At the top\n",
        _settings_table(Settings, "", skip=lambda kind: _inner(kind) is not None or typing.get_origin(kind) is dict),
        *_tables(Settings, ""),
    ]
    parts += [
        "## `[sources.NAME]`\n",
        _SOURCES,
        _settings_table(SourceSpec, "", environment=False),
        "## `[[credentials]]`\n",
        _CREDENTIALS,
        _settings_table(CredentialSpec, "", environment=False),
    ]
    return _page(parts)


def _tables(kind: type[msgspec.Struct], path: str) -> Iterator[str]:
    """Tables below a table, and lists of tables: `[policy.defaults]`, `[[policy.rules]]`."""
    for name, below in typing.get_type_hints(kind).items():
        table = _inner(below)
        if table is None or table is CredentialSpec:  # said below, with a word before it
            continue
        many = table is not below
        yield f"## `[[{path}{name}]]`\n" if many else f"## `[{path}{name}]`\n"
        yield _first_line(table)
        skip = lambda inside: _inner(inside) is not None  # noqa: E731 - one line is all there is to it
        yield _settings_table(table, f"{path}{name}.", skip=skip, environment=not many)
        yield from _tables(table, f"{path}{name}.")


def _inner(kind: Any) -> type[msgspec.Struct] | None:
    """The table that a member is, or is a list of."""
    if typing.get_origin(kind) is tuple:
        kind = typing.get_args(kind)[0]
    return kind if _is_table(kind) else None


def problems_page() -> str:
    """Every way to say no, with its number on each wire."""
    said = comments(Code)
    rows = [
        (f"`{code.value}`", str(code.status.http), str(code.status.rpc), str(code.status.exit), said.get(code.name, ""))
        for code in Code
    ]
    return _page(
        [
            "# Problem codes\n",
            _PROBLEMS,
            table(("code", "HTTP", "JSON-RPC", "exit", "means"), rows),
        ]
    )


def findings_page() -> str:
    """Every line a load report can have."""
    said = comments(FindingCode)
    rows = [(f"`{code.value}`", said.get(code.name, "")) for code in FindingCode]
    words = ", ".join(f"`{severity.value}`" for severity in Severity)
    return _page(
        [
            "# Findings\n",
            _FINDINGS.format(words=words),
            table(("code", "means"), rows),
        ]
    )


def commands_page() -> str:
    """Every command with its arguments and options."""
    root = typer.main.get_command(app)
    parts = [
        "# Commands\n",
        _COMMANDS,
        "## periplus\n",
        _help(root),
        _parameters(root),
    ]
    for name, command in _commands(root, "periplus"):
        parts += [f"## {name}\n", _help(command), _parameters(command)]
    return _page(parts)


def python_page() -> str:
    """Every verb of the gateway, and the values that verbs give."""
    return _page(["# Python\n", python_api.INTRO, *python_api.sections()])


PAGES: dict[str, Callable[[], str]] = {
    "settings.md": settings_page,
    "problems.md": problems_page,
    "findings.md": findings_page,
    "commands.md": commands_page,
    "python.md": python_page,
}


def main() -> None:
    """Write all pages."""
    DIRECTORY.mkdir(parents=True, exist_ok=True)
    for name, page in PAGES.items():
        (DIRECTORY / name).write_text(page(), encoding="utf-8")


def _settings_table(
    kind: type[msgspec.Struct],
    path: str,
    *,
    skip: Callable[[Any], bool] = lambda _kind: False,
    environment: bool = True,
) -> str:
    said, hints = comments(kind), typing.get_type_hints(kind)
    rows: list[tuple[str, ...]] = []
    for field in msgspec.structs.fields(kind):
        if skip(hints[field.name]) or (kind is SourceSpec and field.name in _NOT_WRITTEN):
            continue
        key, default = f"{path}{field.name}", _default(field)
        variable = (f"`{PREFIX}{key.upper().replace('.', '__')}`",) if environment else ()
        rows.append((f"`{field.name}`", _type(hints[field.name]), default, *variable, said.get(field.name, "")))
    variable = ("environment",) if environment else ()
    return table(("key", "type", "default", *variable, "means"), rows)


def _default(field: msgspec.structs.FieldInfo) -> str:
    value = field.default if field.default is not msgspec.NODEFAULT else ()
    if value is None or value in ("", (), {}):
        return ""
    if isinstance(value, int) and not isinstance(value, bool) and value >= 1 << 20 and value % (1 << 20) == 0:
        return f"`{value}` ({value >> 20} MiB)"
    return f"`{msgspec.json.encode(value).decode()}`"


def _type(kind: Any) -> str:
    words = {str: "text", int: "number", float: "number", bool: "true or false", type(None): ""}
    if isinstance(kind, type) and issubclass(kind, str):
        return "text"
    if kind in words:
        return words[kind]
    if isinstance(kind, type) and issubclass(kind, Enum):
        return " or ".join(f"`{one.value}`" for one in kind)
    if typing.get_origin(kind) is tuple:
        return "list of texts"
    if typing.get_origin(kind) is dict:
        return "table of texts"
    words_of = (f"`{part}`" if isinstance(part, str) else _type(part) for part in typing.get_args(kind))
    return " or ".join(word for word in words_of if word)


def _is_table(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, msgspec.Struct)


def _first_line(kind: type) -> str:
    text = (kind.__doc__ or "").partition(": ")[2].strip()
    return text[:1].upper() + text[1:] + "\n"


def _commands(command: Any, path: str) -> Iterator[tuple[str, Any]]:
    for name, below in sorted(getattr(command, "commands", {}).items()):
        yield f"{path} {name}", below
        yield from _commands(below, f"{path} {name}")


def _help(command: Any) -> str:
    return f"{(command.help or '').strip()}\n"


def _parameters(command: Any) -> str:
    rows: list[tuple[str, ...]] = []
    for one in command.params:
        is_option = one.param_type_name == "option"
        name = ", ".join(one.opts) if is_option else one.name.upper()
        default = "" if one.default in (None, "", False) or callable(one.default) else f"`{one.default}`"
        must = "required" if one.required else ""
        rows.append((f"`{name}`", default or must, (getattr(one, "help", "") or "").strip()))
    rows = [row for row in rows if row[0] != "`--help`"]
    return table(("", "default", "means"), rows) if rows else ""


def _page(parts: list[str]) -> str:
    title, *rest = (part for part in parts if part)
    return "\n".join((title, _MADE, *rest))


if __name__ == "__main__":
    main()
