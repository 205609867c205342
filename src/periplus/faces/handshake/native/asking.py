"""What a request to a native site asks for, by its query; what cannot be meant counts as not said."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from periplus.model import Code, Problem
from periplus.ports import HttpAsk

CHARACTERS_FROM = 500  # a limit counts items below this, characters from here on
_ITEMS, _MOST_CHARACTERS = 100, 1_000_000
_TRUE = frozenset({"1", "true", "yes", "on", ""})


class NativeAsk(msgspec.Struct, frozen=True, kw_only=True):
    """A page of landmarks, as it is wanted."""

    ids: tuple[str, ...] = ()
    queries: tuple[str, ...] = ()
    type: str = ""  # action or navigation; empty: both
    full: bool = False
    technical: bool = False
    json: bool = False
    items: int = _ITEMS
    characters: int | None = None
    offset: int = 0


EVERYTHING = NativeAsk(full=True, json=True, items=1 << 30)


def asked(ask: HttpAsk) -> NativeAsk:
    """The query of a request. JSON is also what a client asks for that accepts nothing else first."""
    limit = _number(ask, "limit", _ITEMS)
    accepts_json = ask.headers.get("accept", "").lower().startswith("application/json")
    wanted = _last(ask, "format").lower()
    return NativeAsk(
        ids=tuple(dict.fromkeys(piece for text in _all(ask, "landmark_id") for piece in _pieces(text))),
        queries=tuple(text for text in _all(ask, "query") if text.strip()),
        type=_one_of(_last(ask, "type").lower(), ("action", "navigation")),
        full=_flag(ask, "full"),
        technical=_flag(ask, "technical"),
        json=wanted == "json" or (not wanted and accepts_json),
        items=min(limit, CHARACTERS_FROM) if limit < CHARACTERS_FROM else CHARACTERS_FROM,
        characters=min(limit, _MOST_CHARACTERS) if limit >= CHARACTERS_FROM else None,
        offset=_number(ask, "offset", 0, least=0),
    )


def _all(ask: HttpAsk, name: str) -> Sequence[str]:
    return [value for given, value in ask.query if given == name]


def _last(ask: HttpAsk, name: str) -> str:
    return next(iter(reversed(_all(ask, name))), "")


def _pieces(text: str) -> Sequence[str]:
    return [piece.strip() for piece in text.split(",") if piece.strip()]


def _flag(ask: HttpAsk, name: str) -> bool:
    given = _all(ask, name)
    return bool(given) and given[-1].strip().lower() in _TRUE


def _one_of(text: str, known: Sequence[str]) -> str:
    return text if text in known else ""


def _number(ask: HttpAsk, name: str, otherwise: int, *, least: int = 1) -> int:
    text = _last(ask, name).strip()
    if not text:
        return otherwise
    if not text.isdecimal() or int(text) < least:
        raise Problem(Code.BAD_INPUT, f"{name} is {text[:40]!r}", hints=(f"{name} is a whole number from {least} on",))
    return int(text)
