"""Logs: one line for each thing that happens, on stderr; stdout belongs to answers and to the stdio wire."""

from __future__ import annotations

import logging
import sys
from datetime import UTC, datetime
from typing import Any, TextIO

import msgspec

from periplus.core.redaction import redacted_text
from periplus.model import Event
from periplus.ports import Origin, Span, Tracing, here
from periplus.settings import LogSettings

_events = logging.getLogger("periplus.events")


def configure_logs(settings: LogSettings, stream: TextIO | None = None) -> None:
    """Every logger of this process writes there from now on. For programs; a library leaves this to its user."""
    handler = _Lines(stream)
    handler.setFormatter(_Json() if settings.format == "json" else _Text())
    root = logging.getLogger()
    root.handlers[:] = [other for other in root.handlers if not isinstance(other, _Lines)] + [handler]
    root.setLevel(settings.level.upper())
    if settings.format == "json":
        logging.captureWarnings(capture=True)


class Logged:
    """Writes a line for each verb when it is over, beside whoever else watches."""

    def __init__(self, watching: Tracing) -> None:
        self._watching = watching

    def start(self, verb: str, origin: Origin) -> Span:
        return _Line(self._watching.start(verb, origin))

    @staticmethod
    def wanted() -> bool:
        """Whether anybody would see the lines."""
        return _events.isEnabledFor(logging.INFO)


class _Line:
    def __init__(self, span: Span) -> None:
        self._span = span

    @property
    def origin(self) -> Origin:
        return self._span.origin

    def end(self, event: Event) -> None:
        self._span.end(event)
        told = {"verb": event.verb, "subject": event.subject, "outcome": event.outcome, "ms": event.ms}
        told |= {"principal": event.principal, "shown": len(event.shown), "tokens": event.tokens}
        _events.info("%s %s: %s", event.verb, event.subject, event.outcome, extra={"told": told, "of": self.origin})


class _Lines(logging.Handler):
    """Writes where stderr is at that moment."""

    def __init__(self, stream: TextIO | None) -> None:
        super().__init__()
        self._stream = stream

    def emit(self, record: logging.LogRecord) -> None:
        stream = self._stream or sys.stderr
        stream.write(self.format(record) + "\n")
        stream.flush()


class _Json(logging.Formatter):
    """One JSON object for each line."""

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, Any] = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": redacted_text(record.getMessage()),
        }
        origin: Origin = getattr(record, "of", None) or here()
        said = {"trace": origin.trace, "span": origin.span, "session": origin.session}
        line |= {name: value for name, value in said.items() if value}
        line |= getattr(record, "told", {})
        if record.exc_info:
            line["traceback"] = redacted_text(self.formatException(record.exc_info))
        return msgspec.json.encode(line).decode()


class _Text(logging.Formatter):
    """A line for a person."""

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)-7s %(name)s: %(message)s", "%H:%M:%S")

    def format(self, record: logging.LogRecord) -> str:
        return redacted_text(super().format(record))
