"""What a media type promises: JSON, items one after another, text, or bytes that are a file."""

from __future__ import annotations

import re
from enum import Enum

import msgspec


class Form(Enum):
    """How a body is read."""

    JSON = "json"
    LINES = "lines"  # NDJSON: a value on each line
    SEQUENCE = "sequence"  # RFC 7464: values behind a record separator
    EVENTS = "events"  # server-sent events
    TEXT = "text"
    FILE = "file"
    UNSAID = "unsaid"  # no type: JSON if it parses as such

    @property
    def is_stream(self) -> bool:
        return self in {Form.LINES, Form.SEQUENCE, Form.EVENTS}


class Media(msgspec.Struct, frozen=True):
    """A `Content-Type` taken apart; `type` is lower case without parameters."""

    type: str = ""
    charset: str = ""

    @property
    def form(self) -> Form:
        kind = self.type
        if not kind:
            return Form.UNSAID
        if kind in _FORMS:
            return _FORMS[kind]
        if "json" in kind:
            return Form.JSON
        if kind.startswith("text/") or kind.endswith(("+xml", "+yaml")) or kind in _TEXTS:
            return Form.TEXT
        return Form.FILE


_FORMS = {
    "application/x-ndjson": Form.LINES,
    "application/ndjson": Form.LINES,
    "application/jsonl": Form.LINES,
    "application/json-lines": Form.LINES,
    "application/x-jsonlines": Form.LINES,
    "application/x-json-stream": Form.LINES,
    "application/stream+json": Form.LINES,
    "application/json-seq": Form.SEQUENCE,
    "application/geo+json-seq": Form.SEQUENCE,
    "text/event-stream": Form.EVENTS,
}
_TEXTS = frozenset(
    {
        "application/xml",
        "application/yaml",
        "application/x-yaml",
        "application/toml",
        "application/javascript",
        "application/ecmascript",
        "application/x-www-form-urlencoded",
        "application/graphql",
        "application/sql",
        "application/csv",
        "application/x-sh",
        "application/x-tex",
        "message/http",
    }
)
_CHARSET = re.compile(r";\s*charset\s*=\s*\"?([^\s\";]+)", re.IGNORECASE)
_WRITTEN = re.compile(rb"<\?xml[^>]*encoding=[\"']([\w.:-]+)|<meta[^>]*charset=[\"']?([\w.:-]+)", re.IGNORECASE)
_MARKS = ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"))
_HEAD = 1024


def media_of(content_type: str) -> Media:
    """Read a `Content-Type`; what is no media type says nothing."""
    kind = content_type.partition(";")[0].strip().lower()
    found = _CHARSET.search(content_type)
    return Media(kind if "/" in kind else "", found[1] if found else "")


def text_of(body: bytes, media: Media) -> tuple[str, tuple[str, ...]]:
    """The text in its charset: as marked, as said, as written inside, else UTF-8, else Latin-1."""
    for charset in _charsets(body, media):
        try:
            return body.decode(charset), ()
        except (UnicodeDecodeError, LookupError):
            continue
    return body.decode("utf-8", "replace"), ("bytes that are no text in any charset it names were replaced by U+FFFD",)


def _charsets(body: bytes, media: Media) -> list[str]:
    marked = [charset for mark, charset in _MARKS if body.startswith(mark)]
    inside = _WRITTEN.search(body[:_HEAD]) if media.form is not Form.JSON else None
    written = [] if inside is None else [(inside[1] or inside[2]).decode("ascii", "replace")]
    last = [] if media.form is Form.JSON else ["windows-1252"]
    return [*marked, *([media.charset] if media.charset else []), *written, "utf-8", *last]
