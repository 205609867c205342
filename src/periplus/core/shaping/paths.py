"""Which members of a value: `id,owner.email`, `id owner { email }`, or a list of these (H-58)."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Sequence
from typing import Any

from periplus.model import Code, Problem

Tree = dict[str, "Tree"]
"""Member -> what is wanted of it; an empty tree is all of it."""

_TOKEN = re.compile(r'\s*(?:([{},])|"([^"]*)"|([^\s{},"]+))')
_LONGEST, _DEEPEST = 4000, 32


def parse_select(select: str | Sequence[str]) -> Tree:
    """The members that are asked for."""
    texts = [select] if isinstance(select, str) else list(select)
    tree: Tree = {}
    for text in texts:
        if len(text) > _LONGEST:
            raise _wrong(text, f"it has {len(text):,} characters, {_LONGEST:,} is the most")
        body = text.strip()
        body = body[1:-1] if body.startswith("{") and body.endswith("}") else body
        tokens = list(_tokens(body))
        if _members(tokens, 0, tree, 0) != len(tokens):
            raise _wrong(text, "a '}' has no '{'")
    if not tree:
        raise _wrong(str(select), "it names nothing")
    return tree


def _tokens(text: str) -> Iterator[tuple[str, str]]:
    place = 0
    text = text.rstrip()
    while place < len(text):
        found = _TOKEN.match(text, place)
        if found is None:
            raise _wrong(text, f"{text[place : place + 20]!r} cannot be read")
        place = found.end()
        mark, quoted, name = found.groups()
        yield ("mark", mark) if mark else ("quoted", quoted) if quoted is not None else ("name", name)


def _members(tokens: list[tuple[str, str]], at: int, tree: Tree, depth: int) -> int:
    """Read members into a tree from a place; where the first token after them stands."""
    if depth > _DEEPEST:
        raise _wrong("{" * 5, f"it nests deeper than {_DEEPEST}")
    last: Tree | None = None
    while at < len(tokens):
        kind, text = tokens[at]
        if kind == "mark" and text == "}":
            return at
        if kind == "mark" and text == "{":
            if last is None:
                raise _wrong("{", "a '{' follows no name")
            at = _members(tokens, at + 1, last, depth + 1)
            if at >= len(tokens):
                raise _wrong("{", "a '{' is not closed")
            last = None
        elif kind != "mark":
            last = tree
            for piece in [text] if kind == "quoted" else _pieces(text):
                last = last.setdefault(piece, {})
        else:
            last = None
        at += 1
    return at


def _pieces(path: str) -> list[str]:
    pieces = [piece for piece in path.replace("[*]", "").replace("[]", "").split(".") if piece not in ("", "$")]
    if not pieces or len(pieces) > _DEEPEST:
        raise _wrong(path, "it is no path of members")
    return pieces


def pick(value: Any, tree: Tree, unknown: set[str], path: str = "") -> Any:
    """The asked members of a value, in every item of a list; names that nothing has are put into `unknown`."""
    if not tree:
        return value
    if isinstance(value, list):
        return _picked_items(value, tree, unknown, path)
    if not isinstance(value, dict):
        return value
    unknown.update(f"{path}{name}" for name in tree if name not in value)
    return {name: pick(value[name], inner, unknown, f"{path}{name}.") for name, inner in tree.items() if name in value}


def _picked_items(items: list[Any], tree: Tree, unknown: set[str], path: str) -> list[Any]:
    """A name is unknown to a list only when no item has it."""
    lacking: set[str] | None = None
    picked: list[Any] = []
    for item in items:
        missing: set[str] = set()
        picked.append(pick(item, tree, missing, path))
        lacking = missing if lacking is None else lacking & missing
    unknown |= lacking or set()
    return picked


def unknown_note(unknown: set[str], known: Sequence[str]) -> str:
    """What a caller is told about names that nothing has."""
    first = min(unknown)
    near = difflib.get_close_matches(first, known, n=1, cutoff=0.6)
    there = ", ".join(list(known)[:20]) or "no members"
    guess = f"; did you mean {near[0]!r}?" if near else ""
    return f"no {', '.join(repr(name) for name in sorted(unknown)[:5])} here{guess} There are: {there}"


def members_of(value: Any, depth: int = 2) -> list[str]:
    """The names a value has, dotted, as somebody would write them in a selection."""
    if isinstance(value, list):
        found: dict[str, None] = {}
        for item in value[:50]:
            found.update(dict.fromkeys(members_of(item, depth)))
        return list(found)
    if not isinstance(value, dict) or depth == 0:
        return []
    names: list[str] = []
    for name, item in value.items():
        names.append(name)
        names += [f"{name}.{inner}" for inner in members_of(item, depth - 1)]
    return names


def _wrong(text: str, why: str) -> Problem:
    return Problem(
        Code.BAD_INPUT,
        f"not a selection: {text[:80]!r}: {why}",
        hints=('write "id,owner.email" or "id owner { email }"',),
    )
