"""A 4xx or 5xx becomes a `Problem` that says what the upstream said (S-78)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from email.utils import parsedate_to_datetime
from html import unescape
from typing import Any
from urllib.parse import urljoin

from periplus.answers.media import Form, text_of
from periplus.answers.received import Received
from periplus.answers.values import json_value, mapped
from periplus.model import Problem, code_of_status

MESSAGE, BODY, _HINTS = 500, 2000, 20

_AGAIN = frozenset({408, 425, 429, 502, 503, 504})
_NOT_BEGUN = frozenset({429, 503})  # with Retry-After they say: not now, and nothing was done (S-69)
_MESSAGES = ("message", "error_description", "detail", "title", "error", "errorMessage", "msg", "description", "reason")
_FIELD_LISTS = ("errors", "detail", "details", "violations", "invalid-params", "invalidParams", "error")
_FIELDS = ("field", "loc", "pointer", "path", "param", "parameter", "name", "property", "source", "location")
_TITLE = re.compile(r"<title[^>]*>(.*?)</title", re.IGNORECASE | re.DOTALL)
_HEADING = re.compile(r"<h1[^>]*>(.*?)</h1", re.IGNORECASE | re.DOTALL)
_TAG = re.compile(r"<[^>]*>")


def refusal(received: Received) -> Problem:
    """The refusal an upstream gave, safe to show."""
    text = received.redact(text_of(received.body, received.media)[0])
    value = _value(text, received)
    said = _words(value) if value is not None else _plain(text, received)
    status = received.status
    answered = f"the upstream answered {status}"
    return Problem(
        code_of_status(status),
        f"{answered}: {said[:MESSAGE]}" if said else answered,
        hints=tuple(_hints(received, value)),
        retryable=status in _AGAIN,
        details=_details(received, text),
    )


def _hints(received: Received, value: Any) -> Iterator[str]:
    if received.status in {400, 422}:
        yield from field_messages(value)
    if received.status in {401, 403, 407} and received.advice:
        yield received.advice
    yield from _redirected(received)


def _value(text: str, received: Received) -> Any:
    if received.media.form not in {Form.JSON, Form.UNSAID, Form.TEXT} or not text.lstrip().startswith(("{", "[", '"')):
        return None
    try:
        return mapped(json_value(text)[0], received.redact)
    except ValueError:
        return None


def _details(received: Received, text: str) -> dict[str, Any]:
    details: dict[str, Any] = {"http_status": received.status}
    if text:
        details["body"] = text[:BODY] if received.media.form is not Form.FILE else f"{len(received.body)} bytes"
    waits = retry_after(received)
    if waits is not None:
        details["retry_after"] = waits
        if received.status in _NOT_BEGUN:
            details["not_processed"] = True
    return details


def retry_after(received: Received) -> float | None:
    """Seconds to wait: as written, or from the answer's own date to the one it names."""
    text = received.header("retry-after").strip()
    if re.fullmatch(r"[0-9]{1,9}(\.[0-9]+)?", text):
        return float(text)
    try:
        until, now = parsedate_to_datetime(text), parsedate_to_datetime(received.header("date"))
        return max(0.0, (until - now).total_seconds())
    except (ValueError, TypeError):
        return None


def _redirected(received: Received) -> tuple[str, ...]:
    place = received.header("location")
    if not 300 <= received.status < 400 or not place:
        return ()
    return (f"it points to {received.redact(urljoin(received.url, place))[:200]}",)


def _words(value: Any, depth: int = 0) -> str:
    """The first member that reads like a message, outside in."""
    if isinstance(value, str):
        return _line(value)
    if depth > 4 or not isinstance(value, dict | list):
        return ""
    if isinstance(value, list):
        return next(filter(None, (_words(item, depth + 1) for item in value[:5])), "")
    plain = (_line(value[name]) for name in _MESSAGES if isinstance(value.get(name), str))
    nested = (_words(value[name], depth + 1) for name in (*_MESSAGES, *_FIELD_LISTS) if name in value)
    return next(filter(None, (*plain, *nested)), "")


def _plain(text: str, received: Received) -> str:
    """The title of a web page, or the first line of text."""
    if received.media.form is Form.FILE:
        return ""
    if text.lstrip()[:1] == "<" or "html" in received.media.type:
        found = _TITLE.search(text) or _HEADING.search(text)
        return _line(unescape(_TAG.sub("", found[1] if found else text)))
    return _line(text)


def _line(text: str) -> str:
    """The first line that says something, without what could steer a terminal."""
    lines = (
        " ".join("".join(sign if sign.isprintable() else " " for sign in line).split()) for line in text.splitlines()
    )
    return next(filter(None, lines), "")


def field_messages(value: Any) -> tuple[str, ...]:
    """What is wrong with which member, as hints: `name: must be longer`."""
    return tuple(dict.fromkeys(_fields(value)))[:_HINTS]


def _fields(value: Any) -> Iterator[str]:
    if not isinstance(value, dict):
        value = {"errors": value}
    for name in _FIELD_LISTS:
        found = value.get(name)
        if isinstance(found, list):
            yield from filter(None, map(_field, found))
        elif isinstance(found, dict) and name in {"errors", "details"}:
            yield from (f"{field}: {_words(told)[:200]}" for field, told in found.items() if _words(told))
        elif isinstance(found, dict):
            yield from _fields(found)


def _field(entry: Any) -> str:
    if isinstance(entry, str):
        return _line(entry)[:200]
    if not isinstance(entry, dict):
        return ""
    place = next((_place(entry[name]) for name in _FIELDS if entry.get(name)), "")
    said = _words(entry)[:200]
    return f"{place}: {said}" if place and said else said


def _place(value: Any) -> str:
    if isinstance(value, list):
        return ".".join(str(part) for part in value[:10])[:100]
    if isinstance(value, dict):  # JSON:API: {"source": {"pointer": ...}}
        return next((_place(value[name]) for name in ("pointer", "parameter", "header") if value.get(name)), "")
    return str(value)[:100]
