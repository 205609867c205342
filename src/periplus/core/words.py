"""Splitting names into the words a person reads in them."""

from __future__ import annotations

import re
from functools import lru_cache

_WORD = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+|[^\W\d_a-zA-Z]+")

_SHORT = 3


@lru_cache(maxsize=8192)
def words(name: str) -> tuple[str, ...]:
    """Lower-case words of an identifier: `getHTTPStatus_v2` -> get http status v 2."""
    return tuple(word.lower() for word in _WORD.findall(name))


def singular(word: str) -> str:
    """A word as it is written of one thing, roughly: `berths` and `berth` are one word."""
    if word.endswith("ies") and len(word) > _SHORT + 1:
        return f"{word[:-3]}y"
    if word.endswith("s") and not word.endswith(("ss", "us", "is")) and len(word) > _SHORT:
        return word[:-1]
    return word


def sentence(pieces: tuple[str, ...]) -> str:
    """Words as the start of a sentence: `("get", "pets")` -> `Get pets`."""
    text = " ".join(pieces)
    return text[:1].upper() + text[1:]
