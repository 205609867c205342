"""The values that a conversation keeps by name: sealed results of its principal, found by nobody else (H-70)."""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Iterable, Sequence
from typing import Any

import anyio
import msgspec

from periplus.core.calls.results import Results
from periplus.core.seal import Seal
from periplus.core.sequence.outline import outline
from periplus.core.sequence.shelf import VALUE_BYTES, Named, Shelf, read_shelf, shelf_text
from periplus.core.sessions import Conversations
from periplus.core.shaping.cut import size_of
from periplus.model import Principal, Problem
from periplus.ports import Clock

SLOT = "values"
_KIB, _MIB = 1024, 1 << 20


class New(msgspec.Struct, frozen=True, kw_only=True):
    """A value to be remembered; `handle` where it is kept already."""

    tool: str
    value: Any
    names: tuple[str, ...] = ()
    is_numbered: bool = False
    handle: str = ""


class Remembered(msgspec.Struct, frozen=True, kw_only=True):
    """What the values are called now, one tuple for each, and what is to be said about it."""

    names: tuple[tuple[str, ...], ...] = ()
    notes: tuple[str, ...] = ()


class Values:
    """Values by name, for as long as their conversation."""

    def __init__(self, sessions: Conversations, results: Results, clock: Clock, seal: Seal, *, lasts_s: float) -> None:
        self._sessions = sessions
        self._results = results
        self._clock = clock
        self._seal = seal
        self._lasts_s = lasts_s

    async def shelf(self, principal: Principal, session: str) -> Shelf:
        """What is there; nothing where nobody can tell whose it would be."""
        if not session:
            return Shelf()
        return self._opened((await self._sessions.load(principal, session)).slots.get(SLOT, {}), principal, session)

    async def read(self, principal: Principal, shelf: Shelf, names: Iterable[str]) -> dict[str, Any]:
        """The values of these names; one that has ended meanwhile is not among them."""
        found: dict[str, Any] = {}
        by_handle: dict[str, Any] = {}
        for name in dict.fromkeys(names):
            named = shelf.found(name)
            if named is None:
                continue
            if named.handle not in by_handle:
                by_handle[named.handle] = await self._results.find(named.handle, principal)
            if (whole := by_handle[named.handle]) is not None:
                found[name] = whole.value
        return found

    async def remember(
        self, principal: Principal, session: str, news: Sequence[New], *, afresh: bool = False
    ) -> Remembered:
        """Keep values and give them their names; `afresh`: the steps before are forgotten."""
        if not session or not (news or afresh):
            return Remembered(names=tuple(one.names for one in news))
        kept = await self._kept(principal, news)
        named: list[tuple[str, ...]] = []
        before, after, gone = Shelf(), Shelf(), tuple[str, ...]()

        def edit(slot: dict[str, Any]) -> dict[str, Any]:
            nonlocal before, after, gone
            named.clear()
            shelf = before = self._opened(slot, principal, session)
            shelf = shelf.without_steps() if afresh else shelf
            for new, one in zip(news, kept, strict=True):
                names = new.names
                if new.is_numbered:
                    shelf, number = shelf.numbered()
                    names = (number, *names)
                shelf = shelf.put(names, one) if one else shelf
                named.append(names if one else ())
            after, gone = shelf.fitted()
            return self._sealed(after, principal, session)

        await self._sessions.change(principal, session, SLOT, edit)
        await self._results.drop(before.handles() - after.handles())
        return Remembered(names=tuple(named), notes=_notes(news, kept, gone))

    async def forget(self, principal: Principal, session: str) -> int:
        """Forget all of them; how many names there were."""
        shelf = await self.shelf(principal, session)
        if shelf.names:
            empty = self._sealed(Shelf(count=shelf.count), principal, session)
            await self._sessions.change(principal, session, SLOT, lambda _: empty)
            await self._results.drop(shelf.handles())
        return len(shelf.names)

    def _opened(self, slot: dict[str, Any], principal: Principal, session: str) -> Shelf:
        if not slot:
            return Shelf()
        try:
            found = read_shelf(self._seal.unlock(_purpose(principal, session), b64decode(slot["sealed"])))
        except Problem:
            return Shelf()  # the key that sealed it is gone, and with it the values
        return found.since(self._clock.now() - self._lasts_s)

    def _sealed(self, shelf: Shelf, principal: Principal, session: str) -> dict[str, Any]:
        return {"sealed": b64encode(self._seal.lock(_purpose(principal, session), shelf_text(shelf))).decode()}

    async def _kept(self, principal: Principal, news: Sequence[New]) -> list[Named | None]:
        """Where each of them lies now; None for one that is too large."""
        made: list[Named | None] = [None] * len(news)

        async def keep(place: int, new: New) -> None:
            size = size_of(new.value)
            if size > VALUE_BYTES:
                return
            handle = new.handle or self._results.new_handle()
            if not new.handle:
                await self._results.keep(handle, principal, new.tool, new.value, {}, stays=True)
            shown = outline(new.value)
            made[place] = Named(handle=handle, size=size, outline=shown, tool=new.tool, at=self._clock.now())

        async with anyio.create_task_group() as together:  # so that they share one commit
            for place, new in enumerate(news):
                together.start_soon(keep, place, new)
        return made


def _purpose(principal: Principal, session: str) -> str:
    return f"values\0{session}\0{principal.tenant}\0{principal.id}"


def _notes(news: Sequence[New], kept: Sequence[Named | None], gone: tuple[str, ...]) -> tuple[str, ...]:
    large = [
        f"{'the value' if not new.names else f'${new.names[-1]}'} has more than {VALUE_BYTES >> 20} MiB and is not kept"
        for new, one in zip(news, kept, strict=True)
        if one is None
    ]
    listed = ", ".join(f"${name}" for name in gone[:10]) + (f" and {len(gone) - 10} more" if len(gone) > 10 else "")
    return (*large, *((f"no room for all values: forgotten {listed}",) if gone else ()))


def size_words(size: int) -> str:
    """`31 KB`, as a person reads it."""
    if size < _KIB:
        return f"{size} B"
    return f"{round(size / _KIB)} KB" if size < _MIB else f"{size / _MIB:.1f} MB"
