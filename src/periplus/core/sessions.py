"""What conversations remember: a slot for each face, and which schemas they have been shown."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from periplus.core.audit import Note
from periplus.model import Code, Event, Principal, Problem, Session, Tool
from periplus.ports import Clock, Sessions

SHOWN = "shown"
"""The slot of schemas that were shown: ref -> [schema hash, when]. It is the core's, all faces read it (E-32)."""

_MOST_SHOWN = 1000
_TRIES = 10
_LONGEST = 256

Slot = dict[str, Any]


class Conversations:
    """Sessions by name; a name belongs to its principal, the same name from another is another session."""

    def __init__(self, sessions: Sessions, clock: Clock, idle_s: float) -> None:
        self._sessions = sessions
        self._clock = clock
        self._idle_s = idle_s

    async def load(self, principal: Principal, name: str) -> Session:
        """The session as it is stored; an empty one of version 0 where there is none."""
        _check(name)
        found = await self._sessions.session(principal, name, self._clock.now(), self._idle_s)
        return found or Session(id=name, principal=principal.id, tenant=principal.tenant)

    async def peek(self, principal: Principal, name: str) -> Session:
        """The session as it is stored, for whoever writes it next: that will be the use."""
        _check(name)
        found = await self._sessions.peek(principal, name, self._clock.now(), self._idle_s)
        return found or Session(id=name, principal=principal.id, tenant=principal.tenant)

    async def save(self, session: Session) -> Session:
        """Write a session that was loaded; `conflict` when somebody wrote it meanwhile."""
        return await self._sessions.save(session, self._clock.now(), self._idle_s)

    async def advance(self, session: Session, event: Event) -> Session:
        """Write a session with the row of the trail that tells why: both, or neither with `conflict`."""
        return await self._sessions.advance(session, event, self._clock.now(), self._idle_s)

    async def owner(self, name: str) -> Principal | None:
        """Whose a session is, whoever asks."""
        return await self._sessions.owner(name)

    async def recent(self, principal: Principal | None, prefix: str, limit: int) -> Sequence[Session]:
        """Sessions whose name begins so, the last used first; None: everybody's."""
        return await self._sessions.recent(principal, prefix, limit)

    async def change(
        self, principal: Principal, name: str, slot: str, edit: Callable[[Slot], Slot], note: Note | None = None
    ) -> Session:
        """Change one slot whatever others do meanwhile: `edit` is asked anew when they were first.

        With the `note` of what it belongs to, which says all it has to say, that is written in the same transaction.
        """
        for _ in range(_TRIES):
            session = await self.peek(principal, name)
            before = session.slots.get(slot, {})
            after = edit(dict(before))
            if after == before:
                return await self.load(principal, name)
            try:
                changed = msgspec.structs.replace(session, slots=session.slots | {slot: after})
                return await (self._told(changed, note) if note and note.is_kept else self.save(changed))
            except Problem as problem:
                if problem.code is not Code.CONFLICT:
                    raise
        raise Problem(
            Code.CONFLICT, f"session {name!r} is written by many at once", hints=("try again",), retryable=True
        )

    async def _told(self, session: Session, note: Note) -> Session:
        event = note.so_far()
        saved = await self.advance(session, event)
        note.is_written(event)
        return saved

    async def end(self, principal: Principal, name: str) -> None:
        """Forget it."""
        await self._sessions.end(principal, name)

    async def remember_shown(self, principal: Principal, name: str, tool: Tool, note: Note) -> None:
        """This conversation has read this schema of this tool, and the trail says so: both, or neither."""
        now = self._clock.now()

        def edit(slot: Slot) -> Slot:
            shown = {ref: told for ref, told in slot.items() if ref != str(tool.ref)}
            newest = list(shown.items())[1 - _MOST_SHOWN :]
            return dict(newest) | {str(tool.ref): [tool.schema_hash, now]}

        await self.change(principal, name, SHOWN, edit, note)

    async def shown(self, principal: Principal, name: str, tool: Tool, within_s: float) -> str | None:
        """The hash of the schema that this conversation has read lately; None when it has read none."""
        told = (await self.load(principal, name)).slots.get(SHOWN, {}).get(str(tool.ref))
        if told is None or self._clock.now() - float(told[1]) > within_s:
            return None
        return str(told[0])


def _check(name: str) -> None:
    if not name or len(name) > _LONGEST:
        raise Problem(Code.BAD_INPUT, f"a session's name has 1 to {_LONGEST} characters", hints=("shorten it",))
