"""The classes that hints name, each described once in the `$defs` all functions of a source share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from periplus.model import Schema, segment, short_hash

_POINTER = "#/$defs/"
_NAME_MAX = 80


class Definitions:
    """Grows while functions are described; a definition that is being made can be referred to already."""

    def __init__(self) -> None:
        self.schemas: dict[str, Schema] = {}
        self._names: dict[Any, str] = {}

    def reference(self, key: Any, wish: str, identity: str, make: Callable[[], Schema]) -> Schema:
        """A reference to what `key` stands for, made at its first mention.

        The wish is its name; where another thing has that, a hash of the identity tells them apart.
        """
        name = self._names.get(key)
        if name is None:
            name = self._free(segment(wish)[:_NAME_MAX], identity)
            self._names[key] = name
            self.schemas[name] = {}
            self.schemas[name] = make()
        return {"$ref": _POINTER + name}

    def adopt(self, schema: Mapping[str, Any]) -> Schema:
        """A schema that brought its own `$defs`, with these among the shared ones."""
        own: Mapping[str, Any] = schema.get("$defs", {})
        rest = {key: value for key, value in schema.items() if key != "$defs"}
        renamed: Schema = self._renamed(rest, own)
        return renamed

    def _renamed(self, value: Any, own: Mapping[str, Any]) -> Any:
        if isinstance(value, list):
            return [self._renamed(item, own) for item in value]
        if not isinstance(value, dict):
            return value
        made = {name: self._renamed(item, own) for name, item in value.items()}
        target = value.get("$ref")
        name = target.removeprefix(_POINTER) if isinstance(target, str) else ""
        if name not in own:
            return made
        identity = _content(name, own)
        return made | self.reference(("adopted", identity), name, identity, lambda: self._renamed(own[name], own))

    def _free(self, wish: str, identity: str) -> str:
        if wish not in self.schemas:
            return wish
        return next(
            name for digits in (6, 12, 40) if (name := f"{wish}_{short_hash(identity, digits)}") not in self.schemas
        )


def _content(name: str, own: Mapping[str, Any]) -> str:
    """A definition with all it reaches: two that read alike are one."""
    reached: dict[str, Any] = {}
    todo = [name]
    while todo:
        each = todo.pop()
        if each in own and each not in reached:
            reached[each] = own[each]
            todo += _targets(own[each])
    return msgspec.json.encode([name, reached], order="sorted").decode()


def _targets(value: Any) -> list[str]:
    if isinstance(value, list):
        return [name for item in value for name in _targets(item)]
    if not isinstance(value, dict):
        return []
    target = value.get("$ref")
    own = [target.removeprefix(_POINTER)] if isinstance(target, str) else []
    return own + [name for item in value.values() for name in _targets(item)]
