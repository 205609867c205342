"""The tour: connect the harbour's four services, look around, search, read, book. Its transcript is the demo."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.console import Console
from rich.padding import Padding
from rich.rule import Rule
from rich.syntax import Syntax
from rich.table import Table
from rich.text import Text

import periplus
from periplus.core.schema.signature import one_line, signature
from periplus.demo.asking import ask_around
from periplus.demo.booking import POLICY, book, tell
from periplus.demo.expanding import expand
from periplus.demo.phases import go_through
from periplus.demo.services import Harbour, running
from periplus.demo.walking import WORKFLOWS, walk
from periplus.model import Code, Effect, LoadReport, Problem
from periplus.settings import Settings

if TYPE_CHECKING:
    from periplus.core.gateway import Gateway

_STYLE = {Effect.READ: "green", Effect.WRITE: "yellow", Effect.DESTROY: "red"}


async def tour() -> None:
    """Everything in one go, in a data directory of its own that is gone afterwards."""
    out = Console(highlight=False, width=110 if not Console().is_terminal else None)
    out.print(Text("A small harbour, four services of four kinds, on this machine only.", style="bold"))
    with tempfile.TemporaryDirectory() as directory, running() as harbour:
        settings = Settings(store=f"sqlite:///{directory}", policy=POLICY, workflow=WORKFLOWS)
        async with periplus.open(settings=settings) as gateway:
            await _connect(out, gateway, harbour)
            await _again(out, gateway, harbour)
            await _look_around(out, gateway)
            await _search(out, gateway)
            await _read(out, gateway)
            await _go_wrong(out, gateway)
            _chapter(out, "7  Call a tool of any kind, and say what you want of it", "periplus call sailors ...")
            await ask_around(out, gateway)
            _chapter(out, "8  Call it: checked, asked about, permitted, done once", "periplus call reserveBerth ...")
            await book(out, gateway)
            _chapter(
                out, "9  Who did what, and which rule decided", "periplus audit --tool harbour/berths/reserveBerth"
            )
            await tell(out, gateway)
            _chapter(
                out, "10  Two agents, one workflow: a gate that waits for a person", "periplus workflows graph arrival"
            )
            await walk(out, gateway)
            _chapter(out, "11  Another protocol, the same catalog: pointers first", "periplus serve --face expansion")
            await expand(out, gateway, settings)
            _chapter(out, "12  An agent on its own, over MCP: five phases, nine tools", "periplus serve --stdio")
            await go_through(out, gateway, directory)
    out.print()
    out.print("Now yours:  periplus add https://HOST/openapi.json   ·   periplus add mcp:'COMMAND ARGS'", markup=False)
    out.print(
        "            periplus search GOAL   ·   periplus inspect NAME   ·   periplus call NAME name=value", markup=False
    )


def _chapter(out: Console, title: str, command: str) -> None:
    out.print()
    out.print(Rule(Text.assemble((title, "bold"), ("   $ ", "dim"), (command, "cyan")), align="left", style="dim"))


async def _connect(out: Console, gateway: Gateway, harbour: Harbour) -> None:
    _chapter(out, "1  Connect", "periplus add ...")
    reports = [await gateway.connect(spec) for spec in harbour.sources]
    out.print(_reports(harbour, reports))


def _reports(harbour: Harbour, reports: Sequence[LoadReport]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim")
    for column in ("source", "kind", "where", "operations", "tools", "areas", "skipped", "ms"):
        table.add_column(column, justify="left" if column in {"source", "kind", "where"} else "right")
    places = {"tides": "a child process, over stdio", "charts": "periplus.demo.charts"}
    for spec, report in zip(harbour.sources, reports, strict=True):
        counts = report.counts
        numbers = (counts.operations, counts.tools, counts.areas, counts.skipped, report.ms)
        where = places.get(report.source, spec.location)
        table.add_row(Text(report.source, style="bold"), report.kind, where, *(str(number) for number in numbers))
    return table


async def _again(out: Console, gateway: Gateway, harbour: Harbour) -> None:
    _chapter(out, "2  Connect again: nothing has changed, so nothing is read or written", "periplus sync")
    before = await gateway.revision()
    reports = [await gateway.connect(spec) for spec in harbour.sources]
    same = ", ".join(report.source for report in reports if report.unchanged)
    out.print(f"unchanged: {same}; the catalog stays at revision {before} = {await gateway.revision()}")


async def _look_around(out: Console, gateway: Gateway) -> None:
    _chapter(out, "3  Look around", "periplus browse")
    for path in ("", "harbour", "harbour/berths", "crew"):
        listing = await gateway.browse(path)
        out.print(Text.assemble((path or "the catalog", "bold"), f"  {listing.node.tools} tools"))
        rows = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
        for node in listing.nodes:
            rows.add_row(Text(f"{node.name}/", style="bold cyan"), Text(f"{node.tools}", "dim"), Text(node.summary))
        for tool in listing.tools:
            rows.add_row(Text(tool.ref.leaf), Text(tool.effect.word, style=_STYLE[tool.effect]), Text(tool.summary))
        out.print(Padding(rows, (0, 0, 0, 2)))


async def _search(out: Console, gateway: Gateway) -> None:
    _chapter(out, "4  Say what you want, in your words", 'periplus search "reserve a berth for a ship"')
    for goal in ("reserve a berth for a ship", "how high is the tide", "find a sailor by rank", "bake a cake"):
        found = await gateway.search(goal, limit=2)
        out.print(Text(goal, style="bold"))
        for hit in found.hits:
            line = Text.assemble(f"  {hit.score:4.0%}  ", (str(hit.ref), "cyan"), f"  {hit.summary}  ")
            out.print(line.append(hit.effect.word, style=_STYLE[hit.effect]))
        if not found.hits:
            out.print(f"  nothing here does that; nearest is {found.nearest}", style="dim", markup=False)


async def _read(out: Console, gateway: Gateway) -> None:
    _chapter(out, "5  Read a tool before calling it, by any name it goes by", "periplus inspect reserveBerth")
    tool = await gateway.describe("POST /berths/{code}/reservations")
    out.print(Syntax(signature(tool), "typescript", theme="ansi_dark", background_color="default", word_wrap=True))
    out.print()
    for name in ("signOn", "tide_height", "plot_course"):
        out.print(Text(one_line(await gateway.describe(name))), soft_wrap=True)


async def _go_wrong(out: Console, gateway: Gateway) -> None:
    _chapter(out, "6  A wrong name is refused, never guessed", "periplus inspect reserve_birth")
    try:
        await gateway.describe("reserve_birth")
    except Problem as problem:
        out.print(Text.assemble((f"{problem.code.value}: ", "bold red"), problem.message))
        out.print(Text(f"  → near: {', '.join(problem.hints)}"))
    else:
        raise Problem(Code.INTERNAL, "the demo expected this name to be unknown")
