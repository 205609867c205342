"""Values that nobody filled in: `UNKNOWN`, `<string: Berth code>`. They are refused and never sent (H-56)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from periplus.core.mending.places import allowed, branches, item, member
from periplus.model import Code, Problem, Schema, Tool

_ANGLED = re.compile(r"<[^<>]*>")


def refuse_placeholders(tool: Tool, arguments: dict[str, Any], words: tuple[str, ...]) -> None:
    """Refuse arguments in which a whole text is one of the words or stands in angle brackets."""
    folded = frozenset(word.casefold() for word in words)
    root = tool.args_schema
    found = list(_found(arguments, list(branches(root, root)), root, folded, ""))
    if found:
        pointer, value = found[0]
        raise Problem(
            Code.PLACEHOLDER,
            f"{pointer}: {value!r} is a placeholder, not a value",
            hints=("find the real value first, or leave the argument out where it is optional",),
            details={"violations": [{"pointer": at, "message": "is a placeholder", "value": one} for at, one in found]},
        )


def _found(
    value: Any, schemas: list[Schema], root: Schema, words: frozenset[str], pointer: str
) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from _found(inner, member(schemas, name, root), root, words, f"{pointer}/{name}")
    elif isinstance(value, list):
        for place, inner in enumerate(value):
            yield from _found(inner, item(schemas, place, root), root, words, f"{pointer}/{place}")
    elif isinstance(value, str) and _is_placeholder(value.strip(), words) and value not in allowed(schemas):
        yield pointer, value


def _is_placeholder(text: str, words: frozenset[str]) -> bool:
    return text.casefold() in words or _ANGLED.fullmatch(text) is not None
