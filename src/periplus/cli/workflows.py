"""`workflows`: what definitions say, what is wrong with them, and how sessions walk through them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from periplus.cli import console
from periplus.cli.context import AsJson, Choices, with_gateway
from periplus.model import LOCAL, Code, Problem

if TYPE_CHECKING:
    from periplus.core.gateway import Gateway
    from periplus.core.workflows.definition import Definition
    from periplus.core.workflows.problems import LoadProblem
    from periplus.core.workflows.record import Record
    from periplus.core.workflows.snapshot import Snapshot

app = typer.Typer(help="Look at workflow definitions and at sessions that walk through them.", no_args_is_help=True)
Directories = Annotated[
    list[str] | None, typer.Option("--workflows", help="A directory of definitions; may be repeated.")
]


@app.command("list")
def list_(context: typer.Context, workflows: Directories = None, as_json: AsJson = False) -> None:
    """List definitions, broken ones too."""

    async def work(gateway: Gateway) -> Snapshot:
        return await gateway.workflows.snapshot(LOCAL)

    snapshot = with_gateway(context, work, _lists(workflows))
    rows = [_row(one) for one in snapshot.listed()]
    if as_json:
        console.print_json(rows)
        return
    columns: list[tuple[str, dict[str, Any]]] = [("workflow", {"style": "cyan"}), ("version", {}), ("title", {})]
    columns += [("activities", {"justify": "right"}), ("status", {})]
    cells = [[row["id"], row["version"], row["title"], str(row["activities"]), _status(row)] for row in rows]
    console.out().print(console.table(columns, cells))


def _row(one: Definition) -> dict[str, Any]:
    return {
        "id": one.id,
        "version": one.version,
        "title": one.title,
        "activities": len(one.activities),
        "status": "broken" if one.fatal else "ok",
        "problems": [problem.to_json() for problem in one.problems],
    }


def _status(row: Mapping[str, Any]) -> str:
    counts = {level: sum(one["severity"] == level for one in row["problems"]) for level in ("error", "warning")}
    told = [f"{count} {level}{'s' if count > 1 else ''}" for level, count in counts.items() if count]
    start = "can be started" if counts["error"] and row["status"] == "ok" else row["status"]
    return ", ".join([start, *told])


@app.command()
def check(
    context: typer.Context,
    directory: Annotated[list[str] | None, typer.Argument(help="Directories; else those of the settings.")] = None,
    as_json: AsJson = False,
) -> None:
    """Read definitions and list all that is wrong with them; errors make it fail."""
    from periplus.app.workflows import workflow_parts

    choices: Choices = context.obj
    settings = choices.with_flags({}, {"workflow.dir": [str(Path(one)) for one in directory or ()] or None})
    snapshot = workflow_parts(settings.workflow).library.look()
    problems = snapshot.problems()
    if as_json:
        console.print_json([problem.to_json() for problem in problems])
    else:
        _print_problems(snapshot, problems)
    errors = [problem for problem in problems if problem.severity == "error"]
    if errors:
        files = ", ".join(dict.fromkeys(one.file for one in errors))
        said = f"{len(errors)} error{'s' if len(errors) > 1 else ''} in {files}"
        raise Problem(Code.DEFINITION_BROKEN, said, hints=("mend what is marked as error above",))


def _print_problems(snapshot: Snapshot, problems: Sequence[LoadProblem]) -> None:
    from periplus.cli.drawing import print_problems

    print_problems(problems)
    whole = [one for one in snapshot.listed() if not one.fatal]
    console.out().print(f"{len(whole)} of {len(snapshot.listed())} workflows can be started", markup=False)


@app.command()
def show(
    context: typer.Context,
    name: Annotated[str, typer.Argument(help="A workflow, or a session by its id.")],
    workflows: Directories = None,
    as_json: AsJson = False,
) -> None:
    """Show a workflow, or a session with all it remembers."""

    async def work(gateway: Gateway) -> tuple[Definition | None, dict[str, Any]]:
        definition = (await gateway.workflows.snapshot(LOCAL)).find(name)
        return definition, {} if definition else await gateway.workflows.session(LOCAL, name)

    definition, session = with_gateway(context, work, _lists(workflows))
    if definition is not None:
        from periplus.cli.drawing import print_definition

        console.print_json(_whole(definition)) if as_json else print_definition(definition)
    elif as_json:
        console.print_json(session)
    else:
        from periplus.cli.drawing import print_session

        print_session(session)


def _whole(definition: Definition) -> dict[str, Any]:
    activities = [one.body for one in definition.activities.values() if one.part]
    return definition.body | {"activities": activities, "problems": [one.to_json() for one in definition.problems]}


@app.command()
def graph(
    context: typer.Context,
    name: Annotated[str, typer.Argument(help="A workflow, or a session: then it is drawn where it stands.")],
    svg: Annotated[Path | None, typer.Option(help="Write a picture to this file.", show_default=False)] = None,
    workflows: Directories = None,
    as_json: AsJson = False,
) -> None:
    """Draw a workflow on the terminal or as a picture; of a session, with its way so far."""
    from periplus.core.workflows.graph import graph_of

    async def work(gateway: Gateway) -> tuple[Definition, Record | None]:
        return await gateway.workflows.drawn(LOCAL, name)

    definition, record = with_gateway(context, work, _lists(workflows))
    choices: Choices = context.obj
    made = graph_of(definition, choices.settings.workflow.terminal_targets, record)
    if as_json:
        console.print_json(made)
    elif svg is not None:
        _write(svg, made)
    else:
        from periplus.cli.drawing import print_graph

        print_graph(made)


def _write(file: Path, made: Any) -> None:
    from periplus.core.workflows.picture import svg

    try:
        file.write_text(svg(made), "utf-8")
    except OSError as error:
        raise Problem(
            Code.BAD_INPUT, f"{file} cannot be written: {error.strerror}", hints=("name another file",)
        ) from error
    console.out().print(f"{file}: {len(made.nodes)} activities, {len(made.edges)} ways", markup=False)


@app.command()
def sessions(
    context: typer.Context,
    limit: Annotated[int, typer.Option(help="How many, the last used first.", min=1)] = 50,
    as_json: AsJson = False,
) -> None:
    """List sessions, the last used first."""
    rows = with_gateway(context, lambda gateway: gateway.workflows.sessions(LOCAL, limit))
    if as_json:
        console.print_json(rows)
        return
    columns: list[tuple[str, dict[str, Any]]] = [("session", {"style": "cyan"}), ("workflow", {}), ("activity", {})]
    columns += [("open", {"justify": "right"}), ("status", {}), ("by", {})]
    cells = [
        [one["sid"], one["workflow"], one["activity"] or "-", str(len(one["pending"])), one["status"], one["principal"]]
        for one in rows
    ]
    console.out().print(console.table(columns, cells))


@app.command()
def trace(
    context: typer.Context, sid: Annotated[str, typer.Argument(help="A session by its id.")], as_json: AsJson = False
) -> None:
    """Print what happened in a session, oldest first."""

    async def work(gateway: Gateway) -> list[dict[str, Any]]:
        whole: list[dict[str, Any]] = (await gateway.workflows.session(LOCAL, sid))["timeline"]
        return whole

    events = with_gateway(context, work)
    if as_json:
        console.print_json(events)
        return
    from periplus.cli.drawing import print_trace

    print_trace(events)


def _lists(workflows: list[str] | None) -> dict[str, list[str] | None]:
    return {"workflow.dir": workflows or None}
