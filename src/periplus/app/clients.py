"""How the programs that host agents are told of this gateway (T-8): where their files lie, and what stands in them."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from periplus.model import Code, Problem


class Client(msgspec.Struct, frozen=True, kw_only=True):
    """One program: the member its servers stand under, and its file on each system, `~` and `%VAR%` allowed."""

    name: str
    title: str
    group: str
    files: dict[str, str]  # sys.platform -> path; "" for any
    typed: bool = False  # entries say their "type"
    url_member: str = "url"
    command: tuple[str, ...] = ()  # how the program itself would add it, beside the file


_MAC = "~/Library/Application Support"
CLIENTS = {
    client.name: client
    for client in (
        Client(
            name="claude-desktop",
            title="Claude Desktop",
            group="mcpServers",
            files={
                "darwin": f"{_MAC}/Claude/claude_desktop_config.json",
                "win32": "%APPDATA%/Claude/claude_desktop_config.json",
                "": "~/.config/Claude/claude_desktop_config.json",
            },
        ),
        Client(
            name="claude-code",
            title="Claude Code",
            group="mcpServers",
            files={"": ".mcp.json"},
            typed=True,
            command=("claude", "mcp", "add"),
        ),
        Client(name="cursor", title="Cursor", group="mcpServers", files={"": "~/.cursor/mcp.json"}),
        Client(name="vscode", title="VS Code", group="servers", files={"": ".vscode/mcp.json"}, typed=True),
        Client(
            name="windsurf",
            title="Windsurf",
            group="mcpServers",
            files={"": "~/.codeium/windsurf/mcp_config.json"},
            url_member="serverUrl",
        ),
        Client(name="gemini-cli", title="Gemini CLI", group="mcpServers", files={"": "~/.gemini/settings.json"},
               url_member="httpUrl"),
        Client(name="zed", title="Zed", group="context_servers", files={"": "~/.config/zed/settings.json"}),
    )
}  # fmt: skip


class Reach(msgspec.Struct, frozen=True, kw_only=True):
    """How a client reaches the gateway: a command it runs, or a URL."""

    face: str = ""
    url: str = ""
    config: str = ""
    data: str = ""


def client(name: str) -> Client:
    """A client by its name."""
    found = CLIENTS.get(name)
    if found is None:
        raise Problem(
            Code.BAD_INPUT, f"no client is called {name[:40]!r}", hints=(f"there are {', '.join(sorted(CLIENTS))}",)
        )
    return found


def entry(of: Client, reach: Reach) -> dict[str, Any]:
    """What stands in the client's file for this gateway."""
    if reach.url:
        return ({"type": "http"} if of.typed else {}) | {of.url_member: reach.url}
    settings = [part for flag in ("config", "data") if (text := getattr(reach, flag)) for part in (f"--{flag}", text)]
    chosen = ["--face", reach.face] if reach.face else []
    made = {"command": _command(), "args": [*settings, "serve", "--stdio", *chosen]}
    return ({"type": "stdio"} if of.typed else {}) | made


def _command() -> str:
    """The command as a program without this shell's PATH finds it."""
    beside = Path(sys.executable).with_name("periplus.exe" if sys.platform == "win32" else "periplus")
    return str(beside) if beside.exists() else shutil.which("periplus") or "periplus"


def snippet(of: Client, name: str, reach: Reach) -> dict[str, Any]:
    """The entry in its place, as the client's file would hold it."""
    return {of.group: {name: entry(of, reach)}}


def file_of(of: Client, environ: Mapping[str, str] | None = None) -> Path:
    """Where the client reads its servers from, on this system."""
    text = of.files.get(sys.platform, of.files.get("", ""))
    variables = os.environ if environ is None else environ
    for variable in ("APPDATA",):
        text = text.replace(f"%{variable}%", variables.get(variable, f"%{variable}%"))
    return Path(text).expanduser().absolute()


def write(of: Client, name: str, reach: Reach, file: Path) -> Path | None:
    """Put the entry into the client's file, whatever else stands there, and keep the file as it was beside it."""
    tree = _read(file)
    group = tree.setdefault(of.group, {})
    if not isinstance(group, dict):
        raise _unreadable(file, f"{of.group} is not an object")
    group[name] = entry(of, reach)
    backup = _keep(file)
    file.parent.mkdir(parents=True, exist_ok=True)
    half = file.with_name(f"{file.name}.new")
    half.write_text(json.dumps(tree, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    if file.exists():
        half.chmod(file.stat().st_mode & 0o777)
    half.replace(file)
    return backup


def _read(file: Path) -> dict[str, Any]:
    if not file.exists():
        return {}
    try:
        tree = json.loads(file.read_text("utf-8-sig") or "{}")
    except (OSError, ValueError) as error:
        raise _unreadable(file, str(error)) from error
    if not isinstance(tree, dict):
        raise _unreadable(file, "it does not hold an object")
    return tree


def _unreadable(file: Path, why: str) -> Problem:
    hints = ("mend it, or add the entry by hand: leave out --write to see it",)
    return Problem(Code.PARSE_ERROR, f"{file} was left as it is: {why}", where=str(file), hints=hints)


def _keep(file: Path) -> Path | None:
    """A copy of the file as it is, under the first free name."""
    if not file.exists():
        return None
    number = 1
    while (copy := file.with_name(f"{file.name}.{number}.bak")).exists():
        number += 1
    shutil.copy2(file, copy)
    return copy
