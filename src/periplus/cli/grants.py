"""`approvals` and `policy`: who may do what, and who said so."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from periplus.cli import console
from periplus.cli.context import AsJson, with_gateway
from periplus.model import Action, Approval, ApprovalState, Effect, Principal, Verdict

if TYPE_CHECKING:
    from periplus.core.gateway import Gateway
    from periplus.core.policy import Explanation

approvals = typer.Typer(help="List, grant and refuse what calls wait for.", invoke_without_command=True)
policy = typer.Typer(help="What the policy says to whom.", no_args_is_help=True)

_VERDICT = {Verdict.ALLOW: "green", Verdict.ASK: "yellow", Verdict.DENY: "red"}
AnApproval = Annotated[str, typer.Argument(help="Its id: ap_...")]
AReason = Annotated[str, typer.Option(help="Why; it is kept, and told to whoever asked.")]


@approvals.callback()
def list_approvals(
    context: typer.Context,
    every: Annotated[bool, typer.Option("--all", help="Answered ones, too.")] = False,
    as_json: AsJson = False,
) -> None:
    """List what waits for a person."""
    if context.invoked_subcommand is None:
        _list(context, every=every, as_json=as_json)


@approvals.command("list")
def list_again(
    context: typer.Context,
    every: Annotated[bool, typer.Option("--all", help="Answered ones, too.")] = False,
    as_json: AsJson = False,
) -> None:
    """List what waits for a person."""
    _list(context, every=every, as_json=as_json)


def _list(context: typer.Context, *, every: bool, as_json: bool) -> None:
    state = None if every else ApprovalState.PENDING
    found = list(with_gateway(context, lambda gateway: gateway.approvals(state=state)))
    if as_json:
        console.print_json([_told(one) for one in found])
        return
    if not found:
        console.out().print("nothing waits for an answer", markup=False)
    for one in found:
        _print(one)


@approvals.command()
def grant(context: typer.Context, approval: AnApproval, why: AReason = "", as_json: AsJson = False) -> None:
    """Agree: the same call with this approval then runs once."""
    _settled(with_gateway(context, lambda gateway: gateway.grant(approval, why=why)), as_json=as_json)


@approvals.command()
def refuse(context: typer.Context, approval: AnApproval, why: AReason = "", as_json: AsJson = False) -> None:
    """Do not agree."""
    _settled(with_gateway(context, lambda gateway: gateway.refuse(approval, why=why)), as_json=as_json)


def _settled(approval: Approval, *, as_json: bool) -> None:
    if as_json:
        console.print_json(_told(approval))
    else:
        _print(approval)


def _told(approval: Approval) -> dict[str, Any]:
    """An approval without what only the gateway itself needs."""
    told: dict[str, Any] = console.plain(approval)
    return {name: value for name, value in told.items() if name not in {"binding", "grant"}}


def _print(approval: Approval) -> None:
    from rich.text import Text

    out = console.out()
    style = console.EFFECT_STYLE[Effect.of(approval.effect) or Effect.WRITE]
    head = ((f"{approval.id}  ", "bold"), (f"{approval.state.value:8}  ", "dim"), (approval.tool, "cyan"), "  ")
    out.print(Text.assemble(*head, (approval.effect, style)), soft_wrap=True)
    why = f"{approval.rule}{f': {approval.reason}' if approval.reason else ''}"
    out.print(Text.assemble("    asked by ", (approval.principal, "bold"), f"; {why}"), soft_wrap=True)
    for name, value in approval.arguments.items():
        out.print(Text.assemble((f"    {name} = ", "dim"), console.json_line(value)), soft_wrap=True)
    if approval.settled_by:
        told = f": {approval.settled_why}" if approval.settled_why else ""
        answer = "refused" if approval.state is ApprovalState.REFUSED else "granted"
        out.print(Text(f"    {answer} by {approval.settled_by}{told}", style="dim"), soft_wrap=True)


@policy.command()
def check(
    context: typer.Context,
    tool: Annotated[str, typer.Argument(help="A tool, by any of its names.")],
    principal: Annotated[str, typer.Option("--as", help="Who asks.")],
    arguments: Annotated[
        str, typer.Option("--args", help="Arguments as JSON: rules on them and on the request speak, too.")
    ] = "",
    tenant: Annotated[str, typer.Option(help="The tenant of who asks.")] = "",
    scope: Annotated[list[str] | None, typer.Option(help="A scope of who asks; repeat it.", show_default=False)] = None,
    action: Annotated[Action, typer.Option(help="What they want to do.")] = Action.CALL,
    as_json: AsJson = False,
) -> None:
    """Explain what a principal may do with a tool, and which rule decides. Nothing is called."""
    import msgspec

    from periplus.model import Code, Problem

    try:
        given = msgspec.json.decode(arguments, type=dict[str, Any]) if arguments else None
    except msgspec.DecodeError as error:
        raise Problem(Code.BAD_INPUT, f"--args is no JSON object: {error}", hints=("write '{\"name\": 1}'",)) from error
    who = Principal(id=principal, tenant=tenant, scopes=frozenset(scope or ()))

    def work(gateway: Gateway) -> Any:
        return gateway.policy_check(tool, principal=who, arguments=given, action=action)

    told: Explanation = with_gateway(context, work)
    if as_json:
        console.print_json(told)
    else:
        _print_explanation(told)


def _print_explanation(told: Explanation) -> None:
    from rich.text import Text

    out, decision = console.out(), told.decision
    why = f": {decision.reason}" if decision.reason else ""
    style = f"bold {_VERDICT[decision.verdict]}"
    out.print(Text.assemble((decision.verdict.value, style), f" by {decision.rule}{why}"), soft_wrap=True)
    for one in told.considered:
        spoke = ("speaks", _VERDICT[one.verdict]) if not one.silent else (one.silent, "dim")
        out.print(Text.assemble(f"  {one.rule} ({one.verdict.value}): ", spoke), soft_wrap=True)
