"""Which other documents a document refers to, without following texts that only look like references (S-34)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import urldefrag, urljoin

# A document in which these find nothing refers to nothing outside, and is not walked at all. Letters of the keys
# written as escapes could hide a reference, so they make the cheap look inconclusive. Each pattern starts with a
# literal: an alternative at the start would cost a large document ten times as much.
_REFERENCE = re.compile(rb"""\$ref["']?\s*+:\s*+(?!["']?\#)""")
_ESCAPE = re.compile(rb"\\u00(?:24|6[456]|7[29])")
_MOVES = (b"$self", b"$id", b"$anchor", b"$dynamicAnchor", b"\\u0024")

_DATA = frozenset({"example", "default", "enum", "const"})
# Below these a key is a name somebody chose, so that a property called "example" is no example.
_NAMING = frozenset(
    {
        "properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies", "schemas",
        "parameters", "responses", "requestBodies", "headers", "securitySchemes", "securityDefinitions", "links",
        "callbacks", "pathItems", "paths", "webhooks", "examples", "content", "mediaTypes", "encoding",
        "additionalOperations", "variables", "mapping",
    }
)  # fmt: skip


def may_refer_outside(data: bytes) -> bool:
    """Whether a document's text could hold a reference that leaves it; false is certain."""
    return any(look.search(data) for look in (_REFERENCE, _ESCAPE)) or b"$dynamicRef" in data


def may_move_base(data: bytes) -> bool:
    """Whether a document's text could name parts of itself by `$id`, `$anchor` or `$self`; false is certain."""
    return any(word in data for word in _MOVES)


def referred(root: Any, base: str) -> dict[str, str]:
    """Every URL the document refers to outside itself, and the reference as first written."""
    found: dict[str, str] = {}
    own = {base}
    for word, text, inside in _moves(root, base):
        target = joined(inside, text)
        if word == "$id":
            own.add(target)
        elif target and not text.startswith("#"):
            found.setdefault(target, text)
    return {target: text for target, text in found.items() if target not in own}


def joined(base: str, reference: str) -> str:
    """The absolute URL of a reference without its fragment; empty when it is not one."""
    return split(base, reference)[0]


def split(base: str, reference: str) -> tuple[str, str]:
    """The absolute URL of a reference, blanks in it encoded, and its fragment."""
    try:
        parts = urldefrag(urljoin(base, reference))
    except ValueError:
        return "", ""
    return parts.url.replace(" ", "%20"), parts.fragment


def _moves(root: Any, base: str) -> Iterator[tuple[str, str, str]]:
    """Each `$ref` and `$id` with the base it is relative to; examples, defaults and extensions are data."""
    stack: list[tuple[Any, str, bool]] = [(root, base, False)]
    seen: set[int] = set()  # YAML aliases share their values
    while stack:
        node, inside, naming = stack.pop()
        if not isinstance(node, list | dict) or id(node) in seen:
            continue
        seen.add(id(node))
        if isinstance(node, list):
            stack.extend((item, inside, False) for item in node)
            continue
        if not naming:
            own = node.get("$id")
            if isinstance(own, str):
                yield "$id", own, inside
                inside = joined(inside, own) or inside
            for word in ("$ref", "$dynamicRef"):
                if isinstance(reference := node.get(word), str):
                    yield word, reference, inside
        for key, value in node.items():
            if isinstance(value, dict | list) and (naming or not _is_data(key, value)):
                stack.append((value, inside, not naming and key in _NAMING and isinstance(value, dict)))


def _is_data(key: str, value: Any) -> bool:
    if key == "examples":
        return isinstance(value, list)
    return key in _DATA or key == "value" or key.startswith("x-")
