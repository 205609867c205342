"""What a person writes for a source: a URL, a file, `kind:...`, or a file that names many MCP servers."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from pathlib import Path

import msgspec

from periplus.app.parts import kinds
from periplus.model import Code, Finding, Problem, SourceSpec, check_source_id, split_kind
from periplus.sources.mcp import GROUPS, servers

_MCP_FILE = 1 << 20


def parse_location(
    text: str,
    name: str | None = None,
    *,
    findings: list[Finding] | None = None,
    environ: Mapping[str, str] | None = None,
) -> list[SourceSpec]:
    """The sources a text names: usually one; several where it is a file of MCP servers.

    What is odd about such a file goes into `findings`; `environ` lets it name variables that are not set.
    """
    text = text.strip()
    if not text:
        raise Problem(Code.BAD_INPUT, "no source is named", hints=("give a URL, a file, or kind:...",))
    kind, rest = split_kind(text, kinds())
    many = _mcp_servers(rest, findings, environ) if kind in {"", "mcp"} else None
    specs = many if many is not None else [_one(kind, rest)]
    if name is None:
        return specs
    if len(specs) != 1:
        raise Problem(Code.BAD_INPUT, f"{text} names {len(specs)} servers; --name fits one", hints=("leave it out",))
    return [msgspec.structs.replace(specs[0], id=check_source_id(name))]


def located(text: str) -> SourceSpec:
    """The one source a text names."""
    specs = parse_location(text)
    if len(specs) != 1:
        raise Problem(
            Code.BAD_INPUT,
            f"{text} names {len(specs)} servers; one is connected at a time",
            hints=(f"connect each of them, or: periplus add {shlex.quote(text)}",),
        )
    return specs[0]


def _one(kind: str, rest: str) -> SourceSpec:
    if kind == "python":
        return SourceSpec(kind=kind, url=rest, cwd=str(Path.cwd()))
    if kind == "mcp" and not rest.startswith(("http://", "https://")):
        command, *arguments = _words(rest)
        return SourceSpec(kind=kind, command=command, args=tuple(arguments), cwd=str(Path.cwd()))
    if "://" in rest:
        return SourceSpec(kind=kind, url=rest)
    path = Path(rest).expanduser().absolute()
    if not path.exists():
        raise Problem(
            Code.NOT_FOUND,
            f"there is no file {rest!r}",
            hints=("a URL starts with http:// or https://", f"kinds before a colon: {', '.join(kinds())}"),
            where=str(path),
        )
    return SourceSpec(kind=kind, url=str(path))


def _words(command: str) -> list[str]:
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise Problem(Code.BAD_INPUT, f"not a command line: {command!r}: {error}") from error
    if not words:
        raise Problem(Code.BAD_INPUT, "mcp: needs a URL or a command", hints=("mcp:https://..., or mcp:COMMAND ARGS",))
    return words


def _mcp_servers(
    rest: str, findings: list[Finding] | None, environ: Mapping[str, str] | None
) -> list[SourceSpec] | None:
    """The servers of an `mcpServers` file; None where it is something else."""
    path = Path(rest).expanduser()
    if path.suffix.lower() != ".json" or not path.is_file() or path.stat().st_size > _MCP_FILE:
        return None
    text = path.read_bytes()
    known = any(f'"{group}"'.encode() in text for group in GROUPS)
    is_list = known and b'"openapi"' not in text and b'"swagger"' not in text
    return servers(text, environ, name=path.name, findings=findings) if is_list else None
