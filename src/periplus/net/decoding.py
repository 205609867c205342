"""A compressed body, opened in bounded steps: a small answer must not become a large one unseen."""

from __future__ import annotations

import zlib
from collections.abc import Iterator

from periplus.model import Code, Problem

ACCEPTED = "gzip, deflate"
MAX_RATIO = 100
FREE_BYTES = 64 * 1024  # below this a high ratio harms nobody and says nothing

_STEP = 1 << 20
_GZIP = b"\x1f\x8b"
_EITHER = zlib.MAX_WBITS | 32  # gzip or zlib, told by the first bytes


class Inflater:
    """Bytes of one gzip or deflate body in, the bytes they stand for out."""

    def __init__(self, shown: str, coding: str) -> None:
        self._shown = shown
        self._coding = coding
        self._open = zlib.decompressobj(_EITHER)
        self._started = False
        self._taken = 0
        self._given = 0

    def feed(self, chunk: bytes) -> Iterator[bytes]:
        self._taken += len(chunk)
        if chunk and not self._started:
            self._started = True
            if self._coding == "deflate" and chunk[0] & 0x0F != 8:  # bare, as some servers understand "deflate"
                self._open = zlib.decompressobj(-zlib.MAX_WBITS)
        while True:
            piece = self._step(chunk)
            if piece:
                yield piece
            chunk = self._open.unconsumed_tail
            if self._open.eof:
                chunk = self._open.unused_data
                if not chunk.startswith(_GZIP):  # padding after the end is legal
                    return
                self._open = zlib.decompressobj(_EITHER)
            elif not chunk and len(piece) < _STEP:
                return

    def finish(self) -> None:
        """Refuse a body that ends in the middle."""
        if self._started and not self._open.eof:
            raise Problem(
                Code.UPSTREAM_ERROR,
                f"the {self._coding} body of {self._shown} ends in the middle",
                retryable=True,
            )

    def _step(self, chunk: bytes) -> bytes:
        try:
            piece = self._open.decompress(chunk, _STEP)
        except zlib.error as error:
            raise Problem(
                Code.UPSTREAM_ERROR, f"the body of {self._shown} says it is {self._coding} and is not: {error}"
            ) from error
        self._given += len(piece)
        if self._given > max(FREE_BYTES, MAX_RATIO * self._taken):
            raise Problem(
                Code.OVER_LIMIT,
                f"{self._shown} unpacks to more than {MAX_RATIO} times its size; that limit is fixed",
                hints=("serve the document without compression",),
            )
        return piece


def inflater_for(shown: str, content_encoding: str) -> Inflater | None:
    """How to open a body with this `Content-Encoding`; None when it is not packed."""
    codings = [word for word in content_encoding.lower().replace(" ", "").split(",") if word not in ("", "identity")]
    if not codings:
        return None
    if len(codings) == 1 and codings[0].removeprefix("x-") in ("gzip", "deflate"):
        return Inflater(shown, codings[0].removeprefix("x-"))
    raise Problem(
        Code.UPSTREAM_ERROR,
        f"{shown} answered in the encoding {content_encoding[:60]!r}, which was not asked for",
        hints=(f"the server must honour Accept-Encoding: {ACCEPTED}",),
    )
