"""Conditions as text, for people and models; a claimed text is read back and compared by what it means (W-33, W-34)."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, NamedTuple, cast

import msgspec

from periplus.core.workflows.conditions import And, Condition, Not, Operator, Or, Simple

_json = msgspec.json.Encoder(order="deterministic").encode
_TOKEN = re.compile(
    r"""\s*(?:
      (?P<text>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')
    | (?P<op>==|!=|>=|<=|=|>|<)
    | (?P<open>\() | (?P<close>\))
    | (?P<number>[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?(?![\w.-]))
    | (?P<word>[^\s()=!<>"']+)
    )""",
    re.VERBOSE,
)
_WORDS = {"true": True, "false": False, "null": None}
_DEEPEST = 50


class _Unreadable(Exception):  # noqa: N818 - never leaves this page: a text that is no condition is no fault
    """A claimed text that is no condition."""


class _Token(NamedTuple):
    kind: str
    text: str


def text_of(condition: Condition) -> str:
    """`pipeline == "smart" AND (n > 3 OR force == true)`."""
    match condition:
        case Simple():
            if condition.operator in ("exists", "notExists"):
                return f"{condition.variable} {condition.operator}"
            return f"{condition.variable} {condition.operator} {_json(condition.value).decode()}"
        case Not():
            return f"NOT ({text_of(condition.condition)})"
        case And():
            return " AND ".join(map(_operand, condition.conditions))
        case Or():
            return " OR ".join(map(_operand, condition.conditions))


def same_meaning(claimed: str, condition: Condition) -> bool:
    """Whether a claimed text says this condition; spacing, quotes and the order of operands do not count."""
    try:
        return bool(canonical(_parsed(claimed)) == canonical(condition))
    except _Unreadable:
        return False


def parse(text: str) -> Condition | None:
    """The condition a text says; None where it says none."""
    try:
        return _parsed(text)
    except _Unreadable:
        return None


def canonical(condition: Condition) -> Any:
    """A form in which two conditions are equal when they differ only in the order of operands."""
    match condition:
        case Simple():
            value = None if condition.operator in ("exists", "notExists") else condition.value
            plain = float(value) if isinstance(value, int) and not isinstance(value, bool) else value
            return ("is", condition.variable, condition.operator, type(plain).__name__, plain)
        case Not():
            return ("not", canonical(condition.condition))
        case And() | Or():
            return (type(condition).__name__, *sorted((canonical(one) for one in _flat(condition)), key=repr))


def _flat(condition: And | Or) -> list[Condition]:
    """Operands, those of operands of the same kind among them."""
    flat: list[Condition] = []
    for one in condition.conditions:
        flat.extend(_flat(one) if isinstance(one, And | Or) and type(one) is type(condition) else [one])
    return flat


def _operand(condition: Condition) -> str:
    text = text_of(condition)
    return f"({text})" if isinstance(condition, And | Or) else text


def _parsed(text: str) -> Condition:
    reader = _Reader(_tokens(text))
    condition = reader.any_of(0)
    reader.end()
    return condition


def _tokens(text: str) -> list[_Token]:
    tokens: list[_Token] = []
    at = 0
    text = text.rstrip()
    while at < len(text):
        found = _TOKEN.match(text, at)
        if found is None or found.lastgroup is None:
            raise _Unreadable
        tokens.append(_Token(found.lastgroup, found[found.lastgroup]))
        at = found.end()
    return tokens


class _Reader:
    """Reads tokens from left to right; AND binds tighter than OR."""

    def __init__(self, tokens: list[_Token]) -> None:
        self._tokens = tokens
        self._at = 0

    def any_of(self, depth: int) -> Condition:
        return self._joined("OR", self._all_of, lambda ones: Or(conditions=ones), depth)

    def end(self) -> None:
        if self._at != len(self._tokens):
            raise _Unreadable

    def _all_of(self, depth: int) -> Condition:
        return self._joined("AND", self._one, lambda ones: And(conditions=ones), depth)

    def _joined(
        self,
        word: str,
        part: Callable[[int], Condition],
        make: Callable[[tuple[Condition, ...]], Condition],
        depth: int,
    ) -> Condition:
        if depth > _DEEPEST:
            raise _Unreadable
        parts = [part(depth)]
        while self._is_word(word):
            self._at += 1
            parts.append(part(depth))
        return parts[0] if len(parts) == 1 else make(tuple(parts))

    def _one(self, depth: int) -> Condition:
        if self._is_word("NOT"):
            self._at += 1
            return Not(condition=self._one(depth + 1)) if depth < _DEEPEST else self._refuse()
        if self._peek().kind == "open":
            self._at += 1
            inner = self.any_of(depth + 1)
            if self._take().kind != "close":
                raise _Unreadable
            return inner
        return self._simple()

    def _simple(self) -> Condition:
        name, operator = self._take(), self._take()
        if name.kind not in ("word", "number"):
            raise _Unreadable
        if operator.kind == "word" and operator.text in ("exists", "notExists"):
            if self._is_word("undefined"):  # how an older server writes it
                self._at += 1
            return Simple(variable=name.text, operator=cast("Operator", operator.text))
        if operator.kind != "op":
            raise _Unreadable
        spelled = "==" if operator.text == "=" else operator.text
        return Simple(variable=name.text, operator=cast("Operator", spelled), value=self._value())

    def _value(self) -> Any:
        token = self._take()
        if token.kind == "number":
            return float(token.text) if any(mark in token.text for mark in ".eE") else int(token.text)
        if token.kind == "text":
            return _unquoted(token.text)
        if token.kind != "word":
            raise _Unreadable
        return _WORDS.get(token.text, token.text)

    def _is_word(self, word: str) -> bool:
        return self._at < len(self._tokens) and self._tokens[self._at] == ("word", word)

    def _peek(self) -> _Token:
        if self._at >= len(self._tokens):
            raise _Unreadable
        return self._tokens[self._at]

    def _take(self) -> _Token:
        token = self._peek()
        self._at += 1
        return token

    def _refuse(self) -> Condition:
        raise _Unreadable


def _unquoted(text: str) -> str:
    if text.startswith("'"):
        text = '"' + text[1:-1].replace("\\'", "'").replace('"', '\\"') + '"'
    try:
        return msgspec.json.decode(text, type=str)
    except msgspec.DecodeError as error:
        raise _Unreadable from error
