"""A text becomes a condition: comparisons, AND, OR, NOT, parentheses."""

from __future__ import annotations

import re
from typing import Any

import msgspec

from periplus.core.conditions.terms import Condition, Either, Every, Name, Opposite, Simple
from periplus.model import Code, Problem

_LONGEST, _DEEPEST = 4000, 32
_TOKEN = re.compile(
    r"""\s*(?:
      (?P<mark>&&|\|\||==|!=|>=|<=|[()!=<>])
    | (?P<text>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')
    | (?P<number>[-+]?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.]))
    | (?P<name>\$?\{?[^\W\d][\w:@-]*(?:\.[\w@:-]+|\[(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[-\d:*]*)\])*\}?)
    )""",
    re.VERBOSE,
)
_WORDS = {"and": "AND", "&&": "AND", "or": "OR", "||": "OR", "not": "NOT", "!": "NOT"}
_PLAIN = {"true": True, "false": False, "null": None, "none": None}
_COMPARES = frozenset({"==", "=", "!=", ">", "<", ">=", "<="})
_EXISTS = {"exists": "exists", "notexists": "notExists", "not_exists": "notExists"}


def read_condition(text: str) -> Condition:
    """The condition that a text says; one that cannot be read is refused with the place."""
    if len(text) > _LONGEST:
        raise _wrong(text, f"it has {len(text):,} characters, {_LONGEST:,} is the most")
    reader = _Reader(text)
    condition = reader.either(0)
    if reader.kind:
        raise _wrong(text, f"{reader.word!r} is not expected there")
    return condition


class _Reader:
    """One token ahead in a text."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._place = 0
        self.kind = self.word = ""
        self.next()

    def next(self) -> str:
        """Go on by a token; the one that is left behind."""
        before = self.word
        rest = self.text[self._place :]
        if not rest.strip():
            self.kind = self.word = ""
            return before
        found = _TOKEN.match(rest)
        if found is None or found.lastgroup is None:
            raise _wrong(self.text, f"{rest.strip()[:20]!r} cannot be read")
        self._place += found.end()
        self.kind, self.word = found.lastgroup, found[found.lastgroup]
        if self.kind in ("name", "mark") and self.word.lower() in _WORDS:
            self.kind, self.word = "word", _WORDS[self.word.lower()]
        return before

    def is_at(self, kind: str, *words: str) -> bool:
        """Whether the next token is of this kind, and one of these words where some are given."""
        return self.kind == kind and (not words or self.word.lower() in words)

    def either(self, depth: int) -> Condition:
        terms = [self._every(depth)]
        while self.is_at("word", "or"):
            self.next()
            terms.append(self._every(depth))
        return terms[0] if len(terms) == 1 else Either(tuple(terms))

    def _every(self, depth: int) -> Condition:
        terms = [self._term(depth)]
        while self.is_at("word", "and"):
            self.next()
            terms.append(self._term(depth))
        return terms[0] if len(terms) == 1 else Every(tuple(terms))

    def _term(self, depth: int) -> Condition:
        if depth > _DEEPEST:
            raise _wrong(self.text, f"it nests deeper than {_DEEPEST}")
        if self.is_at("word", "not"):
            self.next()
            return Opposite(self._term(depth + 1))
        if self.is_at("mark", "("):
            self.next()
            inner = self.either(depth + 1)
            if not self.is_at("mark", ")"):
                raise _wrong(self.text, "a '(' is not closed")
            self.next()
            return inner
        return self._comparison()

    def _comparison(self) -> Condition:
        if not self.is_at("name") or self.is_at("name", *_EXISTS):
            raise _wrong(self.text, f"a name is expected, not {self.word or 'the end'!r}")
        name = self.next()
        if self.is_at("name", *_EXISTS):
            operator = _EXISTS[self.next().lower()]
            if self.is_at("name", "undefined"):  # as some printers end it
                self.next()
            return Simple(name=name, operator=operator)
        if self.is_at("word", "not"):
            self.next()
            if not self.is_at("name", "exists"):
                raise _wrong(self.text, "'not' behind a name is followed by 'exists'")
            self.next()
            return Simple(name=name, operator="notExists")
        if not self.is_at("mark", *_COMPARES):
            raise _wrong(self.text, f"{name!r} is followed by an operator, not {self.word or 'the end'!r}")
        operator = self.next()
        return Simple(name=name, operator="==" if operator == "=" else operator, value=self._value())

    def _value(self) -> Any:
        kind, word = self.kind, self.word
        if kind not in ("text", "number", "name"):
            raise _wrong(self.text, f"a value is expected, not {word or 'the end'!r}")
        self.next()
        if kind == "number":
            return msgspec.json.decode(word.removeprefix("+"))
        if kind == "name":
            return _PLAIN[word.lower()] if word.lower() in _PLAIN else Name(word)
        try:
            return msgspec.json.decode(_in_double_quotes(word))
        except msgspec.DecodeError as error:
            raise _wrong(self.text, f"{word[:40]} is no text: {error}") from error


def _in_double_quotes(word: str) -> str:
    """A quoted text as JSON quotes it; what a backslash means does not depend on the quotes."""
    if not word.startswith("'"):
        return word
    turned = {"\\'": "'", '"': '\\"'}
    return '"' + re.sub(r'\\.|"', lambda found: turned.get(found[0], found[0]), word[1:-1]) + '"'


def _wrong(text: str, why: str) -> Problem:
    return Problem(
        Code.BAD_INPUT,
        f"not a condition: {text[:120]!r}: {why}",
        hints=("write a.count > 0 AND NOT (b exists); operators are == != > < >= <= exists, words AND OR NOT",),
    )
