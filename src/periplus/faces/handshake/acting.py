"""call_action, execute_sequence, list_aliases, clear_session: what runs, through the one door for calls."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from periplus.core.mending.lenient import Leniency
from periplus.core.verbs.remembering import Taken
from periplus.faces.handshake import landmarks, sequences, stored
from periplus.faces.handshake.faults import in_words
from periplus.faces.handshake.files import blocks_of
from periplus.faces.handshake.hygiene import Part, split
from periplus.faces.handshake.replies import Replies
from periplus.faces.handshake.results import compact, shown
from periplus.faces.handshake.turn import Turn
from periplus.model import Problem, Step
from periplus.ports import Reply
from periplus.settings import HandshakeSettings

Inner = Callable[[Turn, str, dict[str, Any]], Awaitable[Reply]]
"""Answers one of the nine inside another one."""


class Execution:
    """The tools that act. Each begins with the gate."""

    def __init__(self, settings: HandshakeSettings, replies: Replies, inner: Inner) -> None:
        self._replies = replies
        self._inner = inner
        self._leniency = Leniency(
            unknown=settings.unknown_parameters,
            repair=settings.repair == "lossless",
            placeholders=settings.placeholders,
        )

    async def call_action(self, turn: Turn) -> Reply:
        """One action: references, its name, what is wanted of its result, then the core's own checks (H-41)."""
        turn.gate()
        gateway, who, session = turn.gateway, turn.principal, turn.talk.name
        asked: dict[str, Any] = turn.given.get("parameters") or {}
        parameters = await gateway.filled(asked, principal=who, session=session)
        found = await landmarks.action(turn, await turn.site(), str(turn.given["action"]), parameters)
        if found.tool is None:
            raise await landmarks.unknown(turn, found.site, str(turn.given["action"]))
        arguments, part = split(found.tool, parameters, turn.given)
        step = Step(
            tool=str(found.tool.ref),
            arguments=arguments,
            name=str(turn.given.get("alias") or "").removeprefix("$"),
            select=part.select,
            filter=part.filter,
            limit=part.limit,
            offset=part.offset,
        )
        try:
            taken = await gateway.take(
                step,
                principal=who,
                session=session,
                approval=str(turn.given.get("approval_id") or turn.request.approval),
                leniency=self._leniency,
                idempotency_key=str(turn.given.get("idempotency_key") or ""),
                timeout_s=turn.given.get("timeout_seconds"),
                presented=turn.request.presented,
                progress=turn.request.progress,
                listener=turn.request.listener,
                refers=False,
                echoes=turn.settings.debug_echo,
            )
        except Problem as problem:
            seen = await gateway.seen([found.tool.ref], principal=who)
            raise in_words(problem, next(iter(seen), None), found.id, asked) from problem
        return await self._called(turn, found, part, taken)

    async def _called(self, turn: Turn, found: landmarks.Landmark, part: Part, taken: Taken) -> Reply:
        result = taken.result
        kept = taken.names[0] if taken.names else ""
        notes = (*turn.notes, *part.notes, *taken.notes)
        made = shown(result, part, kept, notes, turn.settings.result_chars)
        body: dict[str, Any] = {
            "status": "success",
            "action": found.id,
            "site": found.site.id,
            "data": made.data,
            "notes": list(made.notes),
            "page": made.page,
            "alias": taken.names[-1] if taken.names else None,
            "cache_ref": made.cache_ref or None,
            "http_code": result.meta.get("http_status"),
            "trace_id": result.trace,
        }
        body = {name: value for name, value in body.items() if value is not None or name == "data"}
        content = await blocks_of(turn, result)
        structured = self.structured(turn, body, made.text)
        return Reply(body=body | {"text": made.text}, text=made.text, structured=structured, content=content)

    @staticmethod
    def structured(turn: Turn, body: dict[str, Any], text: str) -> dict[str, Any] | None:
        """What programs get over MCP, as the operator wants it (H-39)."""
        match turn.settings.structured:
            case "off":
                return None
            case "full":
                return body
            case _:
                return compact(body, len(text))

    async def execute_sequence(self, turn: Turn) -> Reply:
        """Several, as one."""
        turn.gate()
        return await sequences.run(turn, self._leniency, self._inner)

    async def list_aliases(self, turn: Turn) -> Reply:
        """The names of stored results, or one of them."""
        path = str(turn.given.get("alias") or "")
        return await (stored.read(turn, path) if path.strip() else stored.listed(turn, self._replies))

    async def forget(self, turn: Turn) -> None:
        """Let go of stored results; the session's own part is cleared by the face."""
        if turn.talk.name:
            await turn.gateway.forget_values(principal=turn.principal, session=turn.talk.name)
