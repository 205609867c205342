"""What happened, written down: one event for each verb, whole once it is over and before anybody gets its answer."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from datetime import UTC, datetime
from types import TracebackType
from typing import Any, Self

import anyio
import msgspec

from periplus.core.redaction import redacted, redacted_text
from periplus.model import Event, Principal, Problem
from periplus.ports import Clock, Ledger, Origin, Span, Tracing, here, within

_SUBJECT_MAX = 500
_encode = msgspec.json.Encoder(enc_hook=str).encode


class AuditRules(msgspec.Struct, frozen=True, kw_only=True):
    """What is written down of what happens."""

    enabled: bool = True
    goals: str = "recorded"  # recorded, hashed or none


class Audit:
    """Makes events and hands them to the ledger; every verb of the gateway opens one."""

    def __init__(self, ledger: Ledger, clock: Clock, rules: AuditRules, tracing: Tracing | None = None) -> None:
        self._ledger = ledger
        self._clock = clock
        self._rules = rules
        self._tracing = tracing or Untraced(clock)

    def event(self, verb: str, principal: Principal, subject: str = "", *, session: str = "") -> Note:
        """`async with audit.event("browse", principal, path) as note:` - what the block does is one event."""
        return Note(self, verb, principal, subject, session)

    def start(self, verb: str, session: str) -> Span:
        """A place in the trace of what is being done here."""
        origin = here()
        if session:
            origin = msgspec.structs.replace(origin, session=session)
        return self._tracing.start(verb, origin)

    @property
    def keeps(self) -> bool:
        return self._rules.enabled

    def now(self) -> float:
        return self._clock.now()

    def goal(self, text: str) -> str:
        """A goal as it is written down; hashed, equal ones can still be told to be equal."""
        if self._rules.goals == "recorded":
            return text
        return "" if self._rules.goals == "none" else f"sha256:{hashlib.sha256(text.encode()).hexdigest()[:32]}"

    async def keep(self, event: Event) -> None:
        if self._rules.enabled:
            with anyio.CancelScope(shield=True):  # what was done is written down, whoever gave up waiting
                await self._ledger.record(event)


class Note:
    """One event while it happens: a block of code that may say more about itself."""

    _span: Span

    def __init__(self, audit: Audit, verb: str, principal: Principal, subject: str, session: str) -> None:
        self._audit = audit
        self._verb = verb
        self._principal = principal
        self._subject = subject
        self._session = session
        self._shown: tuple[str, ...] = ()
        self._said: dict[str, Any] = {}
        self._detail: dict[str, Any] = {}
        self._written: Event | None = None

    @property
    def trace(self) -> str:
        """The trace this belongs to, for answers and for problems."""
        return self._span.origin.trace

    def about(self, subject: object) -> None:
        """What it turned out to be about: the ref behind a name."""
        self._subject = str(subject)

    def shown(self, names: Iterable[object]) -> None:
        """Which tools and nodes the caller now knows of."""
        self._shown += tuple(map(str, names))

    def ruled(self, rule: str) -> None:
        """The rule of the policy that decided."""
        self._said["rule"] = rule

    def ended(self, outcome: str) -> None:
        """How it ended, where that is neither a problem nor simply well."""
        self._said["outcome"] = outcome

    def weigh(self, value: Any) -> None:
        """What the caller gets: its bytes as JSON, and the tokens that a model pays for them (four bytes each)."""
        self.weighed(len(_encode(value)))

    def weighed(self, size: int) -> None:
        """The same where the bytes are known."""
        self._said |= {"bytes": size, "tokens": -(-size // 4)}

    def add(self, **detail: Any) -> None:
        """Anything else worth reading later; secrets in it are redacted."""
        self._detail |= detail

    @property
    def span(self) -> str:
        """Its own place in the trace."""
        return self._span.origin.span

    def belongs_to(self, session: str) -> None:
        """The conversation that has begun with it."""
        self._session = session

    @property
    def is_kept(self) -> bool:
        """Whether there is a trail for it to stand in."""
        return self._audit.keeps

    def so_far(self) -> Event:
        """The event as it would be written now."""
        return self._event()

    def is_written(self, event: Event) -> None:
        """Somebody has written it already, in one transaction with what it tells of."""
        self._written = event

    async def __aenter__(self) -> Self:
        self._parent = here().span
        self._began = self._audit.now()
        self._span = self._audit.start(self._verb, self._session)
        self._frame = within(self._span.origin)
        self._frame.__enter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _traceback: TracebackType | None
    ) -> None:
        self._frame.__exit__(None, None, None)
        if error is not None:
            self.ended(_outcome(error))
        event = self._written or self._event()
        self._span.end(event)
        if self._written is None:
            await self._audit.keep(event)

    def _event(self) -> Event:
        origin, now = self._span.origin, self._audit.now()
        return Event(
            verb=self._verb,
            at=datetime.fromtimestamp(now, UTC).isoformat(timespec="microseconds").replace("+00:00", "Z"),
            trace=origin.trace,
            span=origin.span,
            parent=self._parent,
            session=_plain(self._session or origin.session),
            principal=self._principal.id,
            tenant=self._principal.tenant,
            subject=_plain(redacted_text(self._subject[: 4 * _SUBJECT_MAX]))[:_SUBJECT_MAX],
            shown=self._shown,
            ms=round((now - self._began) * 1000, 3),
            detail=redacted(self._detail),
            **self._said,
        )


class Untraced:
    """Places in a trace that nobody watches."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock

    def start(self, verb: str, origin: Origin) -> Span:  # noqa: ARG002 - a watcher would say it
        trace = origin.trace or self._clock.token(16).hex()
        return _Unwatched(Origin(session=origin.session, trace=trace, span=self._clock.token(8).hex()))


class _Unwatched(msgspec.Struct, frozen=True):
    origin: Origin

    def end(self, event: Event) -> None:
        """Nobody waits for it."""


def _outcome(error: BaseException) -> str:
    if isinstance(error, Problem):
        return error.code.value
    return "cancelled" if isinstance(error, anyio.get_cancelled_exc_class()) else "internal"


def _plain(text: str) -> str:
    """A text that every database and terminal takes: no lone surrogates, no control characters."""
    whole = text.encode("utf-8", "replace").decode()
    return whole if whole.isprintable() else "".join(char if char.isprintable() else " " for char in whole)
