"""The part of the tour that speaks Tool Discovery & Expansion: pointers, then one schema, then the call."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
from rich.console import Console
from rich.text import Text

from periplus.demo.booking import AGENT
from periplus.faces.expansion import Expansion
from periplus.hosts.desk import Desk
from periplus.model import Code, Problem
from periplus.ports import Request

if TYPE_CHECKING:
    from periplus.core.gateway import Gateway
    from periplus.settings import Settings

_LONGEST = 88
_OF_A_TOKEN = 4
_SHIP: dict[str, Any] = {"code": "B5", "length_m": 40, "nights": 3}
_STEPS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("list", {}),
    ("search_tool_by_category", {"query": "sign on a sailor", "category_path": ["harbour"]}),
    ("search_tool_by_category", {"query": "quote a price for a berth", "limit": 1}),
    ("call_tool", {"tool_id": "harbour/berths/quoteBerth", "args": _SHIP}),
    ("expand_tool", {"tool_id": "harbour/berths/quoteBerth"}),
    ("call_tool", {"tool_id": "harbour/berths/quoteBerth", "args": _SHIP}),
)


async def expand(out: Console, gateway: Gateway, settings: Settings) -> None:
    """An agent looks, asks in the wrong place, is told the right one, and reads a schema before it calls."""
    desk = Desk(Expansion(gateway, settings))
    request = Request(principal=AGENT, connection="demo")
    read = 0
    for op, arguments in _STEPS:
        reply = await desk.ask(op, arguments, request)
        if reply is None:
            raise Problem(Code.INTERNAL, f"the demo expected an operation {op}")
        read += len(reply.text)
        out.print(Text.assemble((op, "bold cyan"), f" {_short(arguments)}"), soft_wrap=True)
        out.print(_told(reply.body), soft_wrap=True)
    out.print(Text(f"{read // _OF_A_TOKEN:,} tokens read, one schema among them", style="dim"))


def _told(body: Any) -> Text:
    """The part of an answer that matters: what was found, or what to do instead."""
    if error := body.get("error"):
        following = error["next_action"]
        return Text(f"  {error['code']} → next: {following['op']} {_short(following['args'])}", style="yellow")
    if "nodes" in body:
        return Text("  " + ", ".join(f"{node['name']}/ {node['tool_count']} tools" for node in body["nodes"]))
    if "results" in body:
        return Text("  " + ", ".join(f"{one['confidence']:.0%} {one['tool_id']}" for one in body["results"]))
    if "args_schema" in body:
        return Text(f"  takes {', '.join(body['args_schema']['properties'])}; side effects: {body['side_effects']}")
    return Text(f"  {body['status']}: {_short(body['result'])}", style="green")


def _short(value: Any) -> str:
    text = msgspec.json.encode(value).decode()
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
