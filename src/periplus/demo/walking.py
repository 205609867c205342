"""The part of the tour in which two agents walk through a workflow: one leads and asks a person, one works."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.text import Text

from periplus.model import Problem
from periplus.settings import WorkflowSettings

if TYPE_CHECKING:
    from periplus.core.gateway import Gateway

WORKFLOWS = WorkflowSettings(dir=(str(Path(__file__).parent / "workflows"),), min_response_seconds=0)
_LEAD, _WORKER = "orchestrator", "worker-1"


class _Agent:
    """Sends operations with its newest token, and says what it does."""

    def __init__(self, out: Console, gateway: Gateway, name: str, token: str = "") -> None:
        self._out = out
        self._gateway = gateway
        self.name = name
        self.token = token

    async def ask(self, operation: str, **arguments: Any) -> dict[str, Any]:
        if self.token:
            arguments["session_token"] = self.token
        answer = await self._gateway.walk(operation, arguments)
        self.token = answer.token
        shown = {name: value for name, value in arguments.items() if name not in ("session_token", "workflow_id")}
        words = ", ".join(f"{name}={_short(value)}" for name, value in shown.items())
        self._out.print(Text.assemble((f"{self.name:13}", "bold"), (operation, "cyan"), f" {words}"))
        for warning in answer.warnings:
            self._out.print(Text(f"{'':13}! {warning}", style="yellow"))
        return answer.body

    async def try_to(self, operation: str, **arguments: Any) -> None:
        """An operation that is refused, and in which words."""
        try:
            await self.ask(operation, **arguments)
        except Problem as problem:
            self._out.print(
                Text.assemble((f"{self.name:13}", "bold"), (operation, "cyan"), (f" {problem.message}", "red"))
            )


async def walk(out: Console, gateway: Gateway) -> None:
    """A worker asks the tide, the gate waits for the owner, the worker asks the price, and the trace has it all."""
    lead = _Agent(out, gateway, _LEAD)
    await lead.ask("start_session", workflow_id="arrival", agent_id=_LEAD)
    await lead.ask("next_activity", activity_id="berth")
    worker = _Agent(out, gateway, _WORKER, lead.token)
    await worker.ask("start_session", workflow_id="arrival", agent_id=_WORKER)
    tide = await worker.ask("run_step", step_id="tide")
    await worker.try_to("next_activity", activity_id="price")
    shown = await lead.ask("get_checkpoint", activity_id="berth", checkpoint_id="berth-chosen")
    out.print(Text(f"{'':13}? {shown['message_text']}", style="bold yellow"))
    await lead.ask("respond_checkpoint", checkpoint_id="berth-chosen", option_id="yes")
    height = tide["result"]["height_m"]
    report = [{"step_id": "tide", "output": f"{height} m"}, {"step_id": "weigh", "output": "B4 is long enough"}]
    await lead.ask("next_activity", activity_id="price", transition_condition="default", step_manifest=report)
    await worker.ask("start_session", workflow_id="arrival")
    quoted = await worker.ask("run_step", step_id="quote")
    out.print(Text(f"{'':13}= {quoted['result']['total']} {quoted['result']['currency']}", style="green"))
    report = [{"step_id": "quote", "output": f"{quoted['result']['total']}"}]
    ended = await lead.ask("next_activity", activity_id="__terminal__", step_manifest=report)
    trace = await lead.ask("get_trace")
    visited, answers = len(ended["visited"]), len(ended["answers"])
    told = f"{trace['event_count']} events of one session, {visited} activities, {answers} answer"
    out.print(Text(f"{told}; each is in the trail", style="dim"))


def _short(value: Any) -> str:
    return value if isinstance(value, str) else f"{len(value)} steps" if isinstance(value, list) else str(value)
