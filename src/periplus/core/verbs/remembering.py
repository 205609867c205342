"""Calls that leave their values to a conversation, by name, and those values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from periplus.core.calls.asked import Asked
from periplus.core.mending.lenient import STRICT, Leniency
from periplus.core.sequence.names import check_name
from periplus.core.sequence.plan import nobody
from periplus.core.sequence.references import read_path
from periplus.core.sequence.shelf import LAST, Shelf
from periplus.core.sequence.templates import template
from periplus.core.sequence.values import New
from periplus.core.sequence.walking import value_at
from periplus.core.shaping.cut import size_of
from periplus.core.shaping.shape import shape_of
from periplus.core.wired import Wired
from periplus.model import LOCAL, Code, Principal, Problem, Result, Step
from periplus.ports import Listener, no_progress
from periplus.ports.transports import Progress

_WHOLE = 1 << 62


class Taken(msgspec.Struct, frozen=True, kw_only=True):
    """One call of a conversation: its whole result, and what its value is called from now on."""

    result: Result
    names: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


class ValueVerbs(Wired):
    """Values by name."""

    async def take(  # noqa: PLR0913 - as for a call
        self,
        step: Step,
        *,
        principal: Principal = LOCAL,
        session: str = "",
        approval: str = "",
        leniency: Leniency = STRICT,
        idempotency_key: str = "",
        timeout_s: float | None = None,
        presented: Mapping[str, str] | None = None,
        progress: Progress = no_progress,
        listener: Listener | None = None,
        refers: bool = True,
        echoes: bool = False,
    ) -> Taken:
        """One call of a conversation: its arguments may refer to values there, and its own becomes one of them.

        The value is known as `$rN`, `N` counting up, as `$last` and by the step's own name. The result is not cut.
        Where references were `filled` in before, it is said with `refers`, so that nothing is read twice. `echoes`
        puts the request as it went out into the result's `meta`.
        """
        if step.fault is not None:
            raise step.fault
        if step.name:
            check_name(step.name)
        shape = shape_of(step.select, step.filter, step.limit, step.offset)
        asked = Asked(
            tool=step.tool,
            arguments=await self.filled(step.arguments, principal=principal, session=session)
            if refers
            else step.arguments,
            principal=principal,
            session=session,
            approval=approval,
            idempotency_key=idempotency_key,
            timeout_s=timeout_s,
            shape=shape,
            stays=bool(session),
            budget=_WHOLE,
            leniency=leniency,
            echoes=echoes,
            presented={name.lower(): text for name, text in (presented or {}).items()},
            progress=progress,
            listener=listener,
        )
        judge, sources = await self._standing.judge_and_sources(principal)
        result = await self._calls.call(asked, judge, sources)
        if not session:
            lost = (f"there is no session to keep ${step.name} in",) if step.name else ()
            return Taken(result=result, notes=lost)
        return await self._kept(result, step.name, principal, session, is_whole=shape.is_whole)

    async def filled(
        self, arguments: dict[str, Any], *, principal: Principal = LOCAL, session: str = ""
    ) -> dict[str, Any]:
        """Arguments with the values of a conversation in the place of their names, once."""
        made = template(arguments, lambda _: True)
        if made.is_settled:
            plain: dict[str, Any] = made.value
            return plain
        shelf = await self._values.shelf(principal, session)
        made = template(arguments, lambda name: shelf.found(name) is not None)
        values = await self._values.read(principal, shelf, [one.name for one in made.references])
        for one in made.references:
            if one.name not in values:
                raise nobody(one, list(shelf.names))
        filled: dict[str, Any] = made.filled(lambda one: value_at(one, values[one.name])).value
        return filled

    async def _kept(self, result: Result, name: str, principal: Principal, session: str, *, is_whole: bool) -> Taken:
        chosen = (name,) if name else ()
        tool = str(result.tool)
        if is_whole:
            news = [New(tool=tool, value=result.value, names=chosen, is_numbered=True, handle=result.handle)]
        else:
            whole = await self._calls.results.whole(result.handle, principal)
            news = [New(tool=tool, value=whole.value, is_numbered=True, handle=result.handle)]
            news += [New(tool=tool, value=result.value, names=chosen)] if chosen else []
        kept = await self._values.remember(principal, session, news)
        return Taken(result=result, names=tuple(one for names in kept.names for one in names), notes=kept.notes)

    async def values(self, *, principal: Principal = LOCAL, session: str) -> Shelf:
        """The names of a conversation's values, and what each looks like."""
        return await self._values.shelf(principal, session)

    async def value(  # noqa: PLR0913 - as for a result
        self,
        path: str,
        *,
        principal: Principal = LOCAL,
        session: str,
        select: str | Sequence[str] = "",
        filter: str | Mapping[str, Any] = "",  # noqa: A002 - as for a call
        limit: int | None = None,
        offset: int = 0,
        budget: int | None = None,
    ) -> Result:
        """A conversation's value, or what a path in it leads to (`recs[0:20].id`); no upstream is asked."""
        shape = shape_of(select, filter, limit, offset)
        async with self._audit.event("call", principal, session=session) as note:
            note.add(op="value", path=path[:200])
            shelf = await self._values.shelf(principal, session)
            reference = read_path(path)
            if reference is None:
                raise Problem(
                    Code.BAD_INPUT, f"not a name or a path: {path[:120]!r}", hints=("write recs, or recs[0:20].id",)
                )
            values = await self._values.read(principal, shelf, [reference.name])
            if reference.name not in values:
                raise nobody(reference, list(shelf.names))
            named = shelf.names[shelf.last if reference.name == LAST else reference.name]
            note.about(named.tool)
            whole = value_at(reference, values[reference.name])
            part = self._calls.answering.part(whole, shape, named.tool, named.handle, budget)
            note.weighed(size_of(part.value))
        return part

    async def forget_values(self, *, principal: Principal = LOCAL, session: str) -> int:
        """Forget a conversation's values; how many names they had."""
        async with self._audit.event("call", principal, session=session) as note:
            note.add(op="forget")
            return await self._values.forget(principal, session)
