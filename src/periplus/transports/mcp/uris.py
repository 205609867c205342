"""URI templates with their variables filled in (RFC 6570)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple
from urllib.parse import quote

_EXPRESSION = re.compile(r"\{([+#./;?&]?)([^{}]*)\}")
_VARIABLE = re.compile(r"([A-Za-z0-9_.%-]+)(?:(\*)|:([0-9]{1,4}))?")
_TRIPLET = re.compile(r"(%[0-9A-Fa-f]{2})")
_RESERVED = ":/?#[]@!$&'()*+,;="


class _Way(NamedTuple):
    """How one operator writes its variables."""

    first: str = ""
    between: str = ","
    named: bool = False
    bare: str = ""  # what stands after the name of an empty value
    safe: str = ""


_WAYS = {
    "": _Way(),
    "+": _Way(safe=_RESERVED),
    "#": _Way(first="#", safe=_RESERVED),
    ".": _Way(first=".", between="."),
    "/": _Way(first="/", between="/"),
    ";": _Way(first=";", between=";", named=True),
    "?": _Way(first="?", between="&", named=True, bare="="),
    "&": _Way(first="&", between="&", named=True, bare="="),
}


def expanded(template: str, arguments: dict[str, Any]) -> str:
    """The URI. What is not given is left out; a value stays inside its place, whatever stands in it."""

    def filled(found: re.Match[str]) -> str:
        way = _WAYS[found[1]]
        pieces = [piece for each in found[2].split(",") for piece in _pieces(each.strip(), way, arguments)]
        return way.first + way.between.join(pieces) if pieces else ""

    return _EXPRESSION.sub(filled, template)


def _pieces(variable: str, way: _Way, arguments: dict[str, Any]) -> Iterator[str]:
    found = _VARIABLE.fullmatch(variable)
    value = arguments.get(found[1]) if found else None
    if found is None or value is None or value == []:
        return
    name, exploded, length = found[1], bool(found[2]), int(found[3]) if found[3] else None
    texts = [_text(item)[:length] for item in (value if isinstance(value, list) else [value])]
    if exploded:
        yield from (_named(name, _quoted(text, way), way) for text in texts)
    else:
        yield _named(name, ",".join(_quoted(text, way) for text in texts), way)


def _quoted(text: str, way: _Way) -> str:
    """Encoded; where reserved characters may stand, so may what is encoded already."""
    if not way.safe:
        return quote(text, safe="")
    return "".join(
        each if number % 2 else quote(each, safe=way.safe) for number, each in enumerate(_TRIPLET.split(text))
    )


def _named(name: str, text: str, way: _Way) -> str:
    if not way.named:
        return text
    return f"{name}={text}" if text else f"{name}{way.bare}"


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
