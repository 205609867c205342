"""`client-config`: what to write where, so that an agent's host finds this gateway."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from periplus.cli import console
from periplus.cli.context import AsJson, Choices


def client_config(
    context: typer.Context,
    client: Annotated[str, typer.Argument(help="claude-desktop, claude-code, cursor, vscode, ...")] = "",
    name: Annotated[str, typer.Option(help="What the client calls this gateway.")] = "periplus",
    face: Annotated[str, typer.Option(help="Which protocol it speaks; else the default.", show_default=False)] = "",
    url: Annotated[
        str, typer.Option(help="Reach a running gateway here instead of starting one.", show_default=False)
    ] = "",
    write: Annotated[bool, typer.Option("--write", help="Put it into the client's file and keep a copy.")] = False,
    file: Annotated[
        Path | None, typer.Option(help="The client's file, where it is not in its usual place.", show_default=False)
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Print or write an agent host's configuration."""
    from periplus.app import clients

    if not client:
        rows = [(one.name, one.title, str(clients.file_of(one))) for one in clients.CLIENTS.values()]
        if as_json:
            console.print_json([dict(zip(("name", "title", "file"), row, strict=True)) for row in rows])
        else:
            console.out().print(console.table((("client", {}), ("for", {}), ("file", {"overflow": "fold"})), rows))
        return
    choices: Choices = context.obj
    config = str(choices.file) if choices.file else ""
    reach = clients.Reach(face=face, url=url, config=config, data=choices.data or "")
    of = clients.client(client)
    place = file or clients.file_of(of)
    if not write:
        console.print_json(clients.snippet(of, name, reach))
        console.err().print(f"belongs into {place}; --write puts it there", style="dim", markup=False, soft_wrap=True)
        return
    backup = clients.write(of, name, reach, place)
    told = {"file": str(place), "backup": str(backup) if backup else None, "name": name}
    if as_json:
        console.print_json(told)
        return
    kept = f"; as it was: {backup}" if backup else ""
    console.out().print(f"wrote {name} into {place}{kept}\nstart {of.title} anew to see it", markup=False)
