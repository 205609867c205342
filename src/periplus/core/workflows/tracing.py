"""The trace of a session, read back from the trail (W-82 to W-86)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from operator import itemgetter
from typing import Any

import msgspec

from periplus.core.redaction import redacted, redacted_text
from periplus.core.workflows.tokens import Signer, Token, TraceToken
from periplus.model import Event, Recorded

MARK = "workflow"
SHOWN = 5000
_TOKEN_BYTES = 32 << 10
_WORD = "session_token"


class Step(msgspec.Struct, frozen=True, kw_only=True):
    """What the trace says of one call, beside what every row of the trail says."""

    name: str
    token: Token | None
    seq: int
    warnings: tuple[str, ...] = ()
    decided: dict[str, Any] | None = None
    error: str = ""

    def detail(self) -> dict[str, Any]:
        """As it is kept in the trail."""
        token = self.token
        said: dict[str, Any] = {
            "name": self.name,
            "wf": token.wf if token else "",
            "act": token.act if token else "",
            "aid": token.aid if token else "",
            "seq": self.seq,
        }
        said |= {"err": _clean(self.error)} if self.error else {}
        said |= {"vw": [_clean(one) for one in self.warnings]} if self.warnings else {}
        said |= {"d": redacted(self.decided)} if self.decided else {}
        return {MARK: said}


def _clean(text: str) -> str:
    """A text of the trace holds no token and does not say where one goes (W-83)."""
    return redacted_text(text).replace(_WORD, "token")


def is_step(row: Recorded) -> bool:
    """Whether a row of the trail belongs to the trace of a session."""
    return isinstance(row.event.detail.get(MARK), dict)


def told(event: Event, sid: str) -> dict[str, Any]:
    """One event as get_trace shows it."""
    said: Mapping[str, Any] = event.detail[MARK]
    at = datetime.fromisoformat(event.at)
    shown: dict[str, Any] = {
        "traceId": sid,
        "spanId": event.span,
        "name": said["name"],
        "ts": int(at.timestamp()),
        "ms": int(event.ms) if event.ms == int(event.ms) else event.ms,
        "s": "ok" if event.outcome == "ok" else "error",
        "wf": said["wf"],
        "act": said["act"],
        "aid": said["aid"],
    }
    shown |= {name: said[name] for name in ("err", "vw") if name in said}
    shown["seq"] = said["seq"]
    return shown | ({"d": said["d"]} if "d" in said else {})


def listing(sid: str, events: list[dict[str, Any]]) -> dict[str, Any]:
    """The trace from the store."""
    body: dict[str, Any] = {
        "traceId": sid,
        "source": "memory",
        "tracing_enabled": True,
        "event_count": min(len(events), SHOWN),
        "events": events[:SHOWN],
    }
    return body | ({"truncated": True} if len(events) > SHOWN else {})


def from_tokens(sid: str, signer: Signer, texts: Iterable[str], read: Any) -> dict[str, Any]:
    """The trace that tokens prove; a bad one spoils only itself."""
    events: dict[str, tuple[tuple[int, int], dict[str, Any]]] = {}
    faults: list[str] = []
    for number, text in enumerate(texts, 1):
        token = read(signer, text)
        if token is None or token.sid != sid:
            why = "it is of another session" if token else "it does not verify"
            faults.append(f"Invalid trace token #{number}: {why}")
            continue
        for place, event in enumerate(token.events, token.from_):  # within a second, by their place in the trace
            events.setdefault(str(event.get("spanId")), ((int(event.get("ts", 0)), place), event))
    ordered = [event for _, event in sorted(events.values(), key=itemgetter(0))]
    body: dict[str, Any] = {
        "traceId": sid,
        "source": "tokens",
        "tracing_enabled": True,
        "event_count": len(ordered),
        "events": ordered,
    }
    return body | ({"token_errors": faults} if faults else {})


def stretch(signer: Signer, events: list[dict[str, Any]], token: Token, start: int, prev: str) -> str:
    """The token of the events since the last one; where it grows too long, details are left out, never events."""
    made = TraceToken(
        sid=token.sid,
        act=token.act,
        from_=start,
        to=start + len(events),
        n=len(events),
        t0=events[0]["ts"],
        t1=events[-1]["ts"],
        ts=token.ts,
        events=tuple(events),
        prev=prev,
    )
    text = signer.sign(made)
    for name in ("d", "vw"):
        if len(text) <= _TOKEN_BYTES:
            break
        events = [{key: value for key, value in event.items() if key != name} for event in events]
        made = msgspec.structs.replace(made, events=tuple(events))
        text = signer.sign(made)
    return text
