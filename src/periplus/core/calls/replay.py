"""A call repeated under its own key: done once, answered as often as it is asked (M-23)."""

from __future__ import annotations

import hashlib
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import msgspec

from periplus.core.calls.asked import Asked, Ready
from periplus.core.calls.results import Results
from periplus.documents.canonical import canonical
from periplus.model import Code, Principal, Problem, Result

_MOST = 200


class _Done(msgspec.Struct, frozen=True, kw_only=True):
    """What a key was used for, and what came of it."""

    digest: str
    result: Result


class Replays:
    """Remembers what was answered under each principal's keys for as long as results are kept."""

    def __init__(self, results: Results) -> None:
        self._results = results
        self._running: set[str] = set()

    async def before(self, asked: Asked, ready: Ready) -> Result | None:
        """The answer that this key got before; a key that was used for something else is a conflict."""
        if not asked.idempotency_key:
            return None
        kept = await self._results.find(_name(asked.principal, asked.idempotency_key), asked.principal)
        if kept is None:
            return None
        done = msgspec.convert(kept.value, _Done)
        if done.digest != _digest(ready):
            raise Problem(
                Code.IDEMPOTENCY_CONFLICT,
                f"the idempotency key {asked.idempotency_key[:60]!r} was used for another call",
                hints=("use a new key for a new call",),
            )
        return msgspec.structs.replace(done.result, meta=done.result.meta | {"replayed": True})

    @asynccontextmanager
    async def running(self, asked: Asked) -> AsyncGenerator[None]:
        """While a call runs, nobody else runs one under its key."""
        if not asked.idempotency_key:
            yield
            return
        if len(asked.idempotency_key) > _MOST:
            raise Problem(Code.BAD_INPUT, f"an idempotency key has {_MOST} characters at most")
        name = _name(asked.principal, asked.idempotency_key)
        if name in self._running:
            raise Problem(
                Code.CONFLICT,
                f"a call with the idempotency key {asked.idempotency_key!r} is running",
                hints=("wait for it: the same call then gets its answer",),
                retryable=True,
            )
        self._running.add(name)
        try:
            yield
        finally:
            self._running.discard(name)

    async def after(self, asked: Asked, ready: Ready, result: Result) -> None:
        """Remember the answer for whoever asks again."""
        if asked.idempotency_key:
            done = msgspec.to_builtins(_Done(digest=_digest(ready), result=result), builtin_types=())
            name = _name(asked.principal, asked.idempotency_key)
            await self._results.keep(name, asked.principal, ready.tool.ref, done, {})


def _name(principal: Principal, key: str) -> str:
    told = canonical([principal.tenant, principal.id, key])
    return f"ik_{hashlib.sha256(told).hexdigest()[:40]}"


def _digest(ready: Ready) -> str:
    return hashlib.sha256(canonical([str(ready.tool.ref), ready.arguments])).hexdigest()
