"""`eval`: how good search is on this catalog."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import msgspec
import typer

from periplus.cli import console
from periplus.cli.context import AsJson, Choices, with_gateway

if TYPE_CHECKING:
    from periplus.app.evaluating import Comparison, Evaluation
    from periplus.core.gateway import Gateway
    from periplus.search.measures import Quality

_NUMBERS = ("number", "NDCG@5", "95 %", "R@5", "R@10", "ECE", "nothing")
_HEAD: list[tuple[str, dict[str, str]]] = [("goals", {}), *((name, {"justify": "right"}) for name in _NUMBERS)]


def evaluate(
    context: typer.Context,
    queries: Annotated[
        Path | None, typer.Option(help='A file of lines {"query": ..., "relevant": [tool, ...]}.', show_default=False)
    ] = None,
    kind: Annotated[
        list[str] | None,
        typer.Option(help="Goals made from examples, descriptions or names; repeat it. Else all.", show_default=False),
    ] = None,
    most: Annotated[int, typer.Option(help="How many goals of a kind are made.", min=1)] = 200,
    against: Annotated[
        Path | None, typer.Option(help="A settings file whose [search] is compared.", show_default=False)
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Measure search on this catalog: offline, beside the index in use."""
    from periplus.app.evaluating import Comparison
    from periplus.app.evaluating import evaluate as measure
    from periplus.search.asking import KINDS
    from periplus.settings import load_settings

    choices: Choices = context.obj
    configurations = [choices.settings.search]
    if against:
        configurations.append(load_settings(against, {}).search)

    async def work(gateway: Gateway) -> Evaluation | Comparison:
        with console.progress("eval", quiet=as_json) as progress:
            return await measure(
                gateway,
                queries=queries,
                kinds=kind or KINDS,
                most=most,
                configurations=configurations,
                progress=progress,
            )

    found = with_gateway(context, work)
    if as_json:
        console.print_json(found)
    elif isinstance(found, Comparison):
        _print(found.first, "as it is")
        _print(found.second, f"with {against}")
        out = console.out()
        verdict = "may be chance" if found.low <= 0 <= found.high else "is more than chance"
        span = f"{100 * found.low:+.1f} to {100 * found.high:+.1f}"
        out.print(f"NDCG@5 {100 * found.gain:+.1f} ({span}): that {verdict}", markup=False)
    else:
        _print(found, "")


def _print(found: Evaluation, title: str) -> None:
    out = console.out()
    if title:
        out.print(title, style="bold", markup=False)
    rows = [_row(name, quality) for name, quality in found.kinds.items()]
    if len(rows) > 1:
        rows.append(_row("all", found.overall))
    out.print(console.table(_HEAD, rows))
    for worst in found.worst:
        at = f"at place {worst.place}" if worst.place else "not among the first ten"
        out.print(f"{worst.goal}", style="cyan", markup=False, soft_wrap=True)
        got = ", ".join(worst.got) or "nothing"
        out.print(f"  wanted {', '.join(worst.wanted)} ({at}), got {got}", markup=False, soft_wrap=True)


def _row(name: str, quality: Quality) -> list[str]:
    told = msgspec.to_builtins(quality)
    shares = [f"{100 * told[key]:.1f}" for key in ("recall5", "recall10")]
    span = f"{100 * quality.low:.1f}-{100 * quality.high:.1f}"
    return [
        name,
        str(quality.queries),
        f"{100 * quality.ndcg5:.1f}",
        span,
        *shares,
        f"{quality.ece:.3f}",
        f"{100 * quality.silent:.1f} %",
    ]
