"""The words by which a path is found again when somebody misremembers it."""

from __future__ import annotations

import re
from collections.abc import Set as AbstractSet
from functools import lru_cache

_WORD = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[^\W\d_a-zA-Z]+")


def name_words(path: str) -> AbstractSet[str]:
    """Lower-case words of a name, without numbers and single letters; singular and plural are one."""
    area, slash, leaf = path.rpartition("/")
    return _area_words(area).union(_words(leaf)) if slash else set(_words(leaf))


@lru_cache(maxsize=4096)
def _area_words(area: str) -> frozenset[str]:
    return frozenset(_words(area))


def _words(text: str) -> list[str]:
    words = [word.lower() for word in _WORD.findall(text) if len(word) > 1]
    return [word[:-1] if word[-1] == "s" and len(word) > 3 else word for word in words]
