"""The parameters of a call, each written into its place: path, query, headers, cookies (S-44, S-48 to S-50)."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Final

import msgspec

from periplus.transports.openapi import quoting, styles
from periplus.transports.openapi.forms import urlencoded
from periplus.transports.openapi.values import ascii_json, is_whole, refuse, text_of, unicode_json

_TOKEN: Final = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")
_UNSENDABLE: Final = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]|[^\x00-\xff]")
_NO_COOKIE: Final = re.compile(r"[;\x00-\x1f\x7f]|[^\x00-\xff]")
_DOTS: Final = frozenset({"", ".", ".."})
_MISSING: Final = object()


class Placed(msgspec.Struct, kw_only=True):
    """What the parameters of one call come to. Everything is encoded as it will be sent."""

    path: dict[str, str] = {}
    query: list[str] = []
    headers: list[tuple[str, str]] = []
    cookies: list[str] = []
    notes: list[str] = []


class Wishes(msgspec.Struct, frozen=True, kw_only=True):
    """What decides beside the arguments: the source's `deep_arrays`, the call's key, what may not be missing."""

    deep_arrays: str = "brackets"
    idempotency_key: str = ""
    required: tuple[str, ...] = ()


def place(wires: list[dict[str, Any]], arguments: Mapping[str, Any], wishes: Wishes) -> Placed:
    """Write every parameter that has a value into its place."""
    placed = Placed(path={}, query=[], headers=[], cookies=[], notes=[])
    for wire in wires:
        argument = wire.get("arg", wire["name"])
        value = wire["const"] if "const" in wire else arguments.get(argument, _MISSING)
        if value is _MISSING and wire.get("fill") == "idempotency_key" and wishes.idempotency_key:
            value = wishes.idempotency_key
        if value is _MISSING:
            continue
        written = _PLACES[wire["in"]](wire, value, argument, placed, wishes.deep_arrays)
        if not written and argument in wishes.required:
            raise refuse(argument, f"is required, and {text_of(value)} leaves nothing to send in the {wire['in']}")
    return placed


def _path(wire: dict[str, Any], value: Any, argument: str, placed: Placed, _: str) -> bool:
    name, style = wire["name"], wire.get("style", "simple")
    quote = quoting.reserved_in_path if wire.get("reserved") else quoting.strict
    explode = wire.get("explode", False)
    if "content" in wire:
        text = quoting.strict(_content(wire["content"], value, argument))
    elif "collection" in wire and isinstance(value, list):
        text = styles.listed(value, quote, wire)
    elif value is None:
        text = ""
    elif style == "label":
        text = styles.label(value, quote, explode=explode)
    elif style == "matrix":
        text = styles.matrix(quoting.strict(name), value, quote, explode=explode)
    else:
        text = styles.simple(value, quote, explode=explode)
    if text in _DOTS:
        raise refuse(argument, f"{value!r} cannot be a path segment", "give a value that is not empty, '.' or '..'")
    placed.path[name] = text
    return True


def _query(wire: dict[str, Any], value: Any, argument: str, placed: Placed, deep_arrays: str) -> bool:
    name, style = wire["name"], wire.get("style", "form")
    quote = quoting.reserved_in_query if wire.get("reserved") else quoting.strict
    if "content" in wire:
        pairs = [(quoting.strict(name), quote(_content(wire["content"], value, argument), ""))]
    elif "collection" in wire and isinstance(value, list):
        pairs = styles.collection(name, value, quote, wire)
    elif style == "deepObject":
        pairs = styles.deep(name, value, quote, deep_arrays)
    else:
        _note_json(value, argument, placed)
        delimiter = styles.DELIMITERS.get(style, ",")
        explode = wire.get("explode", style == "form")
        pairs = styles.form(name, value, quote, explode=explode, delimiter=delimiter)
    placed.query += [f"{key}={text}" for key, text in pairs]
    return bool(pairs)


def _querystring(wire: dict[str, Any], value: Any, argument: str, placed: Placed, _: str) -> bool:
    """3.2: the whole query in one media type."""
    kind = wire.get("content", "application/x-www-form-urlencoded")
    if kind.startswith("application/x-www-form-urlencoded") and isinstance(value, dict):
        text = urlencoded({"type": kind}, value, "brackets").decode()
    else:
        text = quoting.strict(_content(kind, value, argument))
    if text:
        placed.query.append(text)
    return bool(text)


def _header(wire: dict[str, Any], value: Any, argument: str, placed: Placed, _: str) -> bool:
    name = wire["name"]
    if value is None or (not value and not is_whole(value)):
        return False
    if "content" in wire:
        text = _content(wire["content"], value, argument, write=ascii_json)
    elif "collection" in wire and isinstance(value, list):
        text = styles.listed(value, quoting.plain, wire)
    else:
        _note_json(value, argument, placed)
        text = styles.simple(value, quoting.plain, explode=wire.get("explode", False))
    if not _TOKEN.fullmatch(name):
        raise refuse(argument, f"{name!r} cannot be the name of a header")
    if _UNSENDABLE.search(text):
        raise refuse(argument, "a header carries no line breaks, controls or letters outside Latin-1")
    if name.lower() == "cookie":
        placed.cookies.append(text)
    else:
        placed.headers.append((name, text.strip(" \t")))
    return True


def _cookie(wire: dict[str, Any], value: Any, argument: str, placed: Placed, _: str) -> bool:
    name, style = wire["name"], wire.get("style", "form")
    quote = quoting.plain if style == "cookie" else quoting.cookie
    if "content" in wire:
        pairs = [(quoting.cookie(name, "="), quoting.cookie(_content(wire["content"], value, argument)))]
    else:
        _note_json(value, argument, placed)
        pairs = styles.form(name, value, quote, explode=wire.get("explode", True))
    for key, text in pairs:
        if _NO_COOKIE.search(key) or _NO_COOKIE.search(text):
            raise refuse(argument, "a cookie carries no semicolons, controls or letters outside Latin-1")
        placed.cookies.append(f"{key}={text}")
    return bool(pairs)


def _content(kind: str, value: Any, argument: str, *, write: Callable[[Any], str] = unicode_json) -> str:
    """A value in the form of a media type; a text in any type but JSON stands for itself."""
    essence = kind.partition(";")[0].strip().lower()
    if "json" not in essence and isinstance(value, str):
        return value
    if essence == "application/x-www-form-urlencoded" and isinstance(value, dict):
        return urlencoded({"type": kind}, value, "brackets").decode()
    if "json" not in essence and not is_whole(value):
        raise refuse(argument, f"only a text can be sent as {kind}")
    return write(value)


def _note_json(value: Any, argument: str, placed: Placed) -> None:
    """Members that have members have no spelling of their own there."""
    if is_whole(value):
        return
    items = value.values() if isinstance(value, dict) else value
    if any(not is_whole(item) for item in items):
        placed.notes.append(f"{argument}: what is nested in it is sent as JSON")


_PLACES: Final[dict[str, Callable[[dict[str, Any], Any, str, Placed, str], bool]]] = {
    "path": _path,
    "query": _query,
    "querystring": _querystring,
    "header": _header,
    "cookie": _cookie,
}
