"""An answer becomes a value: by its status class first, then by its media type (S-72 to S-79)."""

from __future__ import annotations

import json
from typing import Any

from periplus.answers.files import file_answer
from periplus.answers.media import Form, text_of
from periplus.answers.meta import meta_of
from periplus.answers.pages import next_arguments
from periplus.answers.received import Asked, Received, is_attachment, receive
from periplus.answers.refusals import refusal
from periplus.answers.values import items, json_value, mapped
from periplus.model import Answer
from periplus.ports import Calling, HttpReply

_NOT_MODIFIED = 304
_HTML = frozenset({"text/html", "application/xhtml+xml"})


async def read(reply: HttpReply, calling: Calling, asked: Asked) -> Answer:
    """Take an answer in and read it; a 4xx or 5xx is raised as a `Problem` in the upstream's own words."""
    return answer_of(await receive(reply, calling, asked.method), asked)


def answer_of(received: Received, asked: Asked) -> Answer:
    """The value of an answer that was taken in."""
    if received.status >= 300 and received.status != _NOT_MODIFIED:
        raise refusal(received)
    meta = meta_of(received, asked)
    if not received.body:
        return Answer(meta=meta)
    form = received.media.form
    if form is Form.FILE or (form is Form.TEXT and is_attachment(received)):
        return file_answer(received, meta)
    text, odd = text_of(received.body, received.media)
    clean = received.redact(text)
    if clean != text and not form.is_stream:
        clean = _mended(clean, text, received)
    return _told(received, asked, meta, clean, odd)


def _mended(clean: str, text: str, received: Received) -> str:
    """The redacted text; where that broke its JSON (a key of digits inside a number), the value is redacted instead."""
    for each in (clean, text):
        try:
            value, _ = json_value(each)
        except ValueError:
            continue
        return clean if each is clean else json.dumps(mapped(value, received.redact, numbers=True))
    return clean


def _told(received: Received, asked: Asked, meta: dict[str, Any], text: str, odd: tuple[str, ...]) -> Answer:
    """The value of a body that is text of some form, already without credentials."""
    form = received.media.form
    if form.is_stream:
        found, notes = items(text, form, cut=received.truncated)
        return Answer(
            value=_redacted(found, text, received), meta=meta, notes=(*odd, *notes), truncated=received.truncated
        )
    if form is Form.TEXT:
        return Answer(value=text, meta=meta, notes=(*odd, *_login(received, asked)), truncated=received.truncated)
    try:
        value, notes = json_value(text)
    except ValueError as error:
        return _no_json(received, asked, meta, text, odd, str(error))
    value = _redacted(value, text, received)
    more = next_arguments(value, received, asked)
    return Answer(value=value, meta=meta | ({"next": more} if more else {}), notes=(*odd, *notes))


def _no_json(
    received: Received, asked: Asked, meta: dict[str, Any], text: str, odd: tuple[str, ...], reason: str
) -> Answer:
    if received.media.form is Form.UNSAID:
        if "\x00" in text:
            return file_answer(received, meta)
        return Answer(value=text, meta=meta, notes=(*odd, *_login(received, asked)))
    done = "; the write itself happened: the upstream answered with success" if asked.writes else ""
    note = f"the body says it is JSON and is not ({reason[:120]}): it is given as text{done}"
    return Answer(value=text, meta=meta, notes=(*odd, note))


def _redacted(value: Any, text: str, received: Received) -> Any:
    """Escapes can spell a credential in ways the text did not show."""
    return mapped(value, received.redact) if "\\" in text else value


def _login(received: Received, asked: Asked) -> tuple[str, ...]:
    page = received.media.type in _HTML or (
        received.media.form is Form.UNSAID
        and received.body[:512].lstrip().lower().startswith((b"<!doctype html", b"<html"))
    )
    if not (asked.json and page):
        return ()
    return (
        "looks_like_login: a web page came where JSON is declared; the credentials may be missing or expired"
        + ("; whether the write happened is not known" if asked.writes else ""),
    )
