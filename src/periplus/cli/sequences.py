"""`run`: several calls from a file, as one."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from periplus.cli import console
from periplus.cli.calls import read_file
from periplus.cli.context import AsJson, with_gateway
from periplus.model import Code, Outcome, Problem, Ran, StepState

if TYPE_CHECKING:
    from periplus.core.gateway import Gateway

_STYLE = {StepState.OK: "green", StepState.ERROR: "red", StepState.SKIPPED: "yellow", StepState.NOT_RUN: "dim"}


def run(
    context: typer.Context,
    file: Annotated[str, typer.Argument(help="Steps in YAML or JSON; - for stdin.")],
    value: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=VALUE", help="A value that steps know as $NAME; JSON where it is some."),
    ] = None,
    approval: Annotated[str, typer.Option(help="The approval that was granted for these steps.")] = "",
    approve: Annotated[
        str, typer.Option(metavar="WHY", help="Approve them yourself where a person has to, and say why.")
    ] = "",
    timeout: Annotated[float | None, typer.Option(help="Seconds they may take.", show_default=False)] = None,
    as_json: AsJson = False,
) -> None:
    """Run several calls in order, each knowing what earlier ones gave: the last value on stdout, the rest on stderr."""
    from periplus.core.sequence.written import read_steps
    from periplus.documents import decode

    steps = read_steps(decode(sys.stdin.buffer.read() if file == "-" else read_file(file), name=file).value)
    asked: dict[str, Any] = {"values": _values(value or []), "timeout_s": timeout}

    async def work(gateway: Gateway) -> Ran:
        agreed = approval
        while True:
            try:
                ran = await gateway.run(steps, approval=agreed, **asked)
            except Problem as problem:
                if problem.code is not Code.APPROVAL_REQUIRED or not approve:
                    raise
                waits = problem
            else:
                if ran.problem is None or ran.problem.code is not Code.APPROVAL_REQUIRED or not approve:
                    return ran
                waits = ran.problem
            agreed = (await gateway.grant(waits.details["approval"], why=approve)).id

    ran = with_gateway(context, work)
    if as_json:
        console.print_json({"steps": [_told(one) for one in ran.steps], "notes": ran.notes, "trace": ran.trace})
    else:
        _print(ran)
    if ran.failed:
        problem = ran.problem or next(one.problem for one in ran.steps if one.problem)
        raise problem


def _values(words: list[str]) -> dict[str, Any]:
    import msgspec

    made: dict[str, Any] = {}
    for word in words:
        name, equals, text = word.partition("=")
        if not equals or not name:
            raise Problem(Code.BAD_INPUT, f"not a value: {word[:80]!r}", hints=("write --value name=value",))
        try:
            made[name] = msgspec.json.decode(text)
        except msgspec.DecodeError:
            made[name] = text
    return made


def _print(ran: Ran) -> None:
    from rich.text import Text

    from periplus.core.sequence.outline import outline

    err = console.err()
    for one in ran.steps:
        shown = outline(one.value) if one.state is StepState.OK else str(one.problem or "")
        state = (one.state.value, _STYLE[one.state])
        line = Text.assemble(f"{one.number}  {one.name}  {one.tool}  ", state, f"  {one.ms:.0f} ms  {shown}")
        err.print(line, soft_wrap=True)
    for note in ran.notes:
        err.print(note, style="dim", markup=False, soft_wrap=True)
    done = [one for one in ran.steps if one.state is StepState.OK]
    if done:
        console.print_json(done[-1].value)


def _told(one: Outcome) -> dict[str, Any]:
    """A step as JSON; what it has not is left out."""
    more = {
        "problem": one.problem.to_json() if one.problem else None,
        "notes": one.result.notes if one.result and one.result.notes else None,
        "attempts": one.attempts if one.attempts > 1 else None,
        "items": [_told(item) for item in one.items] or None,
    }
    plain = {"step": one.number, "tool": one.tool, "name": one.name, "state": one.state.value, "ms": one.ms}
    value = {"value": one.value} if one.state is StepState.OK else {}
    return plain | value | {name: item for name, item in more.items() if item is not None}
