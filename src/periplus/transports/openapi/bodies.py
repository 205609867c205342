"""The body of a call in the media type that was chosen for it (S-45 to S-47, S-52, S-53)."""

from __future__ import annotations

import codecs
from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from periplus.documents import enclosures
from periplus.transports.openapi import forms, multipart, xml
from periplus.transports.openapi.values import as_json, refuse, text_of

Media = Mapping[str, Any]

_MISSING: Final = object()


class Body(NamedTuple):
    """The bytes of a body and what they are; no type means that there is no body."""

    content_type: str = ""
    content: bytes = b""


def build(binding: Media | None, arguments: Mapping[str, Any], deep_arrays: str) -> Body:
    """The body that the arguments make; an optional one that got none is not sent."""
    if binding is None:
        return Body()
    media = _chosen(binding, arguments)
    value = _value(media, arguments)
    if value is _MISSING:
        if not binding["required"]:
            return Body()
        value = _nothing(media)
    return _WRITERS[media["kind"]](media, value, deep_arrays)


def _chosen(binding: Media, arguments: Mapping[str, Any]) -> Media:
    wanted = arguments.get(binding.get("choice", ""))
    found = next((one for one in binding["media"] if one["type"] == wanted), None)
    first: Media = binding["media"][0]
    return found or first


def _value(media: Media, arguments: Mapping[str, Any]) -> Any:
    """What is to be sent: the argument that is the whole, or the members that were given."""
    if media.get("argument", "") in arguments:
        return arguments[media["argument"]]
    if "members" not in media:
        return _MISSING
    names = media.get("args", {})
    given = {name: arguments[argument] for name in media["members"] if (argument := names.get(name, name)) in arguments}
    further = arguments.get(media["extra"]) if "extra" in media else None
    if not given and further is None:
        return _MISSING
    return {**media.get("const", {}), **given, **(further or {})}


def _nothing(media: Media) -> Any:
    """A required body that got no arguments: its constants, or nothing."""
    if "members" in media:
        return dict(media.get("const", {}))
    raise refuse(str(media.get("argument", "body")), "is the body, which is required, and was not given")


def _json(media: Media, value: Any, _: str) -> Body:
    return Body(media["type"], as_json(value))


def _lines(media: Media, value: Any, _: str) -> Body:
    """Item by item: a line each, or a JSON text sequence (RFC 7464)."""
    if isinstance(value, str):
        return Body(media["type"], value.encode())
    items = value if isinstance(value, list) else [value]
    start = b"\x1e" if "json-seq" in media["type"] else b""
    return Body(media["type"], b"".join(start + as_json(item) + b"\n" for item in items))


def _form(media: Media, value: Any, deep_arrays: str) -> Body:
    if isinstance(value, str):
        return Body(media["type"], value.encode())
    if not isinstance(value, dict):
        raise refuse(str(media.get("argument", "body")), "a form is an object")
    return Body(media["type"], forms.urlencoded(media, value, deep_arrays))


def _multipart(media: Media, value: Any, deep_arrays: str) -> Body:
    if isinstance(value, dict):
        return Body(*multipart.of_members(media, value, deep_arrays))
    return Body(*multipart.of_items(media, value if isinstance(value, list) else [value]))


def _xml(media: Media, value: Any, _: str) -> Body:
    """Built from members, or the finished text."""
    return Body(media["type"], value.encode() if isinstance(value, str) else xml.document(media, value))


def _text(media: Media, value: Any, _: str) -> Body:
    """The string, in the charset its media type names."""
    charset = _charset(media["type"])
    try:
        return Body(media["type"], text_of(value).encode(charset))
    except UnicodeEncodeError as error:
        letter = text_of(value)[error.start]
        raise refuse(str(media.get("argument", "body")), f"{charset} has no letter {letter!r}") from error


def _charset(kind: str) -> str:
    for parameter in kind.split(";")[1:]:
        name, _, value = parameter.partition("=")
        if name.strip().lower() == "charset":
            try:
                return codecs.lookup(value.strip().strip('"')).name
            except LookupError:
                return "utf-8"
    return "utf-8"


def _file(media: Media, value: Any, _: str) -> Body:
    """The bytes; where the document leaves the type open, what the caller knows of them."""
    file = enclosures.read(value, str(media.get("argument", "body")))
    declared = media["type"]
    known = file.media_type if file.media_type.isascii() and file.media_type.isprintable() else ""
    family, _, subtype = declared.partition(";")[0].partition("/")
    if known and (subtype == "*" or declared.startswith("application/octet-stream")):
        declared = known
    elif subtype == "*":
        declared = "application/octet-stream" if family in {"*", "application"} else declared
    return Body("application/octet-stream" if "*" in declared else declared, file.content)


_WRITERS: Final[dict[str, Callable[[Media, Any, str], Body]]] = {
    "json": _json,
    "lines": _lines,
    "form": _form,
    "multipart": _multipart,
    "xml": _xml,
    "text": _text,
    "file": _file,
    "any": _file,
}
