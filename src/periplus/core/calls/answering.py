"""From an answer to what its caller is shown: the part that was asked for and fits, the whole kept beside it."""

from __future__ import annotations

from collections import Counter
from typing import Any

import anyio.to_thread
import msgspec

from periplus.core.calls.asked import Asked, Ready
from periplus.core.calls.checking import selects_by
from periplus.core.calls.results import Results, named
from periplus.core.calls.secrets import without_secrets
from periplus.core.calls.sending import Sent
from periplus.core.schema.validation import Validators
from periplus.core.shaping.cut import Cut, cut
from periplus.core.shaping.shape import Shape, Shaped, shaped
from periplus.model import Principal, Result, Tool, ToolRef

_INLINE = 1 << 20  # a larger answer is compared with its schema on a thread, so that others go on meanwhile


class Answering:
    """Shapes answers; counts those that are not what their tools declare."""

    def __init__(self, results: Results, validators: Validators, budget: int) -> None:
        self._results = results
        self._validators = validators
        self._budget = budget
        self.drift: Counter[str] = Counter()

    async def result(self, asked: Asked, ready: Ready, sent: Sent, trace: str) -> Result:
        """What the caller of a call gets."""
        answer, tool = sent.answer, ready.tool
        if answer.verbatim:
            notes = (*ready.prepared.notes, *answer.notes)
            return Result(tool=tool.ref, value=answer.value, meta=answer.meta, notes=notes, trace=trace)
        handle = self._results.new_handle()
        value = named(answer.value, handle) if answer.files else answer.value
        chosen = selects_by(tool)
        shape = msgspec.structs.replace(asked.shape, select=None) if chosen else asked.shape
        part = shaped(value, shape)
        fit = cut(part.value, self._budget if asked.budget is None else asked.budget)
        keeps = asked.keep or asked.stays or bool(answer.files) or fit.is_cut or _leaves_out(shape, part)
        if keeps:
            who, stays = asked.principal, asked.stays
            await self._results.keep(handle, who, tool.ref, value, answer.files, stays=stays)
        # What a tool declares is what it gives unasked.
        usual = not chosen or chosen not in ready.arguments
        drift = await self._drifted(tool, answer.value, answer.meta.get("bytes")) if usual else ()
        notes = (*ready.notes, *ready.prepared.notes, *answer.notes, *part.notes, *drift, *_cut_note(part, fit, handle))
        attempts = {"attempts": sent.attempts} if sent.attempts > 1 else {}
        return Result(
            tool=tool.ref,
            value=fit.value,
            meta=answer.meta | attempts | _page(part, fit) | (_echo(ready) if asked.echoes else {}),
            notes=tuple(dict.fromkeys(notes)),
            content=answer.content,
            handle=handle if keeps else "",
            truncated=answer.truncated or fit.is_cut,
            trace=trace,
        )

    async def again(self, handle: str, shape: Shape, principal: Principal, budget: int | None) -> Result:
        """Another part of a kept result; its upstream hears nothing of it."""
        whole = await self._results.whole(handle, principal)
        return self.part(whole.value, shape, whole.tool, handle, budget)

    def part(self, value: Any, shape: Shape, tool: str, handle: str, budget: int | None) -> Result:
        """A part of a value that is kept."""
        part = shaped(value, shape)
        fit = cut(part.value, self._budget if budget is None else budget)
        source, _, path = tool.partition("/")
        return Result(
            tool=ToolRef(source, path),
            value=fit.value,
            meta=_page(part, fit),
            notes=(*part.notes, *_cut_note(part, fit, handle)),
            handle=handle,
            truncated=fit.is_cut,
        )

    async def _drifted(self, tool: Tool, value: Any, size: Any) -> tuple[str, ...]:
        """A note where the answer is not what the tool declares: the upstream changed, the call did not fail (S-75)."""
        if tool.result_schema is None:
            return ()
        if isinstance(size, int) and size > _INLINE:
            found = await anyio.to_thread.run_sync(self._validators.drift, tool, value)
        else:
            found = self._validators.drift(tool, value)
        if not found:
            return ()
        self.drift[str(tool.ref)] += 1
        return (f"the result is not what {tool.ref} declares: {found}",)


def _echo(ready: Ready) -> dict[str, Any]:
    """The request as it went out, but for credentials and what the schema calls secret."""
    prepared = ready.prepared
    sent = without_secrets(ready.tool, ready.arguments)
    return {"request": {"method": prepared.method, "url": f"{prepared.origin}{prepared.path}", "sent": sent}}


def _leaves_out(shape: Shape, part: Shaped) -> bool:
    return shape.select is not None or (part.total is not None and part.shown != part.total) or bool(shape.conditions)


def _page(part: Shaped, fit: Cut) -> dict[str, Any]:
    """Which rows, members or characters of how many are shown, where that is not all."""
    if fit.is_cut and fit.what == "members":
        return {"page": {"what": "members", "shown": fit.shown, "total": fit.total}}
    total = part.total if part.total is not None else fit.total
    shown = fit.shown if fit.is_cut else part.shown
    if total is None or (shown == total and not part.offset):
        return {}
    what = fit.what or ("characters" if isinstance(fit.value, str) else "rows")
    return {"page": {"what": what, "offset": part.offset, "shown": shown, "total": total}}


def _cut_note(part: Shaped, fit: Cut, handle: str) -> tuple[str, ...]:
    if not fit.is_cut:
        return ()
    if fit.what == "members":
        return (f"{fit.shown} of {fit.total} members fit; the whole is kept as {handle}: select some of it",)
    start = part.offset
    total = part.total if part.total is not None else fit.total
    following = start + (fit.shown or 0)
    return (
        f"{fit.what} {start + 1}-{following} of {total}; the whole is kept as {handle}: read on at offset={following}",
    )
