"""`conformance`: whether a server speaks a protocol as it is specified."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from periplus.cli import console
from periplus.cli.context import AsJson
from periplus.model import Code, Problem

if TYPE_CHECKING:
    from periplus.testing.expansion_conformance import Outcome

Url = Annotated[str, typer.Option("--expansion", help="Base address, as http://127.0.0.1:8750, or of the operations.")]
Key = Annotated[str, typer.Option("--key", help="Sent as bearer token; env:NAME reads it from there.")]


def conformance(expansion: Url, key: Key = "", as_json: AsJson = False) -> None:
    """Check a server against the promises of its protocol; nothing is called that could do anything."""
    import anyio

    outcomes = anyio.run(_checked, expansion.rstrip("/"), key)
    if as_json:
        console.print_json([console.plain(outcome) | {"kept": outcome.is_kept} for outcome in outcomes])
    else:
        _print(outcomes)
    if not all(outcome.is_kept for outcome in outcomes):
        raise typer.Exit(1)


async def _checked(base: str, key: str) -> list[Outcome]:
    import os

    import httpx2

    from periplus.testing.expansion_conformance import conformance as checked

    path = base if base.count("/") > _SLASHES else f"{base}/v1/expansion"
    token = os.environ.get(key.removeprefix("env:"), "") if key.startswith("env:") else key
    headers = {"authorization": f"Bearer {token}"} if token else {}
    async with httpx2.AsyncClient(headers=headers, timeout=60) as client:

        async def ask(operation: str, body: Any) -> tuple[int, Any]:
            try:
                answer = await client.post(f"{path}/{operation}", json=body)
                return answer.status_code, answer.json()
            except httpx2.HTTPError as error:
                raise Problem(
                    Code.UNAVAILABLE, f"{path} does not answer: {error}", hints=("is the server running?",)
                ) from error
            except ValueError as error:
                raise Problem(
                    Code.PARSE_ERROR, f"{path}/{operation} answers no JSON", hints=("check the URL",)
                ) from error

        return await checked(ask)


_SLASHES = 2  # of "http://host"


def _print(outcomes: list[Outcome]) -> None:
    out = console.out()
    for outcome in outcomes:
        mark, style = ("ok", "green") if outcome.is_kept else ("NO", "bold red")
        mark, style = ("--", "dim") if outcome.skipped else (mark, style)
        out.print(f"{mark}  {outcome.promise}", style=style, markup=False, highlight=False)
        if said := outcome.deviation or outcome.skipped:
            out.print(f"      {said}", markup=False, highlight=False)
    kept = sum(outcome.is_kept and not outcome.skipped for outcome in outcomes)
    skipped = sum(bool(outcome.skipped) for outcome in outcomes)
    out.print(f"{kept} kept, {len(outcomes) - kept - skipped} broken, {skipped} not shown by this catalog")
