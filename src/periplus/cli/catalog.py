"""`browse` and `inspect`: walking the catalog and reading one tool."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from periplus.cli import console
from periplus.cli.context import AsJson, with_gateway
from periplus.model import Tool

if TYPE_CHECKING:
    from periplus.core.browse import Listing


def browse(
    context: typer.Context,
    path: Annotated[str, typer.Argument(help="A node, such as SOURCE or SOURCE/AREA; else the root.")] = "",
    limit: Annotated[int, typer.Option(help="How many entries a page has.")] = 50,
    cursor: Annotated[str | None, typer.Option(help="Where a page before this one ended.")] = None,
    deep: Annotated[bool, typer.Option("--deep", help="All tools of the subtree instead of child nodes.")] = False,
    as_json: AsJson = False,
) -> None:
    """Walk the catalog: areas first, then tools."""
    listing = with_gateway(context, lambda gateway: gateway.browse(path, limit=limit, cursor=cursor, deep=deep))
    if as_json:
        console.print_json(listing)
    else:
        print_listing(listing, limit)


def print_listing(listing: Listing, limit: int = 50) -> None:
    """A node as a person reads it."""
    from rich.text import Text

    out, node = console.out(), listing.node
    out.print(
        Text.assemble((node.path or "the catalog", "bold"), f"  {node.tools:,} tools", (f"  {node.summary}", "dim"))
    )
    rows: list[tuple[Any, ...]] = [
        (Text(f"{child.name}/", style="bold cyan"), Text(f"{child.tools:,}", style="dim"), child.summary)
        for child in listing.nodes
    ]
    for tool in listing.tools:
        name = str(tool.ref) if tool.ref.area != node.path.partition("/")[2] else tool.ref.leaf
        mark = Text(tool.effect.word, style=console.EFFECT_STYLE[tool.effect])
        rows.append((Text(name, style="strike" if tool.deprecated else ""), mark, tool.summary))
    columns: list[tuple[str, dict[str, Any]]] = [
        ("", {"overflow": "fold"}),
        ("", {"justify": "right"}),
        ("", {"overflow": "fold"}),
    ]
    made = console.table(columns, rows)
    made.show_header = False
    out.print(made)
    if listing.next_cursor:
        path = f" {node.path}" if node.path else ""
        size = f" --limit {limit}" if limit != 50 else ""
        out.print(
            f"more: periplus browse{path}{size} --cursor {listing.next_cursor}",
            style="dim",
            soft_wrap=True,
            markup=False,
        )


def inspect(
    context: typer.Context,
    tool: Annotated[str, typer.Argument(help="A tool: its ref, operationId, or METHOD /path.")],
    form: Annotated[str, typer.Option(help="signature, schema, line or function.")] = "signature",
    as_json: AsJson = False,
) -> None:
    """Read one tool: its signature, schema, or one line."""
    from periplus.core.schema.functions import openai_function
    from periplus.core.schema.signature import one_line

    if form not in {"signature", "schema", "line", "function"}:
        raise typer.BadParameter(f"{form!r} is no form; use signature, schema, line or function")
    found = with_gateway(context, lambda gateway: gateway.describe(tool))
    if as_json:
        console.print_json(found)
    elif form == "schema":
        console.print_json({"args_schema": found.args_schema, "result_schema": found.result_schema})
    elif form == "function":
        console.print_json(openai_function(found))
    elif form == "line":
        typer.echo(one_line(found))
    else:
        print_signature(found)


def print_signature(tool: Tool) -> None:
    """The signature, coloured where a person is looking."""
    import sys

    from periplus.core.schema.signature import signature

    text = signature(tool)
    if not sys.stdout.isatty():
        typer.echo(text)
        return
    from rich.syntax import Syntax

    console.out().print(Syntax(text, "typescript", theme="ansi_dark", background_color="default", word_wrap=True))
