"""An answer taken in whole, or as much of it as may come (S-74)."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import anyio
import msgspec

from periplus.answers.media import Form, Media, media_of
from periplus.model import Code, Problem
from periplus.ports import Calling, HttpReply

STREAM_BYTES = 1 << 20
_REFUSAL_BYTES = 256 << 10
_BODILESS = frozenset({204, 205, 304})


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """What was asked for, as far as it decides how the answer is read."""

    method: str = "GET"
    url: str = ""  # as it was sent, whole
    writes: bool = False  # the tool's effect is more than READ
    json: bool = True  # JSON is among the declared answers, or nothing is declared
    headers: tuple[str, ...] = ()  # declared response headers, lower case
    poll: str = ""  # the header that is declared to name where a result will be
    arguments: dict[str, Any] = {}  # as the caller gave them
    query: dict[str, str] = {}  # member of the query -> the argument it takes
    args_schema: dict[str, Any] = {}


class Received(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """An answer with its body, and the way to take credentials out of it."""

    status: int
    headers: tuple[tuple[str, str], ...]
    url: str
    body: bytes
    redact: Callable[[str], str]
    truncated: bool = False
    advice: str = ""  # what the operator could configure, should this be a refusal

    @cached_property
    def media(self) -> Media:
        return media_of(self.header("content-type"))

    def header(self, name: str) -> str:
        """The first header of that lower-case name, or nothing."""
        return next((text for known, text in self.headers if known == name), "")


async def receive(reply: HttpReply, calling: Calling, method: str = "GET") -> Received:
    """Take the body in, within the limits of the call and of its form."""
    head = Received(
        status=reply.status,
        headers=reply.headers,
        url=reply.url,
        body=b"",
        redact=reply.redact,
        advice=reply.advice,
    )
    if method == "HEAD" or reply.status in _BODILESS:
        return head
    if reply.status >= 300:
        body, truncated = await _some(reply, _REFUSAL_BYTES)
    elif head.media.form.is_stream:
        body, truncated = await _stream(reply, calling)
    else:
        body, truncated = await _some(reply, calling.response_bytes)
        if truncated and not _may_be_cut(head):
            raise _too_large(reply, calling)
    return msgspec.structs.replace(head, body=body, truncated=truncated)


async def _some(reply: HttpReply, limit: int) -> tuple[bytes, bool]:
    pieces: list[bytes] = []
    size = 0
    async for piece in reply.body():
        pieces.append(piece)
        size += len(piece)
        if size > limit:
            return b"".join(pieces)[:limit], True
    return b"".join(pieces), False


async def _stream(reply: HttpReply, calling: Calling) -> tuple[bytes, bool]:
    """Items as they come, until the end, the time or the size that a stream has."""
    taken = bytearray()
    with anyio.move_on_after(calling.stream_s) as scope:
        async for piece in reply.body():
            taken += piece
            if len(taken) > STREAM_BYTES:
                return bytes(taken[:STREAM_BYTES]), True
    return bytes(taken), scope.cancelled_caught


def _may_be_cut(head: Received) -> bool:
    """Half a text is a text; half a file or half a JSON value is nothing."""
    return head.media.form is Form.TEXT and not is_attachment(head)


def is_attachment(received: Received) -> bool:
    return received.header("content-disposition").partition(";")[0].strip().lower() == "attachment"


def _too_large(reply: HttpReply, calling: Calling) -> Problem:
    return Problem(
        Code.TOO_LARGE,
        f"the answer is larger than {calling.response_bytes} bytes, the limit [limits] response_bytes",
        hints=("ask for less: a page, a filter, fewer fields", "raise [limits] response_bytes if it is meant"),
        details={"http_status": reply.status},
    )
