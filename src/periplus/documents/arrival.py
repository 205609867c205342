"""Bytes as they arrived, made into clean UTF-8: byte order marks, UTF-16, broken bytes, control characters."""

from __future__ import annotations

import codecs
import re

from periplus.documents.values import DecodeLimits, Notes, Place

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16: its mark begins with the other's
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_C0 = bytes(code for code in range(0x20) if code not in b"\t\n\r")
_CONTROL = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1f]|\xc2[\x80-\x9f]")
_C1 = re.compile(rb"\xc2[\x80-\x9f]")
_PIECE = 1 << 20
_INSTEAD = "\ufffd".encode()


def arrived(data: bytes, notes: Notes, name: str, limits: DecodeLimits) -> bytes:
    """The document as clean UTF-8 without a mark; each replacement is noted."""
    if len(data) > limits.document_bytes:
        raise limits.exceeded("document_bytes", f"{len(data)} bytes", name)
    data = _as_utf8(data, notes)
    if not data.isascii() and not _is_utf8(data):
        data = _mended(data, notes)
    if _has_controls(data):
        data = _without_controls(data, notes)
    return data


def place_of(data: bytes, offset: int) -> Place:
    """Where the byte at an offset stands."""
    start = data.rfind(b"\n", 0, offset) + 1
    column = len(data[start:offset].decode("utf-8", "replace")) + 1
    return Place(data.count(b"\n", 0, offset) + 1, column)


def _as_utf8(data: bytes, notes: Notes) -> bytes:
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            rest = data[len(mark) :]
            return rest if encoding == "utf-8" else _transcoded(rest, encoding, notes)
    encoding = _unmarked(data[:4])
    return _transcoded(data, encoding, notes) if encoding else data


def _unmarked(head: bytes) -> str:
    """UTF-16 without a mark, seen by the zero bytes around the first two characters."""
    if len(head) < 4 or head.count(0) != 2:
        return ""
    if head[1] == head[3] == 0:
        return "utf-16-le"
    return "utf-16-be" if head[0] == head[2] == 0 else ""


def _transcoded(data: bytes, encoding: str, notes: Notes) -> bytes:
    try:
        return data.decode(encoding).encode()
    except UnicodeDecodeError as error:
        notes.lenient(f"invalid {encoding.upper()} at byte {error.start} was replaced by U+FFFD")
        return data.decode(encoding, "replace").encode()


def _is_utf8(data: bytes) -> bool:
    """Whether every byte belongs to a character, found without a second copy of a large document."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    view = memoryview(data)
    try:
        for start in range(0, len(view), _PIECE):
            decoder.decode(view[start : start + _PIECE])
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    return True


def _mended(data: bytes, notes: Notes) -> bytes:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        byte, place = data[error.start], place_of(data, error.start)
        notes.lenient(f"invalid UTF-8 was replaced by U+FFFD, first byte 0x{byte:02x}", place)
    return data.decode("utf-8", "replace").encode()


def _has_controls(data: bytes) -> bool:
    if not data.isascii() and _C1.search(data):
        return True
    view = memoryview(data)
    for start in range(0, len(view), _PIECE):
        piece = bytes(view[start : start + _PIECE])
        if len(piece.translate(None, _C0)) != len(piece):
            return True
    return False


def _without_controls(data: bytes, notes: Notes) -> bytes:
    first = _CONTROL.search(data)
    if first is None:
        return data
    cleaned, count = _CONTROL.subn(_INSTEAD, data)
    shown = f"U+{ord(first.group().decode()):04X}"
    place = place_of(data, first.start())
    notes.lenient(f"control characters were replaced by U+FFFD: {count}, the first {shown}", place)
    return cleaned
