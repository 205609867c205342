"""`audit`: what happened, whether the trail of it is whole, and a copy of it to keep elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from periplus.cli import console
from periplus.cli.context import AsJson, with_gateway
from periplus.model import VERBS, Code, EventFilter, Problem, Recorded

if TYPE_CHECKING:
    from rich.text import Text

    from periplus.core.chain import Anchor, Checked
    from periplus.core.gateway import Gateway
    from periplus.core.trail import FoundBy

app = typer.Typer(help="Read, verify and export the audit trail.", invoke_without_command=True)
_LOOK_S = 0.5
AnAnchor = Annotated[str, typer.Option(help="What was noted earlier as SEQ:HASH: it must still be so.")]


@app.callback()
def audit(
    context: typer.Context,
    session: Annotated[str, typer.Option(help="Only this session.")] = "",
    trace: Annotated[str, typer.Option(help="Only this trace.")] = "",
    tool: Annotated[str, typer.Option(help="Only about this tool; `harbour/*` is all below.")] = "",
    principal: Annotated[str, typer.Option(help="Only what this principal did.")] = "",
    verb: Annotated[str, typer.Option(help=f"Only one of {', '.join(VERBS)}.")] = "",
    outcome: Annotated[str, typer.Option(help="Only what ended so: ok, or a problem code.")] = "",
    limit: Annotated[int, typer.Option(help="How many rows, the newest.", min=1)] = 50,
    follow: Annotated[bool, typer.Option("--follow", help="Go on with what happens, until it is interrupted.")] = False,
    as_json: AsJson = False,
) -> None:
    """Read the audit trail, oldest first; with `--follow --json`, one line for each row."""
    if context.invoked_subcommand:
        return
    if verb and verb not in VERBS:
        raise typer.BadParameter(f"{verb!r} is no verb; use one of {', '.join(VERBS)}")
    which = EventFilter(session=session, trace=trace, subject=tool, principal=principal, verb=verb, outcome=outcome)

    async def work(gateway: Gateway) -> None:
        rows = await gateway.trail.latest(which, limit=limit)
        if as_json and not follow:
            console.print_json([_plain(row, link) for row, link in _linked(rows)])
            return
        show = _print_lines if as_json else _print_rows
        show(rows)
        if follow:
            await _follow(gateway, which, rows[-1].seq if rows else 0, show)

    with_gateway(context, work)


async def _follow(gateway: Gateway, which: EventFilter, seq: int, show: Callable[[Sequence[Recorded]], None]) -> None:
    import anyio

    while True:
        rows = await gateway.trail.after(seq, which)
        if rows:
            show(rows)
            seq = rows[-1].seq
        else:
            sys.stdout.flush()
            await anyio.sleep(_LOOK_S)


@app.command()
def verify(
    context: typer.Context,
    file: Annotated[Path | None, typer.Argument(help="An export; else the trail itself.", show_default=False)] = None,
    anchor: AnAnchor = "",
    as_json: AsJson = False,
) -> None:
    """Check that no row was changed or taken out."""
    noted = _anchor(anchor)
    if file is None:
        checked = with_gateway(context, lambda gateway: gateway.trail.verify(noted))
    else:
        checked = _check_file(file, noted)
    if as_json:
        console.print_json(checked)
    elif not checked.faults:
        told = f"{checked.rows:,} rows from {checked.first}, whole; the last is {checked.last}:{checked.hash}"
        console.out().print(told, markup=False, soft_wrap=True)
    if checked.faults:
        raise Problem(
            Code.CONFLICT,
            f"the trail is not as it was written: {_sentence(checked)}",
            hints=("compare it with an export from before", "find out who can write the data directory"),
        )


@app.command()
def export(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(help="Where to, one JSON line for each row; - is stdout.")],
    after: Annotated[int, typer.Option(help="Only rows after this number.", min=0)] = 0,
) -> None:
    """Copy the trail with its hashes into a file that can be verified alone."""

    async def work(gateway: Gateway) -> int:
        rows = -1  # the last line is none
        with _written(file) as write:
            async for line in gateway.trail.export(after):
                write(line)
                rows += 1
        return rows

    rows = with_gateway(context, work)
    if str(file) != "-":
        console.out().print(f"{rows:,} rows to {file}", markup=False)


@contextmanager
def _written(file: Path) -> Generator[Callable[[bytes], Any]]:
    """A file that appears whole or not at all, and takes the place of no other."""
    if str(file) == "-":
        yield sys.stdout.buffer.write
        return
    if file.exists():
        raise Problem(Code.CONFLICT, f"{file} is there already", hints=("name another file",))
    draft = file.with_name(f".{file.name}.part")
    try:
        with draft.open("wb") as lines:
            yield lines.write
        draft.replace(file)
    except OSError as error:
        raise Problem(
            Code.BAD_INPUT, f"{file} cannot be written: {error.strerror}", hints=("name another file",)
        ) from error
    finally:
        draft.unlink(missing_ok=True)


def _check_file(file: Path, anchor: Anchor | None) -> Checked:
    from periplus.core.trail import check_lines

    try:
        with file.open("rb") as lines:
            return check_lines(lines, anchor)
    except OSError as error:
        raise Problem(
            Code.NOT_FOUND, f"{file} cannot be read: {error.strerror}", hints=("`periplus audit export` writes one",)
        ) from error


def _anchor(text: str) -> Anchor | None:
    if not text:
        return None
    from periplus.core.chain import Anchor

    seq, colon, hash_ = text.partition(":")
    if not (colon and seq.isdecimal() and len(hash_) == 64):
        raise typer.BadParameter(f"{text!r} is not SEQ:HASH as verify prints it")
    return Anchor(seq=int(seq), hash=hash_)


def _sentence(checked: Checked) -> str:
    more = f"; and {len(checked.faults) - 3 + checked.more:,} more" if len(checked.faults) > 3 else ""
    return "; ".join(fault.what for fault in checked.faults[:3]) + more


def _linked(rows: Sequence[Recorded]) -> Iterable[tuple[Recorded, FoundBy | None]]:
    from periplus.core.trail import found_by

    links = found_by(rows)
    return [(row, links.get(row.seq)) for row in rows]


def _plain(row: Recorded, link: FoundBy | None) -> dict[str, Any]:
    plain: dict[str, Any] = console.plain(row)
    return plain | ({"found_by": console.plain(link)} if link else {})


def _print_lines(rows: Sequence[Recorded]) -> None:
    import msgspec

    for row, link in _linked(rows):
        sys.stdout.write(msgspec.json.encode(_plain(row, link)).decode() + "\n")


def _print_rows(rows: Sequence[Recorded]) -> None:
    out = console.out()
    for row, link in _linked(rows):
        out.print(_line(row, link), soft_wrap=True)


def _line(row: Recorded, link: FoundBy | None) -> Text:
    """A row as a person reads it."""
    from rich.text import Text

    event = row.event
    good = event.outcome == "ok"
    line = Text.assemble(
        (f"{row.seq:>5}  {event.at[:19].replace('T', ' ')}  ", "dim"),
        (f"{event.verb:8}  ", "bold"),
        (event.subject or "-", "cyan"),
        ("  " if good else f"  {event.outcome}  ", "red"),
    )
    told = [f"{len(event.shown)} shown"] if event.shown and event.verb not in {"describe", "call"} else []
    told += [f"{event.tokens:,} tokens"] if event.tokens else []
    told += [f"{event.ms:,.0f} ms"]
    told += [f"place {link.rank} of row {link.seq}"] if link else []
    told += [event.rule] if event.rule else []
    told += [f"by {event.principal}"] if event.principal != "local" else []
    told += [f"session {event.session}"] if event.session else []
    return line.append(", ".join(told), "dim")
