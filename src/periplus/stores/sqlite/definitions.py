"""A schema made complete: the shared definitions it reaches, and no others, stand in its `$defs`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from periplus.model import Schema

_START = "#/$defs/"


def with_definitions(schema: Schema, definitions: Mapping[str, Any], refers: Mapping[str, Sequence[str]]) -> Schema:
    """`refers` is what each definition names itself; a name without definition is left as it is."""
    reached: set[str] = set()
    waiting = [name for name in _referred(schema) if name in definitions]
    while waiting:
        name = waiting.pop()
        if name not in reached:
            reached.add(name)
            waiting.extend(other for other in refers[name] if other in definitions)
    if not reached:
        return schema
    own = schema.get("$defs", {})
    return {**schema, "$defs": {**{name: definitions[name] for name in sorted(reached)}, **own}}


def _referred(schema: Any) -> Iterator[str]:
    waiting = [schema]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            waiting.extend(value.values())
            target = value.get("$ref")
            if isinstance(target, str) and target.startswith(_START):
                yield target[len(_START) :]
        elif isinstance(value, list):
            waiting.extend(value)
