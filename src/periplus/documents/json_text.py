"""JSON text to a value: fast where it is what it should be, lenient where its meaning is plain."""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import Any, NoReturn, TypeVar

import msgspec

from periplus.documents.arrival import place_of
from periplus.documents.foreign import first_words
from periplus.documents.numbers import integer, real
from periplus.documents.values import DecodeLimits, Notes
from periplus.model import Code, Problem

T = TypeVar("T")

_DECODER = msgspec.json.Decoder(float_hook=real)
_ENCODER = msgspec.json.Encoder(decimal_format="number")
_NEITHER_BRACKET_NOR_QUOTE = bytes(code for code in range(256) if code not in b'{}[]"')
_REST_OF_ESCAPE = re.compile(rb"\\*+.?", re.DOTALL)
_ESCAPE = re.compile(rb"\\.", re.DOTALL)
_PIECE = 1 << 20
_ALIKE = bytes.maketrans(b"{}", b"[]")
_QUOTED = re.compile(rb'"[^"]*"')
_STRING = re.compile(rb'"(?:[^"\\]|\\.)*+"', re.DOTALL)
_LONE = re.compile(
    rb"(?<!\\)((?:\\\\)*)(?:(\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})|\\u[dD][89a-fA-F][0-9a-fA-F]{2})"
)


class _NoNumberError(ValueError):
    """`NaN` or `Infinity`, which JSON does not have."""


def decode_json(data: bytes, name: str, limits: DecodeLimits, notes: Notes) -> Any:
    """The value of clean UTF-8 JSON. Raises `json.JSONDecodeError` where it is none."""
    check_size(data, name, limits)
    try:
        value = _DECODER.decode(data)
    except (msgspec.DecodeError, RecursionError):
        return _decode_leniently(data, name, limits, notes)
    _note_repeats(data, value, notes)
    return value


def decode_part(data: bytes | msgspec.Raw) -> Any:
    """The value of one member of a document that was checked as a whole."""
    try:
        return _DECODER.decode(data)
    except msgspec.DecodeError:
        value, _ = _lenient(bytes(data), [])
        return value


def check_size(data: bytes, name: str, limits: DecodeLimits) -> None:
    """Refuse nesting and numbers of nodes over the limit before anything is built."""
    if not _is_shallow(_brackets(data), limits.nesting):
        raise limits.exceeded("nesting", f"more than {limits.nesting} levels", name)
    # A node takes two bytes at least, so most documents need no count.
    few = len(data) // 2 <= limits.nodes or _nodes(data) <= limits.nodes
    if not few and _nodes(_STRING.sub(b'""', data)) > limits.nodes:
        raise limits.exceeded("nodes", f"more than {limits.nodes} nodes", name)


def json_problem(error: json.JSONDecodeError, data: bytes, name: str) -> Problem:
    """The refusal of broken JSON, with its place and the text there."""
    lines = data.count(b"\n") + 1
    where = f"{name}:{error.lineno}:{error.colno}"
    text = error.doc[max(0, error.pos - 40) : error.pos + 40].strip()
    shown = first_words(text.encode("utf-8", "replace"))
    cut = error.pos >= len(error.doc.rstrip()) or error.msg.startswith("Unterminated string")
    ends = f"; it ends on line {lines}, as if it had been cut off" if cut else ""
    hint = "fetch it again: it looks truncated" if cut else "mend the document at that place"
    message = f"{where} is not JSON: {error.msg}, at {shown!r}{ends}"
    return Problem(Code.PARSE_ERROR, message, hints=(hint,), where=where)


def _brackets(data: bytes) -> bytes:
    """The brackets outside texts, found by steps over whole pieces that cost next to nothing."""
    kept: list[bytes] = []
    start = 0
    while start < len(data):
        end = start + _PIECE
        if data[end - 1 : end] == b"\\":  # never cut an escape in two
            rest = _REST_OF_ESCAPE.match(data, end)
            end = rest.end() if rest else end
        kept.append(_signs(data[start:end]))
        start = end
    return _QUOTED.sub(b"", b"".join(kept)).replace(b'"', b"")


def _signs(piece: bytes) -> bytes:
    """The brackets of a piece, all made square, and the quotes that open and close texts."""
    piece = _ESCAPE.sub(b"", piece)
    # Two quotes in a row are an empty text, or the seam of two texts: either way they can go.
    return piece.translate(_ALIKE, _NEITHER_BRACKET_NOR_QUOTE).replace(b'""', b"")


def _is_shallow(brackets: bytes, nesting: int) -> bool:
    """Whether brackets nest no deeper: each pass takes the innermost level away."""
    for _ in range(nesting):
        fewer = brackets.replace(b"[]", b"")
        if not fewer:
            return True
        if len(fewer) == len(brackets):  # unbalanced, so no JSON: only spare the decoders a deep dive
            return len(fewer) <= nesting
        brackets = fewer
    return not brackets


def _nodes(data: bytes) -> int:
    return sum(data.count(sign) for sign in (b",", b":", b"[", b"{")) + 1


def _note_repeats(data: bytes, value: Any, notes: Notes) -> None:
    """Repeated keys, found by counting: written out again, the value has fewer members than the text."""
    written, kept = data.count(b'":'), _ENCODER.encode(value).count(b'":')
    if written < kept:  # not every name has its colon beside it
        written += data.count(b'" :')
    if written <= kept:
        return
    repeated: list[str] = []
    _lenient(data, repeated)
    _note_repeated(repeated, notes)


def _note_repeated(repeated: list[str], notes: Notes) -> None:
    for key, times in Counter(repeated).items():
        places = f" in {times} objects" if times > 1 else ""
        notes.lenient(f"the key {key[:80]!r} is repeated{places}; the last one counts")


def _decode_leniently(data: bytes, name: str, limits: DecodeLimits, notes: Notes) -> Any:
    repeated: list[str] = []
    try:
        value, lone = _lenient(data, repeated)
    except RecursionError as error:
        raise limits.exceeded("nesting", "more levels than can be read here", name) from error
    if lone is not None:
        notes.lenient("half a surrogate pair was replaced by U+FFFD", place_of(data, lone))
    _note_repeated(repeated, notes)
    return value


def _lenient(data: bytes, repeated: list[str]) -> tuple[Any, int | None]:
    """The value with raw tabs and line breaks in texts, halves of surrogate pairs and endless numbers allowed."""
    lone = next((match.start() for match in _LONE.finditer(data) if match.group(2) is None), None)
    if lone is not None:
        data = _LONE.sub(lambda match: match.group(1) + (match.group(2) or rb"\ufffd"), data)

    def members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        result = dict(pairs)
        if len(result) != len(pairs):
            counts = Counter(key for key, _ in pairs)
            repeated.extend(key for key, count in counts.items() if count > 1)
        return result

    text = data.decode("utf-8", "replace")
    decoder = json.JSONDecoder(
        strict=False,
        parse_int=integer,
        parse_float=real,
        parse_constant=_refuse_constant,
        object_pairs_hook=members,
    )
    try:
        return decoder.decode(text), lone
    except _NoNumberError as error:
        found = re.search(rf"[\[:,]\s*({error})", text)
        raise json.JSONDecodeError(f"{error} is not JSON", text, found.start(1) if found else 0) from error


def _refuse_constant(word: str) -> NoReturn:
    raise _NoNumberError(word)
