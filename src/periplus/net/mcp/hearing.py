"""Whose request a server's own words belong to: that of the stream they came on, else the only one there can be.

Over streamable HTTP each request has a stream of its own. Over stdio, and where a server does not care, words belong to
a request as long as no other waits, and nobody else's was given up: its work may go on at the server. What belongs to
nobody is shown to nobody.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from contextvars import ContextVar
from typing import Any

import anyio
from mcp.shared.exceptions import MCPError

from periplus.model import LOCAL, Principal
from periplus.net.mcp.inquiries import described, plain_answer
from periplus.ports import LEVELS, UNSAID, Dialogue, Listener, Logged

_AFTERMATH_S = 1.0


class Hearing:
    """One of our requests while it waits: who can be asked, who listens, what was asked in vain."""

    def __init__(
        self, principal: Principal = LOCAL, dialogue: Dialogue | None = None, listener: Listener | None = None
    ) -> None:
        self.owner = (principal.tenant, principal.id)
        self.dialogue = dialogue
        self.listener = listener
        self.refused: list[str] = []
        self._telling = 0
        self._told = anyio.Event()

    async def tell(self, logged: Logged) -> None:
        """Pass a message on to whoever listens."""
        if self.listener is None or not self.listener.wants(logged):
            return
        self._telling += 1
        try:
            await self.listener.tell(logged)
        finally:
            self._telling -= 1
            if not self._telling:
                self._told.set()

    async def finish(self) -> None:
        """Let what came before the answer go out before it."""
        with anyio.move_on_after(_AFTERMATH_S):
            while self._telling:
                self._told = anyio.Event()
                await self._told.wait()


_stream: ContextVar[Hearing | None] = ContextVar("the request whose stream this is", default=None)


class Hearings:
    """The requests of one session that wait."""

    def __init__(self) -> None:
        self._open: list[Hearing] = []
        self._given_up: set[tuple[str, str]] = set()
        self.has_streams = False  # whether what belongs to a request comes on a stream of its own

    @staticmethod
    def nobodys() -> None:
        """What begins from here on is no request's stream."""
        _stream.set(None)

    @asynccontextmanager
    async def during(self, hearing: Hearing) -> AsyncGenerator[None]:
        """Its request waits while the block runs."""
        self._open.append(hearing)
        before = _stream.set(hearing)
        answered = False
        try:
            try:
                yield
            except MCPError:  # an answer like others
                answered = True
                await hearing.finish()
                raise
            answered = True
            await hearing.finish()
        finally:
            _stream.reset(before)
            self._open.remove(hearing)
            if not answered:
                self._given_up.add(hearing.owner)

    async def answer(self, method: str, params: Mapping[str, Any]) -> dict[str, Any] | None:
        """The answer to a server's question, where one is to be had; None is a refusal, which is remembered."""
        answer = plain_answer(method)
        if answer is not None:
            return answer
        meant = self._meant()
        if meant is None:
            for hearing in self._open:
                hearing.refused.append(described(method, {}))
            return None
        ask = meant.dialogue.ask if meant.dialogue else None
        answer = await ask(method, dict(params)) if ask else None
        if answer is None:
            meant.refused.append(described(method, params))
        return answer

    async def log(self, params: Mapping[str, Any]) -> None:
        """Pass a message of the server's log on to the caller it belongs to."""
        own = _stream.get()
        if own is None and self.has_streams:
            return
        if (meant := self._meant()) is not None:
            level, logger = params.get("level"), params.get("logger")
            await meant.tell(
                Logged(
                    level=level if level in LEVELS else UNSAID,
                    data=params.get("data"),
                    logger=logger if isinstance(logger, str) else "",
                )
            )

    def _meant(self) -> Hearing | None:
        own = _stream.get()
        if own is not None:
            return own if own in self._open else None
        only = self._open[0] if len(self._open) == 1 else None
        return only if only and self._given_up <= {only.owner} else None
