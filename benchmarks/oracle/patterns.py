"""Texts that match a regular expression, shortest first: what a pattern in a schema takes."""

from __future__ import annotations

import re
from functools import lru_cache
from re import _constants as op  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

_CLASSES = {op.CATEGORY_DIGIT: "0", op.CATEGORY_WORD: "a", op.CATEGORY_SPACE: " "}
_OTHERS = {op.CATEGORY_NOT_DIGIT: "a", op.CATEGORY_NOT_WORD: "-", op.CATEGORY_NOT_SPACE: "a"}
_LETTERS = "aA0-_ .,:/@b1Zz\t" + "".join(map(chr, range(33, 127)))


@lru_cache(maxsize=4096)
def matching(pattern: str, least: int = 0, most: int = 1000) -> str | None:
    """A text that matches, at least that long where repeats allow it; None where the pattern is beyond us."""
    try:
        tree = parser.parse(_python(pattern))
        for more in (0, 1, 3, 7, 15, least // 2, least, 40):
            text = "".join(_texts(tree, more))
            if least <= len(text) <= most and re.search(_python(pattern), text):
                return text
    except (re.error, RecursionError, OverflowError, NotImplementedError):
        return None
    return None


def _python(pattern: str) -> str:
    return (
        re.sub(r"\\p\{[^}]*\}", "a", pattern).replace("(?<", "(?P<").replace("(?P<=", "(?<=").replace("(?P<!", "(?<!")
    )


def _texts(tree: Any, more: int) -> list[str]:
    return [_text(kind, told, more) for kind, told in tree]


def _text(kind: Any, told: Any, more: int) -> str:  # noqa: PLR0911 - one kind of node a line
    if kind is op.LITERAL:
        return chr(told)
    if kind is op.NOT_LITERAL:
        return next(letter for letter in _LETTERS if ord(letter) != told)
    if kind is op.ANY:
        return "a"
    if kind is op.IN:
        return _member(told)
    if kind in (op.MAX_REPEAT, op.MIN_REPEAT):
        least, most, inner = told
        return "".join("".join(_texts(inner, more)) for _ in range(min(max(least, more), int(most))))
    if kind is op.SUBPATTERN:
        return "".join(_texts(told[3], more))
    if kind is op.BRANCH:
        return "".join(_texts(told[1][0], more))
    if kind in (op.AT, op.ASSERT, op.ASSERT_NOT):
        return ""
    raise NotImplementedError(kind)


def _member(told: list[Any]) -> str:
    if told[0][0] is op.NEGATE:
        return next(letter for letter in _LETTERS if not any(_in(letter, one) for one in told[1:]))
    kind, first = told[0]
    if kind is op.RANGE:
        return chr(first[0])
    return chr(first) if kind is op.LITERAL else (_CLASSES | _OTHERS)[first]


def _in(letter: str, one: tuple[Any, Any]) -> bool:
    kind, told = one
    if kind is op.LITERAL:
        return ord(letter) == told
    if kind is op.RANGE:
        return told[0] <= ord(letter) <= told[1]
    known = {
        op.CATEGORY_DIGIT: letter.isdigit(),
        op.CATEGORY_WORD: letter.isalnum() or letter == "_",
        op.CATEGORY_SPACE: letter.isspace(),
    }
    return known.get(told, True)
