"""`periplus`: the commands, and the one frame in which their problems become a sentence and an exit code."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from periplus.cli import (
    audit,
    calls,
    catalog,
    clients,
    conformance,
    console,
    demo,
    evaluation,
    grants,
    keys,
    login,
    memory,
    operate,
    search,
    sequences,
    serve,
    sources,
    workflows,
)
from periplus.cli.context import Choices
from periplus.model import Code, Problem

app = typer.Typer(
    name="periplus",
    help="From a goal to the right, validated, permitted, recorded call: one catalog over APIs of every kind.",
    no_args_is_help=True,
    rich_markup_mode=None,  # plain help: the ornamented one takes 0.2 s longer to print
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(f"periplus {version('periplus')}")
        raise typer.Exit


@app.callback()
def options(
    context: typer.Context,
    config: Annotated[str | None, typer.Option(help="Settings file; else ./periplus.toml.", show_default=False)] = None,
    data: Annotated[
        str | None, typer.Option(help="Data directory; else the platform's own.", show_default=False)
    ] = None,
    version: Annotated[  # noqa: ARG001 - handled by its callback
        bool | None, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = None,
) -> None:
    context.obj = Choices(config=config, data=data)


app.command()(sources.add)
app.add_typer(sources.app, name="sources")
app.command()(sources.sync)
app.command()(catalog.browse)
app.command()(search.search)
app.command()(search.index)
app.add_typer(memory.app, name="memory")
app.command("eval")(evaluation.evaluate)
app.command()(catalog.inspect)
app.command()(calls.call)
app.command()(calls.result)
app.command("run")(sequences.run)
app.add_typer(grants.approvals, name="approvals")
app.add_typer(grants.policy, name="policy")
app.add_typer(audit.app, name="audit")
app.command()(login.login)
app.add_typer(keys.app, name="keys")
app.command()(serve.serve)
app.command("client-config")(clients.client_config)
app.command()(operate.config)
app.command()(operate.doctor)
app.add_typer(workflows.app, name="workflows")
app.command()(conformance.conformance)
app.command()(demo.demo)


def run() -> None:
    """Run the command line; every problem leaves by here."""
    wants_json = "--json" in sys.argv
    try:
        app(prog_name="periplus")
    except Problem as problem:
        console.print_problem(problem, as_json=wants_json)
        sys.exit(problem.code.status.exit)
    except BrokenPipeError:
        sys.stderr.close()  # the reader of a pipe went away: nothing to say, and nobody to say it to
        sys.exit(Code.CANCELLED.status.exit)
