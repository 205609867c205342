"""A path template with its values, held to its segments; and the query after it (S-48)."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final
from urllib.parse import quote, unquote

from periplus.model import Code, Problem
from periplus.transports.openapi.quoting import strict
from periplus.transports.openapi.values import refuse

_VARIABLE: Final = re.compile(r"\{([^{}]*)\}")
_DOTS: Final = frozenset({".", ".."})


@lru_cache(maxsize=4096)
def _pieces(template: str) -> tuple[str, ...]:
    """Static pieces and, at odd places, the names of variables."""
    return tuple(_VARIABLE.split(template))


@lru_cache(maxsize=4096)
def _shape(template: str) -> re.Pattern[str]:
    """What a finished path of the template looks like: values stay in their segment."""
    pieces = _pieces(template)
    return re.compile("".join("[^/?#\\s]+" if at % 2 else re.escape(piece) for at, piece in enumerate(pieces)))


def filled(template: str, values: dict[str, str]) -> str:
    """The path with its values; one that left its template is refused."""
    pieces = list(_pieces(template))
    for at in range(1, len(pieces), 2):
        name = pieces[at]
        if name not in values:
            raise refuse(name, "is part of the path and was not given")
        pieces[at] = values[name]
    path = "".join(pieces)
    if len(pieces) > 1 and not _inside(path, template):
        raise Problem(Code.INVALID_ARGS, f"the path {path!r} is none of {template!r}; nothing was sent")
    return path


def _inside(path: str, template: str) -> bool:
    """Segment by segment the same as the template, and no segment that means another one."""
    if not _shape(template).fullmatch(path):
        return False
    pairs = zip(path.split("/"), template.split("/"), strict=True)
    return not any("{" in wanted and unquote(found) in _DOTS for found, wanted in pairs)


def fixed_query(members: list[list[str]], values: dict[str, str]) -> list[str]:
    """What the template itself puts into the query; a variable inside is a path value."""
    return [f"{strict(name)}={_expanded(text, values)}" for name, text in members]


def _expanded(text: str, values: dict[str, str]) -> str:
    pieces = list(_pieces(text))
    for at, piece in enumerate(pieces):
        pieces[at] = values.get(piece, "") if at % 2 else quote(piece, safe="")
    return "".join(pieces)
