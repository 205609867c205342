"""What came instead of a document: web pages, files of another kind, nothing at all."""

from __future__ import annotations

import re

from periplus.model import Code, Problem

_EXPECTED = "a JSON or YAML document was expected"
_SIGNATURES = (
    (b"%PDF-", "a PDF file"),
    (b"\x1f\x8b", "gzip data"),
    (b"PK\x03\x04", "a ZIP archive"),
    (b"\x28\xb5\x2f\xfd", "zstd data"),
    (b"\xfd7zXZ\x00", "xz data"),
    (b"\x89PNG\r\n", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"GIF8", "a GIF image"),
    (b"\x7fELF", "a program"),
)
_LOGIN = re.compile(
    rb"""type\s*=\s*["']?password|<title[^>]{0,99}>[^<]{0,99}(?:log[ -]?in|sign[ -]?in|authenticat)""", re.IGNORECASE
)
_TITLE = re.compile(rb"<title[^>]{0,99}>(.{0,200}?)</title", re.IGNORECASE | re.DOTALL)
_HTML = re.compile(rb"<(?:!doctype\s+html|html|head|body|script|title|meta)\b", re.IGNORECASE)
_HEAD = 65536


def refuse_foreign(data: bytes, name: str, media_type: str | None) -> None:
    """Raise a problem that names what came, if its first bytes already show that it is no document."""
    for signature, kind in _SIGNATURES:
        if data.startswith(signature):
            raise _foreign(kind, data, name, media_type, "the address or file holds something else")


def refuse_page(data: bytes, name: str, media_type: str | None) -> None:
    """Raise a problem for nothing, and for text that begins like a web page; `data` is clean UTF-8."""
    head = data[:_HEAD].lstrip()
    if not head:
        if data.strip():
            return
        raise _foreign("nothing" if not data else "only white space", b"", name, media_type, "look at its source")
    if not head.startswith(b"<"):
        return
    if not _HTML.search(head):
        raise _foreign("XML", head, name, media_type, "use the JSON or YAML form of the description")
    if _LOGIN.search(head):
        raise _foreign("a login page (HTML)", head, name, media_type, "the address wants credentials: configure them")
    raise _foreign("a web page (HTML)", head, name, media_type, "use the address of the description, not of its page")


def refuse_value(value: object, data: bytes, name: str, media_type: str | None) -> None:
    """Raise a problem for a document that is one bare word: "Not Found", "null", "42"."""
    if value is None:
        raise _foreign("an empty document", data, name, media_type, "look at what the address answers")
    if not isinstance(value, dict | list):
        raise _foreign("plain text", data, name, media_type, "look at what the address answers")


def _foreign(kind: str, head: bytes, name: str, media_type: str | None, hint: str) -> Problem:
    typed = f" as {media_type}" if media_type else ""
    words = first_words(head)
    shown = f", starting {words!r}" if words else ""
    return Problem(Code.PARSE_ERROR, f"{name}: {kind} came{typed}{shown}; {_EXPECTED}", hints=(hint,), where=name)


def first_words(head: bytes) -> str:
    """The first words for a message: the title of a page, else how the text begins."""
    title = _TITLE.search(head[:_HEAD])
    text = (title.group(1) if title else head[:400]).decode("utf-8", "replace")
    words = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return words if len(words) <= 80 else words[:79] + "…"
