"""A tool's schema inside its limit: beyond some depth, anything passes (S-6)."""

from __future__ import annotations

from typing import Any

import msgspec

from periplus.model import Schema
from periplus.sources.openapi.schema_forms import APPLICATORS, LIST, ONE, Forms

_encode = msgspec.json.Encoder().encode


class Limit:
    """Knows how large each definition is with all it leads to; asks only when they could be too much."""

    def __init__(self, forms: Forms, limit: int) -> None:
        self._forms = forms
        self.bytes = limit
        self._sizes: dict[str, int] = {}
        self._total = 0
        self._whole: dict[str, int] = {}
        self._cut: dict[tuple[str, int], str] = {}

    def fit(self, schema: Schema) -> Schema:
        """The same schema when it fits; else one whose references end at some depth."""
        own = len(_encode(schema))
        if own + self._measured() <= self.bytes:
            return schema
        if own > self.bytes:
            schema, own = self._shallower(schema)
        names = [target_name for target_name in self._names(schema) if target_name in self._sizes]
        if own + sum(self._size_of(name) for name in names) <= self.bytes:
            return schema
        if own + sum(self._sizes[name] for name in self._reached(names)) <= self.bytes:
            return schema
        cut: Schema = self._at_level(schema, self._level(names, self.bytes - own))
        return cut

    def _measured(self) -> int:
        definitions = self._forms.definitions
        if len(self._sizes) < len(definitions):
            for name in list(definitions)[len(self._sizes) :]:
                self._sizes[name] = len(_encode(definitions[name]))
                self._total += self._sizes[name]
        return self._total

    def _names(self, schema: Any) -> list[str]:
        """The definitions a finished schema refers to directly."""
        found: dict[str, None] = {}
        _references(schema, found)
        return list(found)

    def _refers(self, name: str) -> list[str]:
        kept = self._forms.kept.get(name)
        if kept is None:
            return self._names(self._forms.definitions[name])
        target, direction = kept
        forms = (other.forms[direction] for other in target.refers)
        return [form["$ref"][8:] for form in forms if form is not None]

    def _reached(self, names: list[str]) -> list[str]:
        queue = list(dict.fromkeys(names))
        seen = set(queue)
        for name in queue:
            fresh = [other for other in self._refers(name) if other not in seen]
            seen.update(fresh)
            queue.extend(dict.fromkeys(fresh))
        return queue

    def _size_of(self, name: str) -> int:
        size = self._whole.get(name)
        if size is None:
            size = self._whole[name] = sum(self._sizes[one] for one in self._reached([name]))
        return size

    def _level(self, names: list[str], room: int) -> int:
        """How many steps of references fit; a definition met at two depths counts twice."""
        level, at = 0, set(names)
        while at and level < 20:
            room -= sum(self._sizes[name] for name in at)
            if room < 0:
                break
            level += 1
            at = {other for name in at for other in self._refers(name)}
        return level

    def _at_level(self, schema: Any, level: int) -> Any:
        """References lead to forms cut one level lower, and end at none."""
        if schema.__class__ is not dict:
            return schema
        if "$ref" in schema:
            rest = {key: value for key, value in schema.items() if key != "$ref"}
            if level == 0:
                return self._at_level(rest, 0)
            return {"$ref": f"#/$defs/{self._cut_form(schema['$ref'][8:], level - 1)}"} | rest
        return _rewritten(schema, lambda child: self._at_level(child, level))

    def _cut_form(self, name: str, level: int) -> str:
        known = self._cut.get((name, level))
        if known is None:
            known = self._cut[name, level] = self._forms.targets.name(f"{name}_cut{level}")
            self._forms.definitions[known] = {}  # taken, before recursion asks for it
            self._forms.definitions[known] = self._at_level(self._forms.definitions[name], level)
        return known

    def _shallower(self, schema: Schema) -> tuple[Schema, int]:
        out, size = schema, 0
        for depth in (12, 8, 6, 4, 3, 2, 1):
            out = _pruned(schema, depth)
            size = len(_encode(out))
            if size <= self.bytes:
                break
        return out, size


def _references(schema: Any, found: dict[str, None]) -> None:
    stack = [schema]
    while stack:
        at = stack.pop()
        if at.__class__ is not dict:
            continue
        if "$ref" in at:
            found[at["$ref"][8:]] = None
        for key, value in at.items():
            shape = APPLICATORS.get(key)
            if shape == ONE:
                stack.append(value)
            elif shape is not None:
                stack.extend(value if shape == LIST else value.values())


def _rewritten(schema: dict[str, Any], change: Any) -> dict[str, Any]:
    out = dict(schema)
    for key, value in schema.items():
        shape = APPLICATORS.get(key)
        if shape == ONE:
            out[key] = change(value)
        elif shape == LIST:
            out[key] = [change(child) for child in value]
        elif shape is not None:
            out[key] = {name: change(child) for name, child in value.items()}
    return out


def _pruned(schema: Any, depth: int) -> Any:
    if schema.__class__ is not dict:
        return schema
    return _rewritten(schema, lambda child: _pruned(child, depth - 1)) if depth else {}
