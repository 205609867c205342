"""Multipart bodies: a part for each member or item, and a border that none of them contains (S-52)."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from periplus.documents import enclosures
from periplus.transports.openapi import quoting
from periplus.transports.openapi.forms import styled
from periplus.transports.openapi.values import as_json, is_whole, refuse, text_of

_OCTETS: Final = "application/octet-stream"
_QUOTED: Final = str.maketrans({'"': "%22", "\r": "%0D", "\n": "%0A"})
_STYLED: Final = frozenset({"style", "explode", "allowReserved"})


class Part(NamedTuple):
    """One part: its headers and its bytes."""

    headers: tuple[tuple[str, str], ...]
    content: bytes


class Multipart(NamedTuple):
    """A finished body and the media type that names its border."""

    content_type: str
    content: bytes


def of_members(media: Mapping[str, Any], members: Mapping[str, Any], deep_arrays: str) -> Multipart:
    """A part for each member in order, lists item by item."""
    encoding, held = media.get("encoding", {}), frozenset(media.get("files", ()))
    parts: list[Part] = []
    for name, value in members.items():
        told = encoding.get(name, {})
        if value is None:
            continue
        if name in held:
            parts += _files(name, value, told)
        elif told.keys() & _STYLED and "contentType" not in told:
            pairs = styled(name, value, told, quoting.plain, deep_arrays)
            parts += [_part(key, text.encode(), "", "", told) for key, text in pairs]
        else:
            parts += [_value(name, item, told) for item in _items(value) if item is not None]
    return _joined(media["type"], parts)


def of_items(media: Mapping[str, Any], items: list[Any]) -> Multipart:
    """A part for each item of a list: `prefixEncoding` says how the first are written, `itemEncoding` the rest."""
    first = media.get("prefixEncoding", ())
    rest = media.get("itemEncoding", {})
    parts: list[Part] = []
    for at, item in enumerate(items):
        told = first[at] if at < len(first) else rest
        if _is_file(item) or (isinstance(item, str) and not _text_type(told)):
            parts += _files("", item, told)
        else:
            parts.append(_value("", item, told))
    return _joined(media["type"], parts)


def _items(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _is_file(item: Any) -> bool:
    return isinstance(item, bytes) or (isinstance(item, dict) and bool(item.keys() & {"base64", "cache_ref", "bytes"}))


def _text_type(told: Mapping[str, Any]) -> bool:
    kind = str(told.get("contentType", "text/plain"))
    return kind.startswith("text/") or "json" in kind or "xml" in kind


def _files(name: str, value: Any, told: Mapping[str, Any]) -> Iterator[Part]:
    for item in _items(value):
        if item is not None:
            file = enclosures.read(item, name or "body")
            filename = file.filename or (name or "")
            yield _part(name, file.content, filename or "file", _media_type(file.media_type, told), told)


def _media_type(given: str, told: Mapping[str, Any]) -> str:
    """What was given with the file where the document allows several, else what it declares."""
    declared = [one.strip() for one in str(told.get("contentType", "")).split(",") if one.strip()]
    if given and given.isascii() and given.isprintable() and (len(declared) != 1 or "*" in declared[0]):
        return given
    return next((one for one in declared if "*" not in one), _OCTETS)


def _value(name: str, value: Any, told: Mapping[str, Any]) -> Part:
    """A part that is no file: JSON if it has members or is declared so, else its text."""
    declared = str(told.get("contentType", "")).partition(",")[0].strip()
    if "json" in declared or not is_whole(value):
        kind = declared if "json" in declared else declared or "application/json"
        return _part(name, as_json(value), "", kind if "*" not in kind else "application/json", told)
    return _part(name, text_of(value).encode(), "", "" if "*" in declared else declared, told)


def _part(name: str, content: bytes, filename: str, kind: str, told: Mapping[str, Any]) -> Part:
    disposition = f'form-data; name="{name.translate(_QUOTED)}"' if name else "attachment"
    if filename:
        disposition += f'; filename="{filename.translate(_QUOTED)}"'
    headers: list[tuple[str, str]] = []
    if name or filename:
        headers.append(("Content-Disposition", disposition))
    if kind:
        headers.append(("Content-Type", kind))
    headers += [(str(key), text_of(value)) for key, value in told.get("headers", {}).items()]
    for key, text in headers[1:]:
        if any(letter in "\r\n\0" for letter in key + text):
            raise refuse(name or "body", f"the header {key!r} of its part has a line break")
    return Part(tuple(headers), content)


def _joined(declared: str, parts: list[Part]) -> Multipart:
    """The parts between borders. The border is the parts' own digest, so that it is in none of them."""
    digest = hashlib.blake2b(digest_size=16)
    for part in parts:
        digest.update(repr(part.headers).encode())
        digest.update(part.content)
    border = f"periplus-{digest.hexdigest()}"
    out = bytearray()
    for part in parts:
        head = "".join(f"{name}: {text}\r\n" for name, text in part.headers)
        out += f"--{border}\r\n{head}\r\n".encode() + part.content + b"\r\n"
    out += f"--{border}--\r\n".encode()
    kind = ";".join(one for one in declared.split(";") if not one.strip().lower().startswith("boundary"))
    return Multipart(f"{kind}; boundary={border}", bytes(out))
