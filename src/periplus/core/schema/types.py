"""A JSON Schema as the TypeScript type a reader expects: literals, unions, named objects, nothing a call needs lost."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

_POINTER = "#/$defs/"
_IDENTIFIER = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*")
_SCALARS = {"string": "string", "integer": "integer", "number": "number", "boolean": "boolean", "null": "null"}
_INLINE_DEPTH = 2
_ENUM_VALUES, _ENUM_CHARACTERS = 12, 160
_NOTE_MAX = 120


class Types:
    """Turns schemas into types; objects worth a name are collected to be printed once."""

    def __init__(self, definitions: Mapping[str, Any]) -> None:
        self._definitions = definitions
        self.named: dict[str, Mapping[str, Any]] = {}  # type name -> schema, in order of first use
        self._names: dict[str, str] = {}  # definition -> type name

    def of(self, schema: Any, depth: int = 0) -> str:
        """The type of a schema at this depth of inline objects."""
        if not isinstance(schema, Mapping):
            return "never" if schema is False else "any"
        if isinstance(target := schema.get("$ref"), str):
            return self._reference(target, depth)
        return self._of_values(schema) or self._of_branches(schema, depth) or self._of_kinds(schema, depth)

    def _of_values(self, schema: Mapping[str, Any]) -> str:
        if "const" in schema:
            return literal(schema["const"])
        if isinstance(values := schema.get("enum"), list):
            return _enum(values)
        return "file" if is_file(schema) else ""

    def _of_branches(self, schema: Mapping[str, Any], depth: int) -> str:
        for key in ("oneOf", "anyOf"):
            if isinstance(branches := schema.get(key), list) and branches and not _only_narrows(branches):
                return _union([self.of(branch, depth) for branch in branches])
        pieces = schema.get("allOf")
        return self._intersection(schema, pieces, depth) if isinstance(pieces, list) and pieces else ""

    def _of_kinds(self, schema: Mapping[str, Any], depth: int) -> str:
        kinds = schema.get("type")
        if isinstance(kinds, list):
            return _union([self._of_kind(str(kind), schema, depth) for kind in kinds]) if kinds else "any"
        return self._of_kind(kinds if isinstance(kinds, str) else _guess(schema), schema, depth)

    def _of_kind(self, kind: str, schema: Mapping[str, Any], depth: int) -> str:
        if kind == "array":
            return self._array(schema, depth)
        if kind == "object":
            return self._object(schema, depth)
        return _SCALARS.get(kind, "any")

    def _reference(self, target: str, depth: int) -> str:
        name = target.removeprefix(_POINTER)
        schema = self._definitions.get(name)
        if not isinstance(schema, Mapping):
            return "any" if schema is not None else type_name(name)  # a line shows the name of what it has not at hand
        if not _is_worth_a_name(schema):
            return self.of(schema, depth) if depth < _INLINE_DEPTH * 3 else "any"
        return or_null(self._name(name, schema), schema)

    def _name(self, definition: str, schema: Mapping[str, Any]) -> str:
        if definition not in self._names:
            wish = type_name(definition)
            taken = self.named.keys()
            self._names[definition] = name = _free(wish, taken)
            self.named[name] = schema
        return self._names[definition]

    def _array(self, schema: Mapping[str, Any], depth: int) -> str:
        if isinstance(first := schema.get("prefixItems"), list) and first:
            rest = "" if schema.get("items") is False else ", ...any[]"
            return f"[{', '.join(self.of(item, depth) for item in first)}{rest}]"
        item = self.of(schema.get("items", True), depth)
        return f"({item})[]" if _needs_brackets(item) else f"{item}[]"

    def _object(self, schema: Mapping[str, Any], depth: int) -> str:
        properties = schema.get("properties")
        if isinstance(properties, Mapping) and properties:
            if depth >= _INLINE_DEPTH and len(properties) > 2:
                title = schema.get("title")
                name = _free(type_name(title) if isinstance(title, str) and title else "Object", self.named.keys())
                self.named[name] = schema
                return name
            inner = ", ".join(
                f"{member(name)}{'' if name in _required(schema) else '?'}: {self.of(value, depth + 1)}"
                for name, value in properties.items()
            )
            return f"{{ {inner} }}"
        more = schema.get("additionalProperties", True)
        return f"Record<string, {self.of(more, depth + 1) if more is not False else 'never'}>"

    def _intersection(self, schema: Mapping[str, Any], pieces: Sequence[Any], depth: int) -> str:
        parts = [text for piece in pieces if (text := self.of(piece, depth)) != "any"]
        if isinstance(schema.get("properties"), Mapping) and schema["properties"]:
            parts.append(self._object(schema, depth))
        parts = list(dict.fromkeys(parts))
        if len(parts) > 1:
            return " & ".join(f"({part})" if " | " in part else part for part in parts)
        return parts[0] if parts else "any"


def or_null(name: str, schema: Mapping[str, Any]) -> str:
    """The name of an object's type where it stands: the type says its members, its place that there may be none."""
    kinds = schema.get("type")
    return f"{name} | null" if isinstance(kinds, list) and "null" in kinds else name


