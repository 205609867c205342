"""One session with one server: opened, spoken over by many callers at once, ended.

A link is used up when it ends, however it ends; the pool makes a new one. This module and those below it import
the SDK, so the pool imports it when the first link is needed.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import anyio
from anyio.abc import TaskStatus
from mcp.shared.dispatcher import DispatchContext, ProgressFnT
from mcp.shared.exceptions import MCPError
from mcp.shared.inbound import encode_header_value
from mcp.shared.jsonrpc_dispatcher import JSONRPCDispatcher
from mcp.shared.transport_context import TransportContext
from mcp_types import METHOD_NOT_FOUND

from periplus.model import LOCAL, Code, Principal, Problem
from periplus.net.mcp.blame import named
from periplus.net.mcp.carrier import Carrier
from periplus.net.mcp.hearing import Hearing, Hearings
from periplus.net.mcp.hello import Hello, Voice, greet, stamped
from periplus.net.mcp.inquiries import first_text, unanswered
from periplus.net.mcp.journal import Journal
from periplus.net.mcp.launch import Launch
from periplus.net.mcp.logs import LogLevel
from periplus.net.mcp.news import LISTEN, listen, subscribe
from periplus.net.mcp.refusals import EXPECTED, first_fault, is_closed, of_error, of_fault
from periplus.net.mcp.timing import Timing
from periplus.net.mcp.wires import Transport, Way, Wire, opened, ways_to
from periplus.ports import Dialogue, Listener

OnNotice = Callable[[str, Mapping[str, Any]], None]
"""Told each notification of a server: its method and parameters."""

_TRY_OLDER = frozenset({400, 404, 405, 406, 410, 415, 501})
_AFTERMATH_SECONDS = 5.0
_NO_PROGRAM = 127
_UNTOUCHED = {"not_processed": True}


class Refusal(NamedTuple):
    """Why a way to a server failed, and whether the next one should be tried."""

    problem: Problem
    again: bool = False


class Link:
    """A session from its first byte to its last."""

    def __init__(
        self, launch: Launch, journal: Journal, timing: Timing, voice: Voice, transport: Transport, on_notice: OnNotice
    ) -> None:
        self._launch = launch
        self._journal = journal
        self._timing = timing
        self._voice = voice
        self._transport = transport
        self._on_notice = on_notice
        self._dispatcher: JSONRPCDispatcher | None = None
        self._carrier: Carrier | None = None
        self._scope = anyio.CancelScope()
        self._hearings = Hearings()
        self._log_level = LogLevel()
        self._slots = anyio.Semaphore(timing.requests)
        self._over = anyio.Event()
        self._leaving = False
        self._busy = 0
        self._last_used = anyio.current_time()
        self.settled = anyio.Event()  # opened, or never will be
        self.ended = anyio.Event()
        self.hello: Hello | None = None
        self.way: Way | None = None
        self.failure: Problem | None = None
        self.served = False  # answered something after the greeting

    @property
    def is_open(self) -> bool:
        return self.hello is not None and not self._over.is_set()

    @property
    def is_used_up(self) -> bool:
        return self._over.is_set() or self.ended.is_set()

    async def run(self, remembered: Way | None, idle_seconds: float) -> None:
        """Hold the session until its end. Nothing a server does raises out of here."""
        self._hearings.nobodys()
        try:
            with self._scope:
                async with anyio.create_task_group() as tasks:
                    tasks.start_soon(self._watch, idle_seconds)
                    await self._try(ways_to(self._launch, remembered))
                    tasks.cancel_scope.cancel()
        finally:
            self._over.set()
            if self.hello is None and self.failure is None:
                self._fail(Problem(Code.CANCELLED, "closed before it was open"))
            self.ended.set()
            self.settled.set()

    def leave(self) -> None:
        """End the session soon: politely where it is open, at once where it is not."""
        self._leaving = True
        self._over.set()
        if self.hello is None:
            self._scope.cancel()
        else:
            self._scope.deadline = anyio.current_time() + self._timing.polite_seconds

    async def request(  # noqa: PLR0913 - each says one thing about a request
        self,
        method: str,
        params: Mapping[str, Any] | None = None,
        *,
        timeout_s: float,
        headers: Mapping[str, str] | None = None,
        on_progress: ProgressFnT | None = None,
        principal: Principal = LOCAL,
        dialogue: Dialogue | None = None,
        listener: Listener | None = None,
    ) -> dict[str, Any]:
        """One request and its result as it came on the wire; a refusal is a `Problem` that names the source."""
        if self._dispatcher is None or self.hello is None:
            raise self._named(self.failure or Problem(Code.UNAVAILABLE, "not connected", retryable=True))
        hearing = Hearing(principal, dialogue, listener)
        voice = self._voice if dialogue is None else self._voice.able(dialogue.capabilities)
        sent, options = stamped(self.hello.protocol, voice, method, dict(params or {}), listener)
        mirrored = {name: encode_header_value(value) for name, value in (headers or {}).items()}
        options["headers"] = {**options.get("headers", {}), **mirrored}
        if on_progress is not None:
            options["on_progress"] = on_progress
        asked = hearing.refused
        self._busy += 1
        try:
            with anyio.fail_after(timeout_s):
                await self._log_level.reach(listener, self._dispatcher, voice, self.hello)
                async with self._slots, self._hearings.during(hearing):
                    result = await self._dispatcher.send_raw_request(method, sent, options)
        except TimeoutError as error:
            raise self._named(
                Problem(Code.TIMEOUT, f"{method} was not answered in {timeout_s:g} s", retryable=True)
            ) from error
        except MCPError as error:
            meaning = await self._meaning(error, method)
            raise self._named(unanswered(asked, error.message) if asked else meaning) from error
        finally:
            self._busy -= 1
            self._last_used = anyio.current_time()
        self.served = True
        if asked and result.get("isError") is True:
            raise self._named(unanswered(asked, first_text(result)))
        return result

    async def listen(self, name: str, uris: Sequence[str]) -> None:
        """Have changes inside these resources told for as long as the server goes on (2026-07-28)."""
        if self._dispatcher is None or self.hello is None:
            raise self._named(self.failure or Problem(Code.UNAVAILABLE, "not connected", retryable=True))
        try:
            await listen(self._dispatcher, self._voice, self.hello, name, {"resourceSubscriptions": list(uris)})
        except MCPError as error:
            raise self._named(await self._meaning(error, LISTEN)) from error

    @contextmanager
    def held(self) -> Generator[None]:
        """In use, though nothing is asked: the session does not end for idleness."""
        self._busy += 1
        try:
            yield
        finally:
            self._busy -= 1
            self._last_used = anyio.current_time()

    async def _try(self, ways: tuple[Way, ...]) -> None:
        """Hold the session in the first way that works; when none does, what the first one met counts."""
        first: Problem | None = None
        for way in ways:
            refusal = await self._hold(way)
            if refusal is None:
                return
            first = refusal.problem if self.hello else first or refusal.problem
            if self.hello or not refusal.again:
                break
        if first is not None:
            self._fail(first)

    async def _hold(self, way: Way) -> Refusal | None:
        """Open, greet, wait for the end. None: it was open, and ended in peace."""
        refusal: Refusal | None = None
        error: MCPError | None = None
        try:
            async with opened(way, self._launch, self._journal, self._timing, self._transport) as wire:
                error = await self._converse(way, wire)
        except* EXPECTED as group:
            refusal = Refusal(of_fault(first_fault(group)))
        if refusal is None and error is not None:
            # Only now is the process gone, and with it all it had to say.
            refusal = self._refused(error, way)
        if refusal is None and not self._leaving:
            refusal = Refusal(self._last_words())
        return refusal

    async def _converse(self, way: Way, wire: Wire) -> MCPError | None:
        dispatcher: JSONRPCDispatcher = JSONRPCDispatcher(wire.read, wire.write)
        self._carrier = wire.carrier
        error: MCPError | None = None
        async with anyio.create_task_group() as tasks:
            await tasks.start(self._pump, dispatcher)
            try:
                hello = await greet(
                    dispatcher,
                    self._voice,
                    legacy_first=way.legacy,
                    probe_seconds=self._timing.probe_seconds,
                    is_final=wire.carrier.is_final if wire.carrier else None,
                )
            except MCPError as refusal:
                error = refusal
            else:
                self._dispatcher, self.way, self.hello = dispatcher, Way(way.wire, not hello.is_modern), hello
                self._hearings.has_streams = way.wire == "http"
                self._last_used = anyio.current_time()
                self.settled.set()
                tasks.start_soon(subscribe, dispatcher, self._voice, hello, self._timing, self._on_notice)
                await self._over.wait()
            tasks.cancel_scope.cancel()
        return error

    async def _pump(
        self, dispatcher: JSONRPCDispatcher, *, task_status: TaskStatus[None] = anyio.TASK_STATUS_IGNORED
    ) -> None:
        await dispatcher.run(self._answer, self._hear, task_status=task_status)
        if self.hello is not None:
            self._over.set()

    async def _answer(
        self, _: DispatchContext[TransportContext], method: str, params: Mapping[str, Any] | None
    ) -> dict[str, Any]:
        answer = await self._hearings.answer(method, self._journal.without_secrets(dict(params or {})))
        if answer is None:
            raise MCPError(METHOD_NOT_FOUND, f"not offered: {method}")
        return answer

    async def _hear(self, _: DispatchContext[TransportContext], method: str, params: Mapping[str, Any] | None) -> None:
        if method == "notifications/message":
            self._journal.log(params or {})
            await self._hearings.log(self._journal.without_secrets(dict(params or {})))
        self._on_notice(method, params or {})

    async def _watch(self, idle_seconds: float) -> None:
        """End a start that takes too long, and a session nobody uses."""
        with anyio.move_on_after(self._timing.start_seconds):
            await self.settled.wait()
        if not self.settled.is_set():
            heard = self._journal.last_words
            said = f"; it said: {heard}" if heard else "".join(f"; {note}" for note in self._journal.notes[:1])
            text = f"gave no answer in {self._timing.start_seconds:g} s after its start{said}"
            self._fail(Problem(Code.TIMEOUT, text, hints=self._remedy, retryable=True))
            self._scope.cancel()
        while idle_seconds > 0:
            rest = idle_seconds if self._busy else self._last_used + idle_seconds - anyio.current_time()
            if rest <= 0:
                self.leave()
                return
            await anyio.sleep(rest)

    def _refused(self, error: MCPError, way: Way) -> Refusal:
        """What a failed greeting means, and whether another way may do better."""
        if is_closed(error):
            return Refusal(self._last_words(), again=way.wire == "stdio" and self._journal.status != _NO_PROGRAM)
        if self._carrier is None:
            return Refusal(of_error(error, "initialize"))
        status = self._carrier.status_of(error.data)
        problem = self._carrier.problem_of(error.data) or of_error(error, "initialize")
        return Refusal(problem, again=status in _TRY_OLDER)

    async def _meaning(self, error: MCPError, method: str) -> Problem:
        """What an error in answer to a request means."""
        if self._carrier is not None:
            if self._carrier.is_session_lost(error.data) and error.code != METHOD_NOT_FOUND:
                self._over.set()
                return Problem(Code.UNAVAILABLE, "its session has ended", retryable=True, details=_UNTOUCHED)
            if (problem := self._carrier.problem_of(error.data)) is not None:
                return problem
        if is_closed(error):
            with anyio.move_on_after(_AFTERMATH_SECONDS):
                await self.ended.wait()
            return self.failure or Problem(Code.UNAVAILABLE, "the connection has ended", retryable=True)
        return of_error(error, method)

    def _last_words(self) -> Problem:
        status, heard = self._journal.status, self._journal.last_words
        what = "the server ended" if self._launch.command else "the connection ended"
        how = f" with status {status}" if status else ""
        said = f"; it said: {heard}" if heard else "".join(f"; {note}" for note in self._journal.notes[:1])
        return Problem(Code.UNAVAILABLE, f"{what}{how}{said}", hints=self._remedy, retryable=True)

    @property
    def _remedy(self) -> tuple[str, ...]:
        if not self._launch.command:
            return ("check that an MCP server answers at this address",)
        return ("run its command in a shell: an MCP server stays, and writes nothing but JSON-RPC to its stdout",)

    def _fail(self, problem: Problem) -> None:
        if self.hello is None:  # nothing was asked of it yet
            problem.details = problem.details | _UNTOUCHED
        self.failure = self.failure or self._named(problem)

    def _named(self, problem: Problem) -> Problem:
        return named(self._launch.source, problem, self._journal.masked)


def link_to(
    launch: Launch, journal: Journal, timing: Timing, version: str, transport: Transport, on_notice: OnNotice
) -> Link:
    """A link not yet begun."""
    return Link(launch, journal, timing, Voice(version=version), transport, on_notice)
