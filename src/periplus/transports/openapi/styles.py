"""The styles of parameters: one value becomes a text, or pairs of name and text (OpenAPI's table of styles)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from periplus.transports.openapi.quoting import Quote
from periplus.transports.openapi.values import is_whole, text_of

Pairs = list[tuple[str, str]]

SEPARATORS: Final = {"csv": ",", "ssv": " ", "tsv": "\t", "pipes": "|"}
DELIMITERS: Final = {"form": ",", "spaceDelimited": " ", "pipeDelimited": "|"}


def simple(value: Any, quote: Quote, *, explode: bool, apart: str = ",", between: str = ",") -> str:
    """One text for a value in a path or a header; items stand between commas."""
    if isinstance(value, list):
        return between.join(quote(text_of(item), apart) for item in value if item is not None)
    if isinstance(value, dict):
        return between.join(_members(value, quote, apart=apart, sign="=" if explode else between))
    return quote(text_of(value), "")


def label(value: Any, quote: Quote, *, explode: bool) -> str:
    """The same behind a dot, which also separates what is exploded."""
    between = "." if explode else ","
    return "." + simple(value, quote, explode=explode, apart=between, between=between)


def matrix(name: str, value: Any, quote: Quote, *, explode: bool) -> str:
    """The same as `;name=value`."""
    if explode and isinstance(value, list):
        return "".join(f";{name}={quote(text_of(item), '')}" for item in value if item is not None)
    if explode and isinstance(value, dict):
        return "".join(f";{member}" for member in _members(value, quote, apart="", sign="="))
    text = simple(value, quote, explode=False)
    return f";{name}={text}" if text else f";{name}"


def _members(value: dict[str, Any], quote: Quote, *, apart: str, sign: str) -> Iterator[str]:
    for name, member in value.items():
        if member is not None:
            yield f"{quote(name, apart + sign)}{sign}{quote(text_of(member), apart)}"


def form(name: str, value: Any, quote: Quote, *, explode: bool, delimiter: str = ",") -> Pairs:
    """Pairs for a query, a form or cookies; nothing for what is null or empty."""
    key = quote(name, "=")
    if is_whole(value):
        return [] if value is None else [(key, quote(text_of(value), ""))]
    if isinstance(value, list):
        items = [item for item in value if item is not None]
        if explode:
            return [(key, quote(text_of(item), "")) for item in items]
        texts = [quote(text_of(item), delimiter) for item in items]
    else:
        members = {member: item for member, item in value.items() if item is not None}
        if explode:
            return [(quote(member, "="), quote(text_of(item), "")) for member, item in members.items()]
        texts = [quote(text, delimiter) for member, item in members.items() for text in (member, text_of(item))]
    between = delimiter if delimiter == "," else quote(delimiter, "")
    return [(key, between.join(texts))] if texts else []


def collection(name: str, value: list[Any], quote: Quote, wire: dict[str, Any]) -> Pairs:
    """2.0: a list by its collectionFormat."""
    items = [_inner(item, quote, wire) for item in value if item is not None]
    if wire["collection"] == "multi":
        return [(quote(name, "="), item) for item in items]
    text = between(items, wire["collection"], quote)
    return [(quote(name, "="), text)] if items else []


def between(items: list[str], kind: str, quote: Quote) -> str:
    """Written items with what separates them, itself written where it has to be."""
    separator = SEPARATORS.get(kind, ",")
    return (separator if separator == "," else quote(separator, "")).join(items)


def listed(value: list[Any], quote: Quote, wire: dict[str, Any]) -> str:
    """2.0: a list in a path or a header."""
    return between([_inner(item, quote, wire) for item in value if item is not None], wire["collection"], quote)


def _inner(item: Any, quote: Quote, wire: dict[str, Any]) -> str:
    apart = SEPARATORS.get(wire["collection"], "")
    if not isinstance(item, list):
        return quote(text_of(item), apart)
    kind = wire.get("inner", "csv")
    both = apart + SEPARATORS.get(kind, ",")
    return between([quote(text_of(one), both) for one in item if one is not None], kind, quote)


def deep(name: str, value: Any, quote: Quote, arrays: str) -> Pairs:
    """`deepObject`: `a[b][c]=x`; lists as the source's `deep_arrays` says (S-50)."""
    found: Pairs = []
    _descend(quote(name, "="), value, _Brackets(quote, quote("[", ""), quote("]", ""), arrays), found)
    return found


class _Brackets(NamedTuple):
    """How names grow: what is written once is not written again for each member below it."""

    quote: Quote
    opens: str
    closes: str
    arrays: str

    def at(self, place: int, item: Any) -> str:
        """What an item of a list adds to the list's name."""
        if self.arrays == "indices" or not is_whole(item):
            return f"{self.opens}{place}{self.closes}"
        return "" if self.arrays == "repeat" else self.opens + self.closes


def _descend(name: str, value: Any, brackets: _Brackets, found: Pairs) -> None:
    if isinstance(value, dict):
        for member, item in value.items():
            _descend(f"{name}{brackets.opens}{brackets.quote(member, '=')}{brackets.closes}", item, brackets, found)
    elif isinstance(value, list):
        for place, item in enumerate(value):
            _descend(name + brackets.at(place, item), item, brackets, found)
    elif value is not None:
        found.append((name, brackets.quote(text_of(value), "")))
