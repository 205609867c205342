"""Forms: members as pairs of name and value, each by what `encoding` says of it (S-52)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from periplus.transports.openapi import quoting, styles
from periplus.transports.openapi.quoting import Quote
from periplus.transports.openapi.styles import Pairs
from periplus.transports.openapi.values import as_json, is_whole, text_of


def urlencoded(media: Mapping[str, Any], members: Mapping[str, Any], deep_arrays: str) -> bytes:
    """The members of a form, encoded; what is null or empty is absent."""
    encoding = media.get("encoding", {})
    pairs: Pairs = []
    for name, value in members.items():
        told = encoding.get(name, {})
        quote = quoting.reserved_in_form if told.get("allowReserved") is True else quoting.plus
        pairs += member(name, value, told, quote, deep_arrays)
    return "&".join(f"{key}={text}" for key, text in pairs).encode("ascii")


def member(name: str, value: Any, told: Mapping[str, Any], quote: Quote, deep_arrays: str) -> Pairs:
    """One member: by its style if it has one, else scalars plain, lists repeated, objects as JSON."""
    if "collection" in told and isinstance(value, list):
        return styles.collection(name, value, quote, dict(told))
    if told.keys() & {"style", "explode", "allowReserved"}:
        return styled(name, value, told, quote, deep_arrays)
    if value is None:
        return []
    if "json" in str(told.get("contentType", "")):
        return [(quote(name, "="), quote(as_json(value).decode(), ""))]
    items = value if isinstance(value, list) else [value]
    return [(quote(name, "="), quote(text_of(item), "")) for item in items if item is not None]


def styled(name: str, value: Any, told: Mapping[str, Any], quote: Quote, deep_arrays: str) -> Pairs:
    """A member by its style, as a query has it."""
    style = told.get("style", "form")
    if style == "deepObject" and not is_whole(value):
        return styles.deep(name, value, quote, deep_arrays)
    explode = told.get("explode", style == "form")
    delimiter = styles.DELIMITERS.get(style, ",")
    return styles.form(name, value, quote, explode=explode is True, delimiter=delimiter)
