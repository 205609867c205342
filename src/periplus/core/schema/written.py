"""Arguments as somebody types them, `berth=B4 ship.length_m=30 tag=a,b`, as the schema means them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from periplus.model import Code, Problem, Schema

_POINTER = "#/$defs/"
_DEEP = 8


def arguments_of(schema: Schema, words: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    """The arguments that `name=text` pairs mean; what is not a text is taken as it is. A dot leads inside an object."""
    made: dict[str, Any] = {}
    for name, given in words:
        path = [name] if name in _properties(schema, schema) else name.split(".")
        here, place = made, schema
        for step in path[:-1]:
            place = _member(place, step, schema)
            here = here.setdefault(step, {})
            if not isinstance(here, dict):
                raise Problem(Code.BAD_INPUT, f"{name}: {step!r} is given a value and members", hints=("give one",))
        wanted = _member(place, path[-1], schema)
        value = typed(given, wanted, schema) if isinstance(given, str) else given
        here[path[-1]] = _gathered(here, path[-1], value, wanted, schema)
    return made


def typed(text: str, schema: Any, root: Schema) -> Any:
    """The value that a text means where this schema stands; a text stays one wherever texts are allowed."""
    kinds = _types(schema, root)
    if "string" in kinds and not (text[:1] in "{[" and kinds & {"object", "array"}):
        return text
    try:
        value = msgspec.json.decode(text)
    except msgspec.DecodeError:
        if "array" in kinds:
            return [typed(piece.strip(), _items(schema, root), root) for piece in text.split(",")]
        return text
    if "array" in kinds and not isinstance(value, list) and "object" not in kinds:
        return [typed(text, _items(schema, root), root)]
    return value


def _gathered(here: Mapping[str, Any], name: str, value: Any, schema: Any, root: Schema) -> Any:
    """A name given twice is a list where one is wanted."""
    if name not in here:
        return value
    if "array" in _types(schema, root) and isinstance(here[name], list):
        return [*here[name], *(value if isinstance(value, list) else [value])]
    raise Problem(Code.BAD_INPUT, f"{name!r} is given twice", hints=("give it once",))


def _resolved(schema: Any, root: Schema) -> dict[str, Any]:
    for _ in range(_DEEP):
        if not isinstance(schema, dict):
            return {}
        target = schema.get("$ref")
        if not isinstance(target, str) or not target.startswith(_POINTER):
            return schema
        schema = root.get("$defs", {}).get(target.removeprefix(_POINTER))
    return {}


def _properties(schema: Any, root: Schema) -> dict[str, Any]:
    found = _resolved(schema, root)
    properties = found.get("properties")
    known: dict[str, Any] = dict(properties) if isinstance(properties, dict) else {}
    for key in ("allOf", "anyOf", "oneOf"):
        for branch in found.get(key, ()) if isinstance(found.get(key), list) else ():
            known = _properties(branch, root) | known
    return known


def _member(schema: Any, name: str, root: Schema) -> Any:
    return _properties(schema, root).get(name, {})


def _items(schema: Any, root: Schema) -> Any:
    return _resolved(schema, root).get("items", {})


def _types(schema: Any, root: Schema, depth: int = 0) -> set[str]:
    """The types of JSON that a schema admits, as far as it says; nothing said is nothing known."""
    found = _resolved(schema, root)
    said = found.get("type")
    kinds = {said} if isinstance(said, str) else set(said) if isinstance(said, list) else set[str]()
    for value in [*found.get("enum", ()), *([found["const"]] if "const" in found else [])]:
        kinds |= {"string"} if isinstance(value, str) else set()
    if depth < _DEEP and not kinds:
        for key in ("anyOf", "oneOf", "allOf"):
            for branch in found.get(key, ()) if isinstance(found.get(key), list) else ():
                kinds |= _types(branch, root, depth + 1)
    return kinds
