"""The one way from bytes to a value: what came is judged by its content, never by its name."""

from __future__ import annotations

import json

from periplus.documents.arrival import arrived
from periplus.documents.foreign import refuse_foreign, refuse_page, refuse_value
from periplus.documents.json_text import decode_json, json_problem
from periplus.documents.values import DEFAULT_LIMITS, Decoded, DecodeLimits, Notes, Place
from periplus.model import Code, Problem


def decode(
    data: bytes,
    *,
    name: str,
    media_type: str | None = None,
    limits: DecodeLimits = DEFAULT_LIMITS,
) -> Decoded:
    """The document as plain values; a problem with its place where it cannot be read (S-9, S-10)."""
    notes = Notes(name)
    clean = clean_text(data, notes, name=name, media_type=media_type, limits=limits)
    decoded = _decoded(clean, name, limits, notes)
    refuse_value(decoded.value, clean, name, media_type)
    return decoded


def clean_text(data: bytes, notes: Notes, *, name: str, media_type: str | None, limits: DecodeLimits) -> bytes:
    """Clean UTF-8 that may be a document; web pages, archives and nothing at all are refused."""
    refuse_foreign(data, name, media_type)
    clean = arrived(data, notes, name, limits)
    refuse_page(clean, name, media_type)
    return clean


def looks_like_json(clean: bytes) -> bool:
    return clean[:4096].lstrip()[:1] in {b"{", b"["}


def _decoded(clean: bytes, name: str, limits: DecodeLimits, notes: Notes) -> Decoded:
    if not looks_like_json(clean):
        return Decoded(value=_decode_yaml(clean, name, limits, notes), format="yaml", notes=notes.all())
    try:
        value = decode_json(clean, name, limits, notes)
    except json.JSONDecodeError as error:
        return _yaml_instead(clean, name, limits, notes, error)
    return Decoded(value=value, format="json", notes=notes.all())


def _yaml_instead(clean: bytes, name: str, limits: DecodeLimits, notes: Notes, error: json.JSONDecodeError) -> Decoded:
    """Flow-style YAML begins like JSON; where it is neither, the report is about JSON."""
    try:
        value = _decode_yaml(clean, name, limits, notes)
    except Problem as problem:
        flow_style = clean[: error.pos].strip() == b"{"  # its first key has no quotes: nobody meant JSON
        if problem.code is Code.PARSE_ERROR and not flow_style:
            raise json_problem(error, clean, name) from error
        raise
    notes.lenient(f"begins like JSON but is not ({error.msg}); it was read as YAML", Place(error.lineno, error.colno))
    return Decoded(value=value, format="yaml", notes=notes.all())


def _decode_yaml(clean: bytes, name: str, limits: DecodeLimits, notes: Notes) -> object:
    from periplus.documents.yaml_text import decode_yaml  # noqa: PLC0415 - most processes read none

    return decode_yaml(clean, name, limits, notes)
