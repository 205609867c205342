"""The part of the tour that does something: a berth is quoted and reserved, a person agrees, the trail has it all."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.text import Text

from periplus.model import Action, Approval, Code, EventFilter, Policy, Principal, Problem, Rule, Verdict

if TYPE_CHECKING:
    from periplus.core.gateway import Gateway

AGENT = Principal(id="agent", scopes=frozenset({"crew"}))
MASTER = Principal(id="harbour-master", scopes=frozenset({"admin"}))
POLICY = Policy(
    rules=(
        Rule(
            verdict=Verdict.ASK,
            principal=("scope:crew",),
            action=(Action.CALL,),
            tools=("harbour/berths/reserve*",),
            reason="the harbour master signs for every berth",
        ),
        Rule(
            verdict=Verdict.DENY, principal=("agent",), tools=("node:harbour/pilots",), reason="the rota is not public"
        ),
    )
)
_BOOKING: dict[str, Any] = {"code": "B4", "date": "2031-05-02", "ship": {"name": "Argo", "length_m": 36.0}}


async def book(out: Console, gateway: Gateway) -> None:
    """An agent looks at the tide, quotes a berth, asks for it, waits for a person, and has it."""
    high = (await gateway.call("next_high_water", {"station": "bar"}, principal=AGENT)).value
    out.print(
        Text(f"next_high_water gives {high['height_m']} m on the bar in {high['in_hours']} h, says an MCP server")
    )
    quote = await gateway.call("quoteBerth", {"code": "B4", "length_m": 36, "nights": 2}, principal=AGENT)
    out.print(Text(f"quoteBerth gives {quote.value['total']} {quote.value['currency']} for 2 nights at B4"))
    wrong = await _refusal(gateway, _BOOKING | {"nigths": 2})
    out.print(_problem(wrong))
    for hint in wrong.hints:
        out.print(Text(f"  → {hint}"))
    asked = await _refusal(gateway, _BOOKING)
    out.print(_problem(asked))
    granted = await gateway.grant(asked.details["approval"], principal=MASTER, why="the Argo is expected")
    out.print(Text(f"granted by {granted.settled_by}: {granted.settled_why}", style="green"))
    made = await gateway.call("reserveBerth", _BOOKING, principal=AGENT, approval=granted.id, select="id,code,date")
    out.print(Text(f"reserveBerth gives {made.value}"))
    again = await _refusal(gateway, _BOOKING, granted)
    out.print(_problem(again))


async def tell(out: Console, gateway: Gateway) -> None:
    """What the trail has of it."""
    for row in await gateway.trail.latest(EventFilter(subject="harbour/berths/reserveBerth"), limit=6):
        event = row.event
        style = "green" if event.outcome in {"ok", "granted"} else "yellow"
        who = (f"{event.principal:15}", "bold")
        out.print(Text.assemble((f"{event.verb:9}", "dim"), who, (f"{event.outcome:18}", style), (event.rule, "dim")))


async def _refusal(gateway: Gateway, arguments: dict[str, Any], approval: Approval | None = None) -> Problem:
    try:
        await gateway.call("reserveBerth", arguments, principal=AGENT, approval=approval.id if approval else "")
    except Problem as problem:
        return problem
    raise Problem(Code.INTERNAL, "the demo expected this call to be refused")


def _problem(problem: Problem) -> Text:
    return Text.assemble((f"{problem.code.value}: ", "bold red"), problem.message)
