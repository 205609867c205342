"""The part of the tour that an agent takes: five phases over MCP, on stdio, and what they cost it to read."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

import msgspec
from rich.console import Console
from rich.text import Text

from periplus.model import Code, Problem

if TYPE_CHECKING:
    from mcp import Client

    from periplus.core.gateway import Gateway

_RUN = "from periplus.cli.main import run; run()"
_ANSWER_S = 60.0
_LINES, _WIDTH = 7, 104
_STEPS: list[dict[str, Any]] = [
    {"action": "listBerths", "alias": "free", "parameters": {"free": True, "_select": "code,length_m"}},
    {"action": "quoteBerth", "parameters": {"code": "$free[0].code", "length_m": "$free[0].length_m", "nights": 2}},
]
_PHASES: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("connect", "connect_to_site", {"url": "catalog"}),
    ("manifest", "get_manifest", {}),
    ("landmarks", "get_landmarks", {"landmark_id": "harbour"}),
    ("inspect", "inspect_landmark", {"landmark_id": ["listBerths", "quoteBerth"]}),
    ("act", "execute_sequence", {"actions": _STEPS}),
)


async def go_through(out: Console, gateway: Gateway, directory: str) -> None:
    """A client starts `periplus serve --stdio` on the same data and goes from a goal to a price."""
    from mcp import Client, StdioServerParameters  # noqa: PLC0415 - a client is needed here alone
    from mcp.client.stdio import stdio_client  # noqa: PLC0415

    command = ["-c", _RUN, "--data", directory, "serve", "--stdio", "--face", "handshake"]
    server = StdioServerParameters(command=sys.executable, args=command, cwd=directory)
    with os.fdopen(os.open(os.devnull, os.O_WRONLY), "w") as nowhere:
        async with Client(stdio_client(server, nowhere), read_timeout_seconds=_ANSWER_S) as client:
            nine = [each.model_dump(by_alias=True, exclude_none=True) for each in (await client.list_tools()).tools]
            read = [await _phase(out, client, *phase) for phase in _PHASES]
    _compare(out, nine, read, await _flat(gateway))


async def _phase(out: Console, client: Client, phase: str, tool: str, arguments: dict[str, Any]) -> int:
    """One call as the agent makes it, the beginning of what it reads, and how many characters that is."""
    result = await client.call_tool(tool, arguments)
    text = "\n".join(block.text for block in result.content if block.type == "text")
    said = ", ".join(f"{name}={_json(value)}" for name, value in arguments.items())
    out.print(Text.assemble((f"{phase:10}", "bold"), (f"{tool}({said})", "cyan")), soft_wrap=True)
    if result.is_error:
        raise Problem(Code.INTERNAL, f"the demo expected {tool} to work: {text}")
    lines = [line for line in text.splitlines() if line.strip()]
    shown = (
        lines[-_LINES:] if tool == "get_manifest" else lines[:_LINES]
    )  # the rules come first, and are always the same
    for line in shown:
        whole = len(lines) == 1 or len(line) <= _WIDTH
        out.print(Text("  " + (line if whole else f"{line[:_WIDTH]}..."), style="green"), soft_wrap=True)
    left = f"{len(lines) - len(shown)} more lines, " if len(lines) > len(shown) else ""
    out.print(Text(f"  ({left}{_tokens(len(text)):,} tokens)", style="dim"))
    return len(text)


async def _flat(gateway: Gateway) -> list[dict[str, Any]]:
    """Every tool as a server without discovery lists it."""
    lines = (await gateway.browse(deep=True, limit=500)).tools
    tools = [await gateway.describe(str(line.ref)) for line in lines]
    return [{"name": one.ref.leaf, "description": one.description, "inputSchema": one.args_schema} for one in tools]


def _compare(out: Console, nine: list[dict[str, Any]], read: list[int], flat: list[dict[str, Any]]) -> None:
    listed, all_of_them, spoken = len(_json(nine)), len(_json(flat)), sum(read)
    each = all_of_them / len(flat)
    out.print()
    for what, characters in (
        (f"the {len(nine)} tools, whatever is behind them", listed),
        ("all that the agent read on its way", spoken),
        (f"a flat list of these {len(flat)} tools", all_of_them),
        ("a flat list of 1,000 tools like these", round(each * 1000)),
    ):
        out.print(Text.assemble(f"  {what:44}", (f"{_tokens(characters):>9,} tokens", "bold")))
    even = -(-(listed + spoken) // round(each))
    out.print(Text(f"  From {even} tools on, discovery is the shorter way; its length stays.", style="dim"))


def _tokens(characters: int) -> int:
    """Four characters are about one."""
    return round(characters / 4)


def _json(value: Any) -> str:
    return msgspec.json.encode(value).decode()
