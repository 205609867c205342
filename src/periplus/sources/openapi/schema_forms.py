"""A definition as requests and as responses see it: one form where nothing read-only or write-only is inside."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final, Literal

from periplus.model import Schema
from periplus.sources.openapi.schema_targets import Piece, Target, Targets

REQUEST: Final = 0
RESPONSE: Final = 1
Direction = Literal[0, 1]

_HIDDEN: Final = ("readOnly", "writeOnly")  # by direction: what is not part of it

ONE, LIST, MAP = 1, 2, 3
APPLICATORS: Final = {
    "properties": MAP,
    "items": ONE,
    "additionalProperties": ONE,
    "allOf": LIST,
    "oneOf": LIST,
    "anyOf": LIST,
    "not": ONE,
    "if": ONE,
    "then": ONE,
    "else": ONE,
    "prefixItems": LIST,
    "contains": ONE,
    "propertyNames": ONE,
    "unevaluatedItems": ONE,
    "unevaluatedProperties": ONE,
    "contentSchema": ONE,
    "patternProperties": MAP,
    "dependentSchemas": MAP,
}


def children(schema: Any) -> Iterable[Any]:
    """The schemas directly inside a normalised schema."""
    for key, value in schema.items() if schema.__class__ is dict else ():
        shape = APPLICATORS.get(key)
        if shape == ONE:
            yield value
        elif shape == LIST:
            yield from value
        elif shape == MAP:
            yield from value.values()


class Forms:
    """Decides which definitions have two forms and keeps the ones that are used."""

    def __init__(self, targets: Targets, definitions: dict[str, Schema]) -> None:
        self.targets = targets
        self.definitions = definitions
        self.kept: dict[str, tuple[Target, Direction]] = {}  # by name in `definitions`
        self._reaching: dict[Target, bool] = {}

    def settle(self, fresh: Sequence[Target]) -> None:
        """Tell apart the definitions that differ by direction: by themselves, or by what they refer to."""
        self._find_hidden(fresh)
        queue = [t for t in fresh if self._differs(t) or any(other.directional for other in t.refers)]
        if not queue:
            return
        users: dict[Target, list[Target]] = {}
        for target in fresh:
            for other in target.refers:
                users.setdefault(other, []).append(target)
        for target in queue:
            target.directional = True
        for target in queue:
            for user in users.get(target, ()):
                if not user.directional:
                    user.directional = True
                    queue.append(user)

    def _find_hidden(self, fresh: Sequence[Target]) -> None:
        """Definitions that are read-only or write-only as a whole, also those that merely stand for such a one."""
        for target in fresh:
            target.hidden = target.marked and _hides(target.schema)
        if any(target.hidden or any(other.hidden for other in target.refers) for target in fresh):
            aliases = [target for target in fresh if not target.hidden and _stands_for(target.schema)]
            for _ in aliases:
                hidden = [one for one in aliases if not one.hidden and self._is_hidden(one.schema)]
                if not hidden:
                    break
                for one in hidden:
                    one.hidden = True

    def _is_hidden(self, schema: Any) -> bool:
        return self._hidden(schema, REQUEST, 0) or self._hidden(schema, RESPONSE, 0)

    def _differs(self, target: Target) -> bool:
        if not _may_hide(target):
            return False
        schema = target.schema
        return any(self._strip(schema, way, frozenset(), named=False) is not schema for way in (REQUEST, RESPONSE))

    def of(self, piece: Piece, direction: Direction) -> Any:
        """The piece from one direction, everything it refers to kept."""
        if len(piece.refers) == 1 and piece.schema is piece.refers[0].reference:
            target = piece.refers[0]
            return target.forms[direction] or self._keep(target, direction)
        plain = not piece.marked
        for target in piece.refers:
            if target.directional or target.hidden:
                plain = False
            if not target.directional and target.forms[direction] is None:
                self._keep(target, direction)
        return piece.schema if plain else self._strip(piece.schema, direction, frozenset(), named=True)

    def _keep(self, target: Target, direction: Direction) -> Schema:
        """The reference to this form of a definition, which is among the definitions from now on."""
        queue = [(target, self._name(target, direction))]
        for one, name in queue:
            met = (other for other in one.refers if other.forms[direction] is None)
            queue.extend((other, self._name(other, direction)) for other in met)
            schema = one.schema
            if one.directional:
                schema = self._strip(schema, direction, frozenset(), named=True)
            self.definitions[name] = schema if schema.__class__ is dict else ({} if schema else {"not": {}})
        return target.forms[direction] or {}

    def _name(self, target: Target, direction: Direction) -> str:
        if not target.directional:
            name = target.name
            target.forms = [target.reference, target.reference]
        elif direction == RESPONSE:
            name = target.name
            target.forms[RESPONSE] = target.reference
        else:
            name = self.targets.name(f"{target.name}_input")
            self.targets.by_name[name] = target
            target.forms[REQUEST] = {"$ref": f"#/$defs/{name}"}
        self.kept[name] = target, direction
        return name

    def _strip(self, schema: Any, direction: Direction, gone: frozenset[str], *, named: bool) -> Any:
        """The schema without what this direction does not have, references by the names of this direction."""
        if schema.__class__ is not dict:
            return schema
        out = schema
        if "properties" in schema or "allOf" in schema:
            gone |= self._gone(schema, direction, 0)
        for key, value in schema.items():
            if key == "$ref":
                new = self._renamed(value, direction) if named else value
            elif key == "properties":
                kept = {
                    name: self._strip(child, direction, frozenset(), named=named)
                    for name, child in value.items()
                    if name not in gone or not self._hidden(child, direction, 0)
                }
                same = len(kept) == len(value) and all(kept[name] is value[name] for name in kept)
                new = value if same else kept
            elif key == "required":
                new = [name for name in value if name not in gone] if not gone.isdisjoint(value) else value
            else:
                inner = gone if key == "allOf" else frozenset[str]()
                new = self._inside(key, value, direction, inner, named=named)
            if new is not value:
                out = dict(schema) if out is schema else out
                out[key] = new
        if out is not schema and out.get("required") == []:
            del out["required"]
        return out

    def _inside(self, key: str, value: Any, direction: Direction, gone: frozenset[str], *, named: bool) -> Any:
        shape = APPLICATORS.get(key)
        if shape is None:
            return value
        if shape == ONE:
            return self._strip(value, direction, gone, named=named)
        if shape == LIST:
            items = [self._strip(child, direction, gone, named=named) for child in value]
            if all(new is old for new, old in zip(items, value, strict=True)):
                return value
            return _once(items) if key == "oneOf" else items
        out = {name: self._strip(child, direction, gone, named=named) for name, child in value.items()}
        return value if all(out[name] is value[name] for name in out) else out

    def _renamed(self, text: str, direction: Direction) -> str:
        target = self.targets.at(text)
        if target is None:
            return text
        form = target.forms[direction] or self._keep(target, direction)
        name: str = form["$ref"]
        return text if name == text else name

    def _gone(self, schema: Any, direction: Direction, depth: int) -> frozenset[str]:
        """The properties of this very object that this direction does not have, also those by `allOf`."""
        if schema.__class__ is not dict or depth > 20:
            return frozenset()
        names = {
            name
            for name, child in schema.get("properties", {}).items()
            if child.__class__ is dict and self._hidden(child, direction, 0)
        }
        members = list(schema.get("allOf", ()))
        target = self.targets.at(schema.get("$ref")) if depth else None
        if target is not None and _may_hide(target):
            members.append(target.schema)
        return frozenset(names).union(*(self._gone(member, direction, depth + 1) for member in members))

    def _hidden(self, schema: Any, direction: Direction, depth: int) -> bool:
        if schema.__class__ is not dict:
            return False
        if schema.get(_HIDDEN[direction]) is True:
            return True
        if depth > 20:
            return False
        target = self.targets.at(schema["$ref"]) if "$ref" in schema else None
        if target is not None and target.hidden and self._hidden(target.schema, direction, depth + 1):
            return True
        return any(self._hidden(member, direction, depth + 1) for member in schema.get("allOf", ()))

    def refers(self, schema: Any) -> tuple[Target, ...]:
        """The definitions a normalised schema refers to directly."""
        found: dict[Target, None] = {}
        stack = [schema]
        while stack:
            at = stack.pop()
            if at.__class__ is dict:
                target = self.targets.at(at.get("$ref"))
                if target is not None:
                    found[target] = None
                stack.extend(children(at))
        return tuple(found)

    def reaches_itself(self, target: Target) -> bool:
        if target not in self._reaching:
            seen = set(target.refers)
            queue = list(target.refers)
            for other in queue:
                queue.extend(one for one in other.refers if one not in seen)
                seen.update(other.refers)
            self._reaching[target] = target in seen
        return self._reaching[target]


def _once(branches: list[Any]) -> list[Any]:
    """Branches that only differed in what this direction lacks: as they stand, no value would be just one of them."""
    return [one for at, one in enumerate(branches) if one not in branches[:at]]


def _hides(schema: Any) -> bool:
    return isinstance(schema, dict) and any(schema.get(word) is True for word in _HIDDEN)


def _may_hide(target: Target) -> bool:
    """Whether some property in it could be missing in one direction."""
    return target.marked or any(other.hidden for other in target.refers)


def _stands_for(schema: Any) -> bool:
    return isinstance(schema, dict) and ("$ref" in schema or "allOf" in schema)
