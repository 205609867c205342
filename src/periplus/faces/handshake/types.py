"""Schemas as the short types of signatures: literals, unions, inline objects, named interfaces (H-33)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from periplus.core.schema.types import is_file, literal, member, type_name

_POINTER = "#/$defs/"
_SCALARS = {"string", "integer", "number", "boolean", "null"}
_DEEP = 2  # objects inside objects that are written out
_CHAIN = 8
VALUES, CHARACTERS = 12, 160


class Types:
    """Turns schemas of one tool into types; `interfaces` collects the objects that got a name."""

    def __init__(self, definitions: Mapping[str, Any], *, full: bool = False) -> None:
        self._definitions = definitions
        self._full = full
        self._names: dict[str, str] = {}  # definition -> name
        self.interfaces: dict[str, Mapping[str, Any]] = {}
        self._open: list[str] = []  # definitions that are being written out, so that a recursive one gets its name

    def resolved(self, schema: Any) -> Mapping[str, Any]:
        """The schema behind references; nothing known where it leads nowhere."""
        for _ in range(_CHAIN):
            if not isinstance(schema, Mapping):
                return {}
            target = schema.get("$ref")
            if not isinstance(target, str):
                return schema
            schema = self._definitions.get(target.removeprefix(_POINTER))
        return {}

    def of(self, schema: Any, depth: int = 0) -> str:
        """The type of a schema, at this depth of written-out objects."""
        if not isinstance(schema, Mapping):
            return "never" if schema is False else "any"
        if isinstance(target := schema.get("$ref"), str):
            return self._referred(target.removeprefix(_POINTER), depth)
        if "const" in schema:
            return literal(schema["const"])
        if isinstance(values := schema.get("enum"), list):
            return self.enum(values)
        if is_file(schema):
            return "file"
        return self._branches(schema, depth) or self._kinds(schema, depth)

    def enum(self, values: Sequence[Any]) -> str:
        """Literals, or only what they are where they are many."""
        if self.is_long(values):
            kinds = dict.fromkeys("string" if isinstance(value, str) else "number" for value in values)
            return "|".join(kinds)
        return "|".join(dict.fromkeys(literal(value) for value in values)) or "never"

    def is_long(self, values: Sequence[Any]) -> bool:
        """Whether an enum is told by its count and samples."""
        return not self._full and (len(values) > VALUES or sum(len(literal(value)) for value in values) > CHARACTERS)

    def _branches(self, schema: Mapping[str, Any], depth: int) -> str:
        for key in ("oneOf", "anyOf"):
            branches = schema.get(key)
            if isinstance(branches, list) and branches and not all(_narrows(one) for one in branches):
                return " | ".join(dict.fromkeys(self.of(one, depth) for one in branches))
        pieces = schema.get("allOf")
        if not isinstance(pieces, list) or not pieces:
            return ""
        merged = self.merged(schema)
        if merged.get("properties"):
            return self._object(merged, depth)
        kinds = [text for piece in pieces if (text := self.of(piece, depth)) != "any"]
        return kinds[0] if kinds else ""

    def merged(self, schema: Any) -> Mapping[str, Any]:
        """An object schema with the members of all its `allOf` pieces."""
        found = self.resolved(schema)
        pieces = found.get("allOf")
        if not isinstance(pieces, list):
            return found
        properties: dict[str, Any] = {}
        required: list[str] = []
        for piece in (*pieces, {key: value for key, value in found.items() if key != "allOf"}):
            inner = self.merged(piece) if piece is not schema else {}
            properties |= inner.get("properties") or {}
            required += inner.get("required") or []
        return {**found, "properties": properties, "required": required}

    def _kinds(self, schema: Mapping[str, Any], depth: int) -> str:
        kinds = schema.get("type")
        if isinstance(kinds, list) and kinds:
            return " | ".join(dict.fromkeys(self._kind(str(kind), schema, depth) for kind in kinds))
        return self._kind(kinds if isinstance(kinds, str) else _guess(schema), schema, depth)

    def _kind(self, kind: str, schema: Mapping[str, Any], depth: int) -> str:
        if kind == "array":
            inner = self.of(schema.get("items", {}), depth)
            return f"({inner})[]" if "|" in inner and not inner.startswith("{") else f"{inner}[]"
        if kind == "object":
            return self._object(schema, depth)
        return kind if kind in _SCALARS else "any"

    def _object(self, schema: Mapping[str, Any], depth: int) -> str:
        properties = schema.get("properties")
        if isinstance(properties, Mapping) and properties:
            if depth >= _DEEP:
                title = schema.get("title")
                return self.named(title if isinstance(title, str) and title else "Object", schema)
            return self.inline(schema, depth)
        more = schema.get("additionalProperties", True)
        return f"Record<string,{self.of(more, depth + 1) if more is not False else 'never'}>"

    def inline(self, schema: Mapping[str, Any], depth: int) -> str:
        """`{ berth: string, side?: "port"|"starboard" }`."""
        required = schema.get("required") or ()
        ordered = sorted((schema.get("properties") or {}).items(), key=lambda pair: pair[0] not in required)
        inner = (f"{member(name)}{'' if name in required else '?'}: {self.of(one, depth + 1)}" for name, one in ordered)
        text = ", ".join(inner)
        return f"{{ {text} }}" if text else "{}"

    def _referred(self, definition: str, depth: int) -> str:
        schema = self._definitions.get(definition)
        if not isinstance(schema, Mapping):
            return "any"
        if not _is_object(schema):
            return self.of(schema, depth) if depth < _CHAIN else "any"
        if depth >= _DEEP or definition in self._open or self.is_recursive(definition):
            return self.named(definition, schema)
        self._open.append(definition)
        try:
            return self.of(schema, depth)
        finally:
            self._open.pop()

    def named(self, wish: str, schema: Mapping[str, Any]) -> str:
        """The name of an interface for this schema."""
        known = self._names.get(wish)
        if known and self.interfaces.get(known) is schema:
            return known
        name = type_name(wish)
        number = 1
        while name in self.interfaces and self.interfaces[name] is not schema:
            number += 1
            name = f"{type_name(wish)}{number}"
        self._names[wish] = name
        self.interfaces[name] = schema
        return name

    def is_recursive(self, definition: str) -> bool:
        """Whether a definition refers to itself, over others or not."""
        seen: set[str] = set()
        todo = list(_references(self._definitions.get(definition)))
        while todo:
            name = todo.pop()
            if name == definition:
                return True
            if name not in seen:
                seen.add(name)
                todo.extend(_references(self._definitions.get(name)))
        return False


def _references(schema: Any) -> set[str]:
    found: set[str] = set()
    todo = [schema]
    while todo:
        value = todo.pop()
        if isinstance(value, Mapping):
            target = value.get("$ref")
            if isinstance(target, str):
                found.add(target.removeprefix(_POINTER))
            todo.extend(value.values())
        elif isinstance(value, list):
            todo.extend(value)
    return found


def _is_object(schema: Mapping[str, Any]) -> bool:
    return bool(schema.get("properties")) or "allOf" in schema or "oneOf" in schema or "anyOf" in schema


def _guess(schema: Mapping[str, Any]) -> str:
    if "properties" in schema or "additionalProperties" in schema:
        return "object"
    return "array" if "items" in schema or "prefixItems" in schema else ""


def _narrows(schema: Any) -> bool:
    """A branch that only says which members go together is no type of its own."""
    return isinstance(schema, Mapping) and not schema.keys() - {"required", "not", "title", "description"}
