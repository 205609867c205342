"""`serve`: answer agents, over stdio or HTTP."""

from __future__ import annotations

import gc
import os
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from periplus.cli import console
from periplus.cli.context import Choices
from periplus.model import Code, Problem

if TYPE_CHECKING:
    from periplus.app.serving import Address
    from periplus.model import SourceSpec
    from periplus.settings import Settings


def serve(
    context: typer.Context,
    sources: Annotated[
        list[str] | None, typer.Argument(help="Sources to connect first: URLs, files, or kind:...", show_default=False)
    ] = None,
    stdio: Annotated[bool, typer.Option("--stdio", help="Serve one face to the client that starts this.")] = False,
    http: Annotated[
        str | None, typer.Option(help="Listen on HOST:PORT; else [serve] http.", show_default=False)
    ] = None,
    face: Annotated[str | None, typer.Option(help="The protocol over stdio and at /mcp.", show_default=False)] = None,
    workflows: Annotated[
        list[str] | None,
        typer.Option(help="A directory of workflow definitions; may be repeated.", show_default=False),
    ] = None,
    insecure: Annotated[
        bool, typer.Option("--insecure", help="Listen for other machines although nobody says who it is.")
    ] = False,
) -> None:
    """Serve the catalog to agents."""
    import anyio

    gc.disable()  # until it serves: what is imported stays, and looking through it takes a sixth of the start
    if stdio:
        from periplus.app.starting import hurry

        hurry()
    from periplus.app.logs import configure_logs
    from periplus.app.serving import address_of, serve_stdio
    from periplus.app.sharing import take_short_turns

    if stdio and http:
        raise Problem(Code.BAD_INPUT, "--stdio and --http exclude each other", hints=("leave one out",))
    choices: Choices = context.obj
    chosen = {"serve.face": face, "serve.http": http, "serve.insecure": "true" if insecure else None}
    settings = choices.with_flags(chosen, {"workflow.dir": workflows or None})
    specs = _specs(sources) if sources else []
    configure_logs(settings.log)
    take_short_turns()
    if stdio:
        anyio.run(serve_stdio, settings, settings.serve.face, specs, choices.file)
        return

    from periplus.app.listening import serve_http

    began = partial(_say, settings)
    anyio.run(partial(serve_http, settings, address_of(settings.serve.http), specs, file=choices.file, began=began))


def _specs(sources: Sequence[str]) -> list[SourceSpec]:
    from periplus.app.locations import parse_location

    return [spec for text in sources for spec in parse_location(text, environ=os.environ)]


def _say(settings: Settings, address: Address) -> None:
    """Where it is and how to reach it, for the person at the terminal; on stderr, as nothing of this is an answer."""
    out = console.err()
    base = settings.serve.url.rstrip("/") or f"http://{address}"
    callers = "anybody on this machine" if address.is_loopback else "anybody who reaches it"
    if settings.serve.auth != "none":
        callers = f"those who say who they are ({settings.serve.auth.replace('+', ' or ')})"
    out.print(f"Periplus serves {settings.serve.face} over MCP at {base}/mcp", markup=False, soft_wrap=True)
    for title, words in (
        ("every face", f"{base}/mcp/FACE"),
        ("over HTTP", f"{base}/openapi.json"),
        ("for", callers),
    ):
        out.print(f"  {title:<11}{words}", markup=False, soft_wrap=True)
    out.print("  Ctrl-C ends it; calls in flight are finished", markup=False, style="dim")
