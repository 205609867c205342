"""Calls that go on after their answer: a sealed handle on a run, and the call that tells how far it is (E-35, M-29)."""

from __future__ import annotations

from typing import Any

import msgspec

from periplus.core.seal import Seal
from periplus.model import Code, Principal, Problem, Tool, ToolRef
from periplus.ports import Store

_PURPOSE = "run"
_TTL_S = 7 * 86_400.0


class Progress(msgspec.Struct, frozen=True):
    """The call that asks how far a run is."""

    tool: ToolRef
    arguments: dict[str, Any]


class Runs:
    """Runs of upstreams, told by handles that only their owner can use."""

    def __init__(self, store: Store, seal: Seal) -> None:
        self._store = store
        self._seal = seal

    def handle(self, tool: Tool, meta: dict[str, Any], who: Principal) -> str:
        """A handle on what an answer says goes on; nothing where it is over or cannot be asked about."""
        run = meta.get("run")
        if not isinstance(run, dict) or not run.get("tool"):
            return ""
        return self._seal.seal(_PURPOSE, (tool.source, run["tool"], run["arguments"], who.tenant, who.id), _TTL_S)

    async def progress(self, handle: str, who: Principal) -> Progress:
        """What to call; a handle that ended, or is another's, leads nowhere."""
        try:
            source, key, arguments, tenant, id_ = self._seal.open(_PURPOSE, handle)
        except Problem as problem:
            raise _unknown(handle) from problem
        known = (await self._store.known(source)).get(key)
        if (tenant, id_) != (who.tenant, who.id) or known is None:
            raise _unknown(handle)
        return Progress(ToolRef(source, known.path), arguments)


def _unknown(handle: str) -> Problem:
    return Problem(
        Code.NOT_FOUND, f"no run is known by {handle[:40]!r}", hints=("runs are kept for a week: call again",)
    )
