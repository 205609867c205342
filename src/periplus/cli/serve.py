"""`serve`: answer agents, over stdio or HTTP."""

from __future__ import annotations

import logging
import os
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from periplus.cli import console
from periplus.cli.context import Choices
from periplus.model import Code, Problem

if TYPE_CHECKING:
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
    insecure: Annotated[
        bool, typer.Option("--insecure", help="Listen for other machines although nobody says who it is.")
    ] = False,
) -> None:
    """Serve the catalog to agents."""
    import anyio

    from periplus.app.locations import parse_location
    from periplus.app.serving import address_of, serve_http, serve_stdio

    if stdio and http:
        raise Problem(Code.BAD_INPUT, "--stdio and --http exclude each other", hints=("leave one out",))
    choices: Choices = context.obj
    chosen = {"serve.face": face, "serve.http": http, "serve.insecure": "true" if insecure else None}
    settings = choices.with_flags(chosen)
    specs = [spec for text in sources or () for spec in parse_location(text, environ=os.environ)]
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s")
    if stdio:
        anyio.run(serve_stdio, settings, settings.serve.face, specs)
        return
    address = address_of(settings.serve.http)
    _say(settings, str(address))
    anyio.run(serve_http, settings, address, specs)


def _say(settings: Settings, address: str) -> None:
    """Where it is and how to reach it, for the person at the terminal; on stderr, as nothing of this is an answer."""
    out = console.err()
    out.print(f"Periplus serves {settings.serve.face} at http://{address}/mcp", markup=False)
    out.print(f"  every face: http://{address}/mcp/FACE   REST: http://{address}/openapi.json", markup=False)
    out.print("  Ctrl-C ends it", markup=False, style="dim")
