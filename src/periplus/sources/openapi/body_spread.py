"""An object body as separate arguments: its members after a lossless merge of `allOf` (S-45)."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from periplus.model import Schema
from periplus.sources.openapi.schema_forms import REQUEST
from periplus.sources.openapi.schema_targets import Piece
from periplus.sources.openapi.schemas import Schemas

_TEXTS: Final = frozenset(
    {"title", "description", "examples", "default", "deprecated", "readOnly", "writeOnly", "x-semantic-type"}
)
_RULES: Final = frozenset({"anyOf", "oneOf", "not", "if", "then", "else", "dependentRequired", "dependentSchemas"})
_LIFTED: Final = frozenset({"required", "properties", "type", "title", "description", "allOf"}) | (
    _RULES - {"dependentSchemas"}
)
_MOST_MEMBERS: Final = 2000


class Spread(NamedTuple):
    """The members of an object, and what holds between them."""

    properties: dict[str, Any]
    required: tuple[str, ...]
    further: Any = None  # a schema for members of other names, where the document writes that there may be
    rules: tuple[Schema, ...] = ()  # about which members come together
    description: str = ""


class _Merge:
    """The parts of one object put together; `lossless` turns false where that cannot be done."""

    def __init__(self) -> None:
        self.properties: dict[str, Any] = {}
        self.required: dict[str, None] = {}
        self.further: list[Any] = []  # what `additionalProperties` says, where it says something
        self.knows: list[frozenset[str]] = []  # the names each part with such a rule knows
        self.rules: list[Schema] = []
        self.least = 0
        self.most: int | None = None
        self.description = ""
        self.lossless = True
        self.entered = False  # some part stood behind a reference


def spread(piece: Piece, schemas: Schemas) -> Spread | None:
    """The members of an object as a request has them, or None when it is none that can be spread."""
    if schemas.recursive(piece.schema):
        return None
    merge = _Merge()
    _add(merge, piece.schema, schemas, frozenset())
    names = merge.properties.keys()
    if merge.lossless and not names and merge.further == [False] and not merge.required and not merge.rules:
        return Spread({}, ())  # an object that is always empty
    if not merge.lossless or not names or len(names) > _MOST_MEMBERS or not _can_be_told(merge):
        return None
    whole: Schema = {"properties": merge.properties, "required": list(merge.required)}
    if False not in merge.further and merge.further:
        told = [one for one in merge.further if one not in (True, {})]
        whole["additionalProperties"] = told[0] if len(told) == 1 else {"allOf": told} if told else True
    if merge.least == 1 and not merge.required:
        merge.rules.append({"anyOf": [{"required": [name]} for name in names]})
    if merge.rules:
        whole["allOf"] = merge.rules
    if merge.entered:
        seen = schemas.part(whole, REQUEST)
    else:
        seen = schemas.seen(Piece(whole, piece.refers, piece.marked), REQUEST)
    return _spread(seen, merge.description)


def _can_be_told(merge: _Merge) -> bool:
    """Whether flat arguments say the same as the object."""
    names = merge.properties.keys()
    open_ended = bool(merge.further) and False not in merge.further
    return (
        all(names <= known for known in merge.knows)
        and names >= merge.required.keys()
        and merge.least <= max(1, len(merge.required))
        and (merge.most is None or (merge.most >= len(names) and not open_ended))
        and all(_liftable(rule) and _mentioned(rule) <= names for rule in merge.rules)
        and not (open_ended and merge.rules)
    )


def _spread(seen: Schema, description: str) -> Spread | None:
    properties, rules = seen.get("properties", {}), tuple(seen.get("allOf", ()))
    if not properties or not mentioned(rules) <= properties.keys():
        return None
    required = tuple(seen.get("required", ()))
    return Spread(properties, required, seen.get("additionalProperties"), rules, description)


def _add(merge: _Merge, schema: Any, schemas: Schemas, seen: frozenset[str]) -> None:
    if not isinstance(schema, dict):
        merge.lossless = merge.lossless and schema is True
        return
    rules: Schema = {}
    for key, value in schema.items():
        if key == "$ref":
            target = schemas.targets.at(value)
            if target is None or value in seen:
                merge.lossless = False
                return
            merge.entered = True
            _add(merge, target.schema, schemas, seen | {value})
        elif key == "allOf":
            for member in value:
                _add(merge, member, schemas, seen)
        elif key in _RULES:
            rules[key] = value
        elif not _take(merge, schema, key, value):
            merge.lossless = False
            return
    if rules:
        merge.rules.append(rules)


def _take(merge: _Merge, schema: Schema, key: str, value: Any) -> bool:  # noqa: C901 - one keyword a branch
    """One keyword that is not about other schemas; False when it cannot be merged."""
    if key == "properties":
        for name, child in value.items():
            _member(merge, name, child)
    elif key == "required":
        merge.required.update(dict.fromkeys(value))
    elif key == "type":
        return value == "object" or (isinstance(value, list) and "object" in value)
    elif key == "additionalProperties":
        merge.further.append(value)
        if value not in (True, {}):
            merge.knows.append(frozenset(schema.get("properties", ())))
    elif key == "unevaluatedProperties":
        merge.further.append(False)
        return value is False and "$ref" not in schema and _RULES.isdisjoint(schema)
    elif key == "minProperties":
        merge.least = max(merge.least, value)
    elif key == "maxProperties":
        merge.most = value if merge.most is None else min(merge.most, value)
    elif key == "description":
        merge.description = merge.description or value
    else:
        return key in _TEXTS
    return True


def _member(merge: _Merge, name: str, child: Any) -> None:
    before = merge.properties.get(name)
    if before is None or before == child or before in (True, {}):
        merge.properties[name] = child
    elif child not in (True, {}):
        members = before["allOf"] if isinstance(before, dict) and list(before) == ["allOf"] else [before]
        merge.properties[name] = {"allOf": [*members, child]}


def _liftable(schema: Any) -> bool:
    """Whether a rule speaks of nothing but which members come and what they are."""
    if isinstance(schema, bool):
        return True
    if not isinstance(schema, dict) or not schema.keys() <= _LIFTED or schema.get("type", "object") != "object":
        return False
    branches = [schema[key] for key in ("not", "if", "then", "else") if key in schema]
    for key in ("anyOf", "oneOf", "allOf"):
        branches += schema.get(key, ())
    return all(_liftable(branch) for branch in branches)


def _mentioned(schema: Any) -> set[str]:
    """The members a rule speaks of."""
    if not isinstance(schema, dict):
        return set()
    names = {*schema.get("required", ()), *schema.get("properties", ())}
    for key, others in schema.get("dependentRequired", {}).items():
        names |= {key, *others}
    for key in ("not", "if", "then", "else"):
        names |= _mentioned(schema.get(key))
    for key in ("anyOf", "oneOf", "allOf"):
        for branch in schema.get(key, ()):
            names |= _mentioned(branch)
    return names


def mentioned(rules: tuple[Schema, ...]) -> set[str]:
    """The members the rules of a spread speak of."""
    return set[str]().union(*(_mentioned(rule) for rule in rules))
