"""`add`, `sources`, `sync`: what the catalog is read from."""

from __future__ import annotations

import os
from pathlib import PurePath
from typing import TYPE_CHECKING, Annotated, Any

import typer

from periplus.cli import console
from periplus.cli.context import AsJson, with_gateway
from periplus.model import Code, Finding, LoadReport, Problem, Severity, SourceRecord, SourceState

if TYPE_CHECKING:
    from periplus.core.gateway import Gateway
    from periplus.core.intake.pins import Changed

app = typer.Typer(help="List, show, accept and remove sources.", invoke_without_command=True)

_STYLE = {Severity.ERROR: "red", Severity.WARNING: "yellow", Severity.NOTE: "dim"}
_STATE = {
    SourceState.OK: "green",
    SourceState.STALE: "yellow",
    SourceState.HELD: "yellow",
    SourceState.UNAVAILABLE: "red",
}
_SHOWN = 8


def add(
    context: typer.Context,
    source: Annotated[str, typer.Argument(help="A URL, a file, mcpServers JSON, or kind:... such as mcp:COMMAND.")],
    name: Annotated[str | None, typer.Option(help="What to call it; else made from its address.")] = None,
    as_json: AsJson = False,
) -> None:
    """Read an API into the catalog."""
    from periplus.app.locations import parse_location

    findings: list[Finding] = []
    specs = parse_location(source, name, findings=findings, environ=os.environ)

    async def work(gateway: Gateway) -> list[LoadReport]:
        reports: list[LoadReport] = []
        failed: Problem | None = None
        for spec in specs:
            with console.progress(spec.id or PurePath(spec.location).name, quiet=as_json) as progress:
                try:
                    reports.append(await gateway.connect(spec, progress=progress))
                except Problem as problem:
                    if len(specs) == 1:
                        raise
                    failed = problem
                    console.print_problem(problem, as_json=as_json)
        if failed and not reports:
            raise failed
        return reports

    for finding in findings:
        console.err().print(_finding(finding), soft_wrap=True)
    reports = with_gateway(context, work)
    _print_reports(reports if len(specs) > 1 else reports[0], as_json=as_json)


@app.callback()
def list_sources(context: typer.Context, as_json: AsJson = False) -> None:
    """List the sources with their state."""
    if context.invoked_subcommand is None:
        records = list(with_gateway(context, lambda gateway: gateway.sources()))
        if as_json:
            console.print_json([_line(record) for record in records])
        else:
            _print_records(records)


@app.command()
def show(context: typer.Context, name: str, as_json: AsJson = False) -> None:
    """Print a source's load report: what was read, skipped and why."""

    async def work(gateway: Gateway) -> tuple[SourceRecord, list[str]]:
        record = await gateway.source(name)
        return record, list(gateway.upstream_log(name))

    record, log = with_gateway(context, work)
    if as_json:
        console.print_json(_line(record) | {"report": record.report, "stderr": log})
        return
    _print_records([record])
    if record.report:
        print_report(record.report, full=True)
    for line in log:
        console.err().print(f"  stderr: {line}", markup=False)


@app.command()
def accept(
    context: typer.Context,
    name: str,
    tools: Annotated[list[str] | None, typer.Argument(help="Only these changed tools; else all.")] = None,
    as_json: AsJson = False,
) -> None:
    """Take what waits: a read that would remove most of a source's tools, or tools that changed (`sources diff`)."""

    async def work(gateway: Gateway) -> LoadReport | tuple[str, ...]:
        if (await gateway.source(name)).state is SourceState.HELD and not tools:
            return await gateway.sync(name, accept=True)
        return await gateway.accept(name, *(tools or ()))

    done = with_gateway(context, work)
    if isinstance(done, LoadReport):
        _print_reports(done, as_json=as_json)
    elif as_json:
        console.print_json({"accepted": list(done)})
    else:
        console.out().print("\n".join(f"accepted {ref}" for ref in done) or "nothing waits", markup=False)


@app.command()
def diff(context: typer.Context, name: str, as_json: AsJson = False) -> None:
    """Show how tools of a source that pins them differ from what was accepted."""
    found = list(with_gateway(context, lambda gateway: gateway.changed(name)))
    if as_json:
        console.print_json(found)
        return
    if not found:
        console.out().print("nothing has changed", markup=False)
    for one in found:
        _print_change(one)


def _print_change(one: Changed) -> None:
    import difflib

    from rich.text import Text

    out = console.out()
    state = ("quarantined", "red") if one.quarantined else ("marked", "yellow")
    out.print(Text.assemble((f"{one.tool}  ", "bold"), state), soft_wrap=True)
    before, after = (console.json_lines(side) for side in (one.was, one.now))
    for line in difflib.unified_diff(before, after, lineterm="", n=1):
        if not line.startswith(("---", "+++", "@@")):
            style = {"+": "green", "-": "red"}.get(line[0], "dim")
            out.print(Text(f"  {line}", style=style), soft_wrap=True)


