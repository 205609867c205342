"""A path key as a template: what is sent, which variables it has, and what only tells operations apart (S-38)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from urllib.parse import quote, unquote_plus

import msgspec

_EXPRESSION = re.compile(r"(\{[^{}]*\})")
_USUAL = re.compile(r"/(?:[A-Za-z0-9/_.~-]|\{[A-Za-z0-9_.-]*\})*")  # nothing to take apart but its variables
_VARIABLE = re.compile(r"\{([^{}]*)\}")
_PLAIN = re.compile(r"[A-Za-z0-9/_.~-]*")
_LONE_PERCENT = re.compile(r"%(?![0-9A-Fa-f]{2})")
_WORDS = re.compile(r"[^\w.-]+")
_SAFE = "/:@!$&'()*+,;=~%-._"


class Template(msgspec.Struct, frozen=True, kw_only=True):
    """A path key taken apart. In `path` and `query` a `{name}` stands where a value goes."""

    path: str
    variables: tuple[str, ...] = ()  # in the path, or inside a longer query value
    query: tuple[tuple[str, str], ...] = ()  # members that every call sends
    query_variables: tuple[tuple[str, str], ...] = ()  # variable, and the query member it is the value of

    @property
    def is_plain(self) -> bool:
        return not (self.query or self.query_variables)


def parse(key: str) -> Template:
    """Read a path key as written: without leading `/`, with `?query`, `#fragment` or URI-template operators."""
    if _USUAL.fullmatch(key):
        return Template(path=key, variables=tuple(dict.fromkeys(_VARIABLE.findall(key))))
    path, query = [], ""
    variables: list[str] = []
    members: list[tuple[str, str]] = []
    pieces = _EXPRESSION.split(key)
    for index, piece in enumerate(pieces):
        if index % 2 and piece[1:2] in {"?", "&"}:  # {?limit,offset}
            members += [(name, name) for name in _names(piece)]
        elif index % 2:
            variables.append(piece[1:-1])
            path.append(piece)
        else:
            static, sign, _ = _cut(piece)
            path.append(_encoded(static))
            if sign:
                rest = piece[len(static) + 1 :] + "".join(pieces[index + 1 :])
                query = rest.partition("#")[0] if sign == "?" else ""
                break
    fixed, open_members, inner = _query(query)
    text = "".join(path)
    return Template(
        path=text if text.startswith("/") else f"/{text}",
        variables=tuple(dict.fromkeys((*variables, *inner))),
        query=fixed,
        query_variables=(*members, *open_members),
    )


def leaf(method: str, key: str) -> str:
    """The name of an operation that has none: `GET /pets/{id}` -> `get_pets_id`."""
    words = _WORDS.sub("_", key).strip("_")
    return f"{method.lower()}_{words}".strip("_")


def last_word(key: str) -> str:
    """The last path segment without its variables: what a path says the call does."""
    path = key.partition("#")[0].partition("?")[0].rstrip("/")
    word = path.rpartition("/")[2]
    return _EXPRESSION.sub("", word) if "{" in word else word


def spelling(variable: str, declared: Iterable[str]) -> str | None:
    """Which declared parameter a template's variable means: `{Key+}` is `Key`, `{petId}` may be `petid`."""
    names = tuple(declared)
    if variable in names:
        return variable
    bare = variable.lstrip("+/;.").rstrip("*+").partition(":")[0]
    if bare in names:
        return bare
    alike = [name for name in names if name.casefold() == bare.casefold()]
    return alike[0] if len(alike) == 1 else None


def _cut(piece: str) -> tuple[str, str, str]:
    """A static piece up to its `?` or `#`, whichever comes first."""
    found = re.search(r"[?#]", piece)
    if found is None:
        return piece, "", ""
    return piece[: found.start()], found.group(), piece[found.end() :]


def _names(expression: str) -> list[str]:
    return [name.strip().rstrip("*") for name in expression[2:-1].split(",") if name.strip()]


def _encoded(static: str) -> str:
    if _PLAIN.fullmatch(static):
        return static
    return quote(_LONE_PERCENT.sub("%25", static), safe=_SAFE, errors="replace")


def _query(
    text: str,
) -> tuple[tuple[tuple[str, str], ...], tuple[tuple[str, str], ...], tuple[str, ...]]:
    """Members with a value of their own, members that are one variable, and variables inside longer values."""
    fixed: list[tuple[str, str]] = []
    variables: list[tuple[str, str]] = []
    inner: list[str] = []
    for member in text.split("&"):
        name, _, value = member.partition("=")
        if not name:
            continue
        if _EXPRESSION.fullmatch(value):
            variables.append((value[1:-1], unquote_plus(name)))
        elif (alone := _EXPRESSION.fullmatch(name)) and not value:
            variables.append((alone.group()[1:-1], alone.group()[1:-1]))
        else:
            fixed.append((unquote_plus(name), unquote_plus(value)))
            inner += [found[1:-1] for found in _EXPRESSION.findall(value)]
    return tuple(fixed), tuple(variables), tuple(inner)