def literal(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def is_file(schema: Mapping[str, Any]) -> bool:
    """The form `sources` give a file argument (S-46)."""
    return schema.get("x-periplus-file") is True or schema.get("format") == "file"


def member(name: str) -> str:
    """A property name as TypeScript writes it."""
    return name if _IDENTIFIER.fullmatch(name) else literal(name)


def type_name(definition: str) -> str:
    """A definition's name as a type's: `full-repository` -> `FullRepository`."""
    pieces = [piece for piece in re.split(r"[^A-Za-z0-9$]+", definition) if piece]
    name = "".join(piece[:1].upper() + piece[1:] for piece in pieces) or "Type"
    return f"T{name}" if name[0].isdigit() else name


def facts(schema: Any) -> str:
    """What a type cannot say: format, bounds, pattern, default."""
    if not isinstance(schema, Mapping):
        return ""
    found = [str(schema[key]) for key in ("format", "contentEncoding") if isinstance(schema.get(key), str)]
    found = [fact for fact in found if fact not in {"file", "int32", "int64", "float", "double"}]
    found += filter(None, (_bounds(schema), _lengths(schema)))
    if isinstance(pattern := schema.get("pattern"), str) and len(pattern) <= _NOTE_MAX // 2:
        found.append(f"/{pattern}/")
    if isinstance(values := schema.get("enum"), list) and (note := _long_enum(values)):
        found.append(note)
    if "default" in schema:
        text = literal(schema["default"])
        found.append(f"default {text if len(text) <= _NOTE_MAX else text[: _NOTE_MAX - 1] + '…'}")
    return ", ".join(found)


def _bounds(schema: Mapping[str, Any]) -> str:
    low = _number(schema, "minimum", "exclusiveMinimum")
    high = _number(schema, "maximum", "exclusiveMaximum")
    if any(_is_machine(schema.get(key)) for key in ("minimum", "maximum")):
        return ""  # the bounds of a machine integer tell a reader nothing
    return f"{low or ''}..{high or ''}" if low or high else ""


def _is_machine(bound: Any) -> bool:
    return isinstance(bound, int | float) and abs(bound) >= 2**31 - 1


def _number(schema: Mapping[str, Any], *keys: str) -> str:
    values = [schema[key] for key in keys if isinstance(schema.get(key), int | float)]
    return f"{values[0]:g}" if values and not isinstance(values[0], bool) else ""


def _lengths(schema: Mapping[str, Any]) -> str:
    for low, high, what in (("minLength", "maxLength", "characters"), ("minItems", "maxItems", "items")):
        least, most = schema.get(low), schema.get(high)
        if isinstance(most, int):
            return f"{least}..{most} {what}" if isinstance(least, int) and least > 1 else f"at most {most} {what}"
        if isinstance(least, int) and least > 1:
            return f"at least {least} {what}"
    return ""


def _enum(values: Sequence[Any]) -> str:
    if _long_enum(values):
        kinds = dict.fromkeys("string" if isinstance(value, str) else "number" for value in values)
        return " | ".join(kinds)
    return " | ".join(dict.fromkeys(literal(value) for value in values)) or "never"


def _long_enum(values: Sequence[Any]) -> str:
    texts = [literal(value) for value in values]
    if len(values) <= _ENUM_VALUES or sum(map(len, texts)) <= _ENUM_CHARACTERS:
        return ""
    return f"one of {len(values)} values, e.g. {', '.join(texts[:3])}"


def _union(types: Sequence[str]) -> str:
    """The alternatives, each once, and last that there may be nothing."""
    some = dict.fromkeys(text.removesuffix(" | null") for text in types if text != "null")
    told = [f"({text})" if " & " in text else text for text in some]
    nothing = any(text == "null" or text.endswith(" | null") for text in types)
    return " | ".join([*told, "null"] if nothing else told)


def _needs_brackets(text: str) -> bool:
    return (" | " in text or " & " in text) and not (text.startswith("{") and text.endswith("}"))


def _only_narrows(branches: Sequence[Any]) -> bool:
    """Branches that only say which members go together describe no alternative types."""
    return all(isinstance(b, Mapping) and not b.keys() - {"required", "not", "title", "description"} for b in branches)


def _is_worth_a_name(schema: Mapping[str, Any]) -> bool:
    return bool(schema.get("properties")) or "allOf" in schema or "oneOf" in schema or "anyOf" in schema


def _guess(schema: Mapping[str, Any]) -> str:
    if "properties" in schema or "additionalProperties" in schema:
        return "object"
    return "array" if "items" in schema or "prefixItems" in schema else ""


def _required(schema: Mapping[str, Any]) -> Sequence[str]:
    required = schema.get("required")
    return required if isinstance(required, list) else ()


def _free(wish: str, taken: Any) -> str:
    if wish not in taken:
        return wish
    return next(f"{wish}{number}" for number in range(2, len(taken) + 3) if f"{wish}{number}" not in taken)
