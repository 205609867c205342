"""Where in a tree a node stands, found only when a finding needs to say so."""

from __future__ import annotations

from typing import Any

_MOST = 20_000  # nodes looked at: beyond, the finding names the tree and not the place


def locate(root: Any, node: Any) -> str:
    """The JSON pointer from `root` to this very node, `""` when it is not found soon."""
    if node is None or node is root:
        return ""
    stack: list[tuple[Any, str]] = [(root, "")]
    for _ in range(_MOST):
        if not stack:
            break
        at, path = stack.pop()
        for key, child in _children(at):
            place = f"{path}/{_escape(str(key))}"
            if child is node:
                return place
            if isinstance(child, dict | list):
                stack.append((child, place))
    return ""


def _children(at: Any) -> list[tuple[Any, Any]]:
    if isinstance(at, dict):
        return list(at.items())
    return list(enumerate(at)) if isinstance(at, list) else []


def _escape(key: str) -> str:
    return key.replace("~", "~0").replace("/", "~1")
