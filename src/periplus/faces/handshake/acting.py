"""call_action, execute_sequence and list_aliases: what runs, through the one door for calls."""

from __future__ import annotations

from periplus.faces.handshake.turn import Turn
from periplus.model import Code, Problem
from periplus.ports import Reply


class Execution:
    """The tools that act. Each begins with the gate."""

    async def call_action(self, turn: Turn) -> Reply:
        turn.gate()
        raise _not_yet("call_action")

    async def execute_sequence(self, turn: Turn) -> Reply:
        turn.gate()
        raise _not_yet("execute_sequence")

    async def list_aliases(self, turn: Turn) -> Reply:
        turn.given.get("alias")
        raise _not_yet("list_aliases")

    async def forget(self, turn: Turn) -> None:
        """Let go of stored results; the session's own part is cleared by the face."""


def _not_yet(name: str) -> Problem:
    return Problem(Code.UNSUPPORTED, f"{name} is not available", hints=("use another phase",))
