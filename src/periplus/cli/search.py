"""`search`: from a goal to the tools that serve it, with the reasons."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from periplus.cli import console
from periplus.cli.context import AsJson, with_gateway
from periplus.model import Hit

if TYPE_CHECKING:
    from periplus.core.gateway import Gateway
    from periplus.core.searching import Results


def search(
    context: typer.Context,
    goal: Annotated[str, typer.Argument(help="What you want to do, in your words; or a tool's name.")],
    path: Annotated[str, typer.Option(help="Only below this node.")] = "",
    tag: Annotated[str, typer.Option(help="Only tools with this tag.")] = "",
    source: Annotated[str, typer.Option(help="Only this source.")] = "",
    effect: Annotated[str, typer.Option(help="Only read, write or destroy.")] = "",
    limit: Annotated[int, typer.Option(help="How many hits a page has.")] = 10,
    cursor: Annotated[str | None, typer.Option(help="Where a page before this one ended.")] = None,
    as_json: AsJson = False,
) -> None:
    """Find the tools that serve a goal, and say why."""

    async def work(gateway: Gateway) -> Results:
        with console.progress("search index", quiet=as_json) as progress:
            await gateway.index(progress)
        await gateway.learn()
        return await gateway.search(goal, path=path, tag=tag, source=source, effect=effect, limit=limit, cursor=cursor)

    results = with_gateway(context, work)
    if as_json:
        console.print_json(results)
    else:
        print_results(results)


def index(context: typer.Context, as_json: AsJson = False) -> None:
    """Bring the search index up to the catalog, and with `search.quality` give every tool its finer vectors."""

    async def work(gateway: Gateway) -> dict[str, int]:
        with console.progress("search index", quiet=as_json) as progress:
            revision = await gateway.index(progress)
        refined = 0
        with console.progress("finer vectors", quiet=as_json) as progress:
            while more := await gateway.refine():
                refined += more
                progress("refine", refined, None)
        return {"revision": revision, "refined": refined, "learned": await gateway.learn()}

    done = with_gateway(context, work)
    if as_json:
        console.print_json(done)
    else:
        console.out().print(f"the index is at revision {done['revision']}; {done['refined']} tools refined")


def print_results(results: Results) -> None:
    """Hits as a person reads them: how sure, what it is, how to call it, why it is here."""
    from rich.text import Text

    out = console.out()
    if not results.hits:
        near = f"; nearest is periplus browse {results.nearest}" if results.nearest else ""
        out.print(f"nothing matches{near}", markup=False)
        return
    if len(results.clauses) > 1:
        out.print(Text.assemble(("asked for: ", "dim"), " · ".join(results.clauses)))
    for hit in results.hits:
        out.print(
            Text.assemble(
                (f"{hit.score:4.0%}  ", "bold"),
                (str(hit.ref), "cyan"),
                f"{hit.signature}  " if len(hit.signature) <= 100 else "(…)  ",
                (hit.effect.word, console.EFFECT_STYLE[hit.effect]),
            ),
            soft_wrap=True,
        )
        out.print(Text.assemble("      ", hit.summary, ("   " + reasons(hit), "dim")), soft_wrap=True)
    if results.next_cursor:
        out.print(f"more: repeat with --cursor {results.next_cursor}", style="dim", soft_wrap=True, markup=False)


def reasons(hit: Hit) -> str:
    """Why a hit is where it is, in a few words."""
    why: list[Any] = []
    if hit.why.exact:
        why.append("its name")
    by_field = [f"{', '.join(words)} in {field}" for field, words in hit.why.words.items() if words]
    why += by_field[:2]
    why += [f"{written} read as {found}" for written, found in list(hit.why.spelled.items())[:2]]
    if hit.why.meaning:
        why.append(f"meaning {hit.why.meaning:.2f}")
    if hit.why.used:
        why.append("called before after such a goal")
    return f"[{'; '.join(why)}]" if why else ""
