"""Workflows on a terminal: definitions, graphs, sessions and their traces."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from rich.text import Text

from periplus.cli import console

if TYPE_CHECKING:
    from periplus.core.workflows.definition import Definition
    from periplus.core.workflows.graph import Edge, Graph, Node
    from periplus.core.workflows.model import Activity
    from periplus.core.workflows.problems import LoadProblem

_SIGNS = {"ahead": "○", "here": "◉", "visited": "●", "skipped": "⊘", "broken": "✗"}
_SEVERITIES = {"error": "bold red", "warning": "yellow", "note": "dim"}
_STATES = {"here": "bold yellow", "visited": "green", "skipped": "dim", "broken": "red"}


def print_graph(graph: Graph) -> None:
    """Activities from the top, each with the ways out of it."""
    out = console.out()
    out.print(Text.assemble((graph.id, "bold cyan"), f" {graph.version}  {graph.title}"))
    wide = max((len(node.id) for node in graph.nodes), default=0)
    for node in graph.nodes:
        out.print(_node(node, wide), soft_wrap=True)
        ways = [edge for edge in graph.edges if edge.start == node.id]
        for edge in ways:
            out.print(_way(edge, wide, is_last=edge is ways[-1]), soft_wrap=True)


def _node(node: Node, wide: int) -> Text:
    style = _STATES.get(node.state.value, "")
    more = node.counts()
    line = Text.assemble(
        (f"{_SIGNS[node.state.value]} ", style), (f"{node.id:{wide}}", style or "bold"), f"  {node.name}"
    )
    return line.append(f"  {', '.join(more)}", "dim") if more else line


def _way(edge: Edge, wide: int, *, is_last: bool) -> Text:
    arrow = "↩" if edge.is_back else "→"
    why = edge.text or ("default" if edge.is_default else "")
    if edge.text and edge.is_default:
        why = f"{edge.text}, default"
    line = Text.assemble((f"{'└' if is_last else '├'}─{arrow} ", "dim"), f"{edge.end:{wide}}")
    return line.append(f"  {why}", "dim") if why else line


def print_definition(definition: Definition) -> None:
    """A workflow in short: what it is for, its variables, its activities and what they hold."""
    out = console.out()
    out.print(Text.assemble((definition.id, "bold cyan"), f" {definition.version}  {definition.title}"))
    if "description" in definition.body:
        out.print(definition.body["description"], markup=False)
    for variable in definition.body.get("variables", ()):
        default = f" = {console.json_line(variable['defaultValue'])}" if "defaultValue" in variable else ""
        said = f"  {variable['name']}: {variable['type']}{default}{' (required)' if variable['required'] else ''}"
        out.print(said, markup=False, style="dim")
    for loaded in definition.activities.values():
        if loaded.part:
            _print_activity(loaded.part)
        else:
            out.print(Text.assemble((f"{_SIGNS['broken']} {loaded.id}", "red")))
            print_problems(loaded.problems)
    told = {problem for loaded in definition.activities.values() if not loaded.part for problem in loaded.problems}
    print_problems([problem for problem in definition.problems if problem not in told])


def _print_activity(activity: Activity) -> None:
    out = console.out()
    out.print(Text.assemble((activity.id, "bold"), f"  {activity.name}"))
    for step in activity.steps:
        skill = f"  by {step.skill}" if step.skill else ""
        tool = f"  runs {step.binding.ref}" if step.binding else ""
        out.print(Text.assemble("  · ", step.id, (f"  {step.name}{skill}{tool}", "dim")), soft_wrap=True)
    for point in activity.checkpoints:
        options = ", ".join(option.id for option in point.options)
        out.print(Text.assemble("  ? ", (point.id, "yellow"), (f"  {options}", "dim")), soft_wrap=True)


def print_problems(problems: Iterable[LoadProblem]) -> None:
    """One line for each thing that is wrong with definitions, with its place."""
    out = console.out()
    for one in problems:
        place = f"{one.file}:{one.line}" if one.line else one.file
        severity = (f"{one.severity.value:8}", _SEVERITIES[one.severity.value])
        line = Text.assemble(severity, f"{one.code.value:25}", str(one))
        out.print(line.append(f"  ({place})", "dim"), soft_wrap=True)


def print_session(session: Mapping[str, Any]) -> None:
    """Where a session stands, what it knows, and what is open."""
    out = console.out()
    out.print(Text.assemble((session["sid"], "bold cyan"), f"  {session['workflow']} {session['version']}"))
    agents = f", agents {', '.join(session['agents'])}" if session["agents"] else ""
    out.print(f"{session['status']}, at {session['activity'] or 'the start'}, by {session['principal']}{agents}")
    for one in session["waiting"]:
        out.print(Text.assemble("  ? ", (one["id"], "yellow"), (f"  open since {one['issued']}", "dim")))
    for one in session["answers"]:
        how = one["option"] or "dismissed"
        out.print(Text.assemble("  ✓ ", f"{one['activity']}/{one['checkpoint']}", (f"  {how}, {one['how']}", "dim")))
    for name, value in session["variables"].items():
        shown = console.json_line(value["value"])
        out.print(Text.assemble("  = ", f"{name}: {shown}", (f"  by {value['source']}", "dim")), soft_wrap=True)
    for one in session["calls"]:
        out.print(Text.assemble("  ! ", f"{one['step']}: {one['tool']}", (f"  trace {one['trace']}", "dim")))


def print_trace(events: Sequence[Mapping[str, Any]]) -> None:
    """One line for each event, with what was decided and what was warned of."""
    out = console.out()
    for event in events:
        at = datetime.fromtimestamp(event["ts"], UTC).strftime("%Y-%m-%d %H:%M:%S")
        good = event["s"] == "ok"
        line = Text.assemble((f"{event['seq']:>4}  {at}  ", "dim"), (f"{event['name']:19}", "bold" if good else "red"))
        line.append(f"{event['act'] or '-':20}", "cyan")
        told = [f"by {event['aid']}"] if event["aid"] else []
        told += [console.json_line(event["d"])] if "d" in event else []
        told += [event["err"]] if "err" in event else []
        out.print(line.append("  ".join(told), "dim" if good else "red"), soft_wrap=True)
        for warning in event.get("vw", ()):
            out.print(Text.assemble("      ! ", (warning, "yellow")), soft_wrap=True)
