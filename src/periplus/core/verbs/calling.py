"""The verb call: the one door through which anything runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from periplus.core.calls.asked import Asked
from periplus.core.calls.leave import Leave, Wanted
from periplus.core.calls.reading import MustRead
from periplus.core.mending.lenient import STRICT, Leniency
from periplus.core.sequence.templates import template
from periplus.core.shaping.cut import size_of
from periplus.core.shaping.shape import shape_of
from periplus.core.wired import Wired
from periplus.model import LOCAL, Approval, Principal, Result, Step
from periplus.ports import Dialogue, Listener, no_progress
from periplus.ports.transports import Progress


class CallVerbs(Wired):
    """Calls and their results."""

    async def call(  # noqa: PLR0913 - each says one thing about a call
        self,
        tool: str,
        arguments: Mapping[str, Any] | None = None,
        *,
        principal: Principal = LOCAL,
        session: str = "",
        approval: str = "",
        leave: Leave | None = None,
        must_read: MustRead | None = None,
        idempotency_key: str = "",
        timeout_s: float | None = None,
        select: str | Sequence[str] = "",
        filter: str | Mapping[str, Any] = "",  # noqa: A002 - the word every face has for it
        limit: int | None = None,
        offset: int = 0,
        keep: bool = False,
        budget: int | None = None,
        leniency: Leniency = STRICT,
        dialogue: Dialogue | None = None,
        presented: Mapping[str, str] | None = None,
        progress: Progress = no_progress,
        listener: Listener | None = None,
    ) -> Result:
        """Call a tool: validated, permitted, sent, shaped and recorded, in this order.

        Where a person has to agree it is refused with `approval_required`; the same call with the granted
        `approval` runs once. `must_read` refuses a call whose schema was not read lately. `select`, `filter`,
        `limit` and `offset` say how much of the result is wanted; what is left out or does not fit in `budget`
        characters stays under the result's `handle` (`keep`: always). Under one `idempotency_key` a call is made
        once, and its answer given again. `leniency` says what is forgiven of the arguments. `dialogue` is for
        callers that speak MCP themselves: they get results of MCP servers as those came, and what servers ask.
        `presented` are headers of the caller's own request, for credentials that pass them on or exchange their
        token; nothing else reads them. `listener` hears what an MCP server logs meanwhile, where it says so of this
        call and of no other.
        """
        asked = Asked(
            tool=tool,
            arguments=cast("dict[str, Any]", {} if arguments is None else arguments),  # looked at first of all
            principal=principal,
            session=session,
            approval=approval,
            leave=leave,
            must_read=must_read,
            idempotency_key=idempotency_key,
            timeout_s=timeout_s,
            shape=shape_of(select, filter, limit, offset),
            keep=keep,
            budget=budget,
            leniency=leniency,
            dialogue=dialogue,
            presented={name.lower(): text for name, text in (presented or {}).items()},
            progress=progress,
            listener=listener,
        )
        judge, sources = await self._standing.judge_and_sources(principal)
        return await self._calls.call(asked, judge, sources)

    async def result(  # noqa: PLR0913 - as for a call
        self,
        handle: str,
        *,
        principal: Principal = LOCAL,
        select: str | Sequence[str] = "",
        filter: str | Mapping[str, Any] = "",  # noqa: A002 - as for a call
        limit: int | None = None,
        offset: int = 0,
        budget: int | None = None,
    ) -> Result:
        """Another part of a kept result, without asking its upstream again; `budget` is in characters."""
        shape = shape_of(select, filter, limit, offset)
        async with self._audit.event("call", principal) as note:
            note.add(op="result")
            part = await self._calls.answering.again(handle, shape, principal, budget)
            note.about(part.tool)
            note.weighed(size_of(part.value))
        return part

    async def progress(
        self, run: str, *, principal: Principal = LOCAL, session: str = "", presented: Mapping[str, str] | None = None
    ) -> Result:
        """How far a call is that goes on upstream, by the `run` of its result: its source's own answer to that."""
        asking = await self._calls.runs.progress(run, principal)
        asked = Asked(
            tool=str(asking.tool),
            arguments=asking.arguments,
            principal=principal,
            session=session,
            presented={name.lower(): text for name, text in (presented or {}).items()},
        )
        judge, sources = await self._standing.judge_and_sources(principal)
        return await self._calls.call(asked, judge.led_to(asking.tool), sources)

    async def file(self, handle: str, *, principal: Principal = LOCAL) -> tuple[bytes, dict[str, Any]]:
        """The bytes of a file that a result names, and what is said of it."""
        async with self._audit.event("call", principal) as note:
            note.add(op="file")
            data, said = await self._calls.results.file(handle, principal)
            note.add(**said)
        return data, said

    async def ask(self, steps: Sequence[Step], *, principal: Principal = LOCAL) -> Approval | None:
        """One question to a person for all of these calls that need one; None when none does.

        Arguments may hold references (`$name`) to results that are not there yet: what is bound is what is written.
        """
        async with self._audit.event("grant", principal, _tools(steps)) as note:
            note.add(op="ask")
            judge, sources = await self._standing.judge_and_sources(principal)
            seen = await self._calls.several.seen(_wanted(steps), judge, sources)
            approval = await self._calls.several.ask(seen, judge)
            if approval:
                note.ended(approval.state.value)
                note.add(approval=approval.id)
        return approval

    async def leave(self, approval: str, steps: Sequence[Step], *, principal: Principal = LOCAL) -> Leave:
        """Use the approval of several calls, once: give what this returns as `leave` with each of them."""
        async with self._audit.event("grant", principal, _tools(steps)) as note:
            note.add(op="leave", approval=approval)
            judge, sources = await self._standing.judge_and_sources(principal)
            seen = await self._calls.several.seen(_wanted(steps), judge, sources)
            return await self._calls.several.leave(approval, seen, judge)

    def drift(self) -> dict[str, int]:
        """How often results were not what their tools declare, by tool, since this process began (S-75)."""
        return dict(self._calls.answering.drift)


def _wanted(steps: Sequence[Step]) -> list[Wanted]:
    return [Wanted(tool=step.tool, arguments=template(step.arguments, lambda _: True)) for step in steps]


def _tools(steps: Sequence[Step]) -> str:
    return ", ".join(step.tool for step in steps)
