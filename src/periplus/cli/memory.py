"""`memory`: what searches have learned from use."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from periplus.cli import console
from periplus.cli.context import with_gateway
from periplus.model import LOCAL, Code, Principal, Problem

app = typer.Typer(help="Give out or erase what searches have learned from use.", no_args_is_help=True)

Tenant = Annotated[str, typer.Option(help="Of this tenant.")]


@app.command()
def export(context: typer.Context, tenant: Tenant = "") -> None:
    """Print all that is remembered as JSON: goals, the tools that were called after them, when, how strongly."""
    kept: bytes = with_gateway(context, lambda gateway: gateway.memories(principal=_member(tenant)))
    sys.stdout.write(kept.decode() + "\n")


@app.command()
def erase(
    context: typer.Context,
    tenant: Tenant = "",
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask whether that is meant.")] = False,
) -> None:
    """Forget it, for good."""
    if not (yes or (sys.stdin.isatty() and typer.confirm("Forget what searches have learned?"))):
        raise Problem(Code.BAD_INPUT, "nothing was forgotten", hints=("say --yes when that is meant",))
    with_gateway(context, lambda gateway: gateway.forget(principal=_member(tenant)))
    console.out().print("forgotten")


def _member(tenant: str) -> Principal:
    return Principal(id=LOCAL.id, tenant=tenant, scopes=LOCAL.scopes)