@app.command()
def remove(context: typer.Context, name: str, as_json: AsJson = False) -> None:
    """Forget a source and its tools."""
    with_gateway(context, lambda gateway: gateway.disconnect(name))
    if as_json:
        console.print_json({"removed": name})
    else:
        console.out().print(f"removed {name}", markup=False)


def sync(
    context: typer.Context,
    source: Annotated[str | None, typer.Argument(help="Only this one; else all.")] = None,
    as_json: AsJson = False,
) -> None:
    """Read sources again; unchanged ones cost one request."""

    async def work(gateway: Gateway) -> tuple[list[LoadReport], list[tuple[str, Problem]]]:
        names = [source] if source else [record.id for record in await gateway.sources()]
        reports: list[LoadReport] = []
        failed: list[tuple[str, Problem]] = []
        for name in names:
            with console.progress(name, quiet=as_json) as progress:
                try:
                    reports.append(await gateway.sync(name, progress=progress))
                except Problem as problem:
                    failed.append((name, problem))
        return reports, failed

    reports, failed = with_gateway(context, work)
    if reports or not failed:
        _print_reports(reports[0] if source else reports, as_json=as_json)
    for _, problem in failed[:-1]:
        console.print_problem(problem, as_json=as_json)
    if failed:
        raise failed[-1][1]


def _line(record: SourceRecord) -> dict[str, Any]:
    return {
        "source": record.id,
        "kind": record.spec.kind,
        "state": record.state,
        "tools": record.tools,
        "areas": record.areas,
        "location": record.spec.location,
        "reason": record.reason,
        "revision": record.revision,
    }


def _print_records(records: list[SourceRecord]) -> None:
    from rich.text import Text

    if not records:
        console.out().print("no sources yet: periplus add URL, or a file, or kind:...", markup=False)
        return
    columns: list[tuple[str, dict[str, Any]]] = [
        ("source", {"style": "bold", "no_wrap": True}),
        ("kind", {}),
        ("tools", {"justify": "right"}),
        ("areas", {"justify": "right"}),
    ]
    rows = [
        (
            record.id,
            record.spec.kind,
            f"{record.tools:,}",
            f"{record.areas:,}",
            Text(record.state.value + (f": {record.reason}" if record.reason else ""), style=_STATE[record.state]),
            record.spec.location,
        )
        for record in records
    ]
    columns += [("state", {"overflow": "fold"}), ("location", {"overflow": "fold", "style": "dim"})]
    console.out().print(console.table(columns, rows))


def _print_reports(found: LoadReport | list[LoadReport], *, as_json: bool) -> None:
    """One report where one source was named, else a list: a program knows beforehand which it gets."""
    if as_json:
        console.print_json(found)
        return
    for report in found if isinstance(found, list) else [found]:
        print_report(report)


def print_report(report: LoadReport, *, full: bool = False) -> None:
    """A report in a few lines; all of its findings with `full`."""
    from rich.text import Text

    counts, console_ = report.counts, console.out()
    title = " ".join(str(report.document.get(key) or "") for key in ("title", "api_version")).strip()
    head = Text.assemble((report.source, "bold"), f"  {report.kind}  {title}")
    console_.print(head)
    if report.unchanged:
        console_.print(f"  unchanged: {counts.tools:,} tools in {counts.areas:,} areas")
    else:
        changed = f"{counts.added:,} added, {counts.changed:,} changed, {counts.removed:,} removed"
        kinds = ", ".join(f"{number:,} {kind}" for kind, number in report.changes.items())
        console_.print(
            f"  {counts.tools:,} tools in {counts.areas:,} areas from {counts.operations:,} operations, "
            f"{counts.skipped:,} skipped: {changed}{f' ({kinds})' if kinds else ''} in {report.ms:,} ms"
        )
    findings = report.problems if full else _worth_showing(report.problems)
    for finding in findings:
        console_.print(_finding(finding), soft_wrap=True)
    if (hidden := len(report.problems) - len(findings)) > 0:
        what = "finding" if hidden == 1 else "findings"
        console_.print(f"  and {hidden} more {what}: periplus sources show {report.source}", style="dim")


def _worth_showing(findings: tuple[Finding, ...]) -> list[Finding]:
    return [finding for finding in findings if finding.severity is not Severity.NOTE][:_SHOWN]


def _finding(finding: Finding) -> Any:
    from rich.text import Text

    what = f"{finding.operation}: " if finding.operation else ""
    line = Text.assemble(
        "  ",
        (f"{finding.severity.value:8}", _STYLE[finding.severity]),
        (f"{finding.code.value}  ", "cyan"),
        what,
        finding.message,
    )
    if finding.where:
        line.append(f"  ({finding.where})", style="dim")
    if finding.fix:
        line.append(f"\n           → {finding.fix}", style="dim")
    return line


__all__ = ["Code", "accept", "add", "app", "print_report", "remove", "show", "sync"]
