"""Discriminators, made checkable: each branch carries the constant of its tag.

A base that others extend by `allOf` becomes a choice of its known subtypes wherever it is used as a type; what
extends it refers to the base itself.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from periplus.model import Schema
from periplus.sources.openapi.references_port import Unresolved

if TYPE_CHECKING:
    from periplus.sources.openapi.schema_targets import Target, Targets
    from periplus.sources.openapi.schema_walk import Walk

_NAME = re.compile(r"[A-Za-z0-9._-]+")


class Tag:
    """A discriminator as written: its property, and which value means which definition."""

    def __init__(self, walk: Walk, schema: dict[str, Any], written: Any) -> None:
        spelled = written if isinstance(written, dict) else {"propertyName": written}
        name = spelled.get("propertyName")
        self.property: str = name if isinstance(name, str) else ""
        if not self.property:
            walk.complain(schema, "discriminator", written)
        mapping = spelled.get("mapping")
        entries = mapping.items() if isinstance(mapping, dict) else ()
        self.values: dict[Target, list[str]] = {}
        for value, text in entries:
            target = self._target(walk, text) if isinstance(text, str) else None
            if target is not None:
                self.values.setdefault(target, []).append(str(value))
        default = spelled.get("defaultMapping")
        self.default = self._target(walk, default) if isinstance(default, str) else None

    @staticmethod
    def _target(walk: Walk, text: str) -> Target | None:
        """A mapping names a schema or refers to one; a name wins (3.2, 4.25.2)."""
        if _NAME.fullmatch(text):
            try:
                return walk.targets.find(f"{container(walk.targets)}/{text}", walk.document)
            except Unresolved:
                pass
        return walk.link(text, walk.root)

    def of(self, target: Target) -> list[str]:
        """The values that mean this definition."""
        if target in self.values:
            return self.values[target]
        special = target.raw.get("x-ms-discriminator-value") if isinstance(target.raw, dict) else None
        return [special if isinstance(special, str) else target.title]

    def branch(self, target: Target, reference: Schema, values: list[str]) -> Schema:
        """The reference, held to its tag."""
        if target is self.default:
            others = [value for other, them in self.values.items() if other is not target for value in them]
            return {**reference, "properties": {self.property: {"not": {"enum": others}}}} if others else reference
        declared = declared_values(target.raw, self.property)
        if declared is not None:
            values = [value for value in declared if value in values] or [
                value for value in declared if str(value).lower() in {one.lower() for one in values}
            ]
        tag = {"const": values[0]} if len(values) == 1 else {"enum": values}
        held = {**reference, "required": [self.property]}
        return {**held, "properties": {self.property: tag}} if values else held


def declared_values(raw: Any, name: str) -> list[Any] | None:
    """What a definition itself says its tag may be."""
    properties = raw.get("properties") if isinstance(raw, dict) else None
    declared = properties.get(name) if isinstance(properties, dict) else None
    if isinstance(declared, dict):
        if "const" in declared:
            return [declared["const"]]
        if isinstance(declared.get("enum"), list):
            values: list[Any] = declared["enum"]
            return values
    members = raw.get("allOf") if isinstance(raw, dict) else None
    for member in members if isinstance(members, list) else ():
        found = declared_values(member, name)
        if found is not None:
            return found
    return None


def container(targets: Targets) -> str:
    """Where a document keeps its named schemas."""
    return "#/definitions" if targets.dialect == "2.0" else "#/components/schemas"


def tag_branches(walk: Walk, schema: dict[str, Any], written: Any, out: Schema) -> None:
    """Hold each `$ref` branch of a union to its tag; without a union there is nothing to hold."""
    if not isinstance(schema.get("oneOf"), list) and not isinstance(schema.get("anyOf"), list):
        return
    tag = Tag(walk, schema, written)
    if not tag.property:
        return
    for keyword in ("oneOf", "anyOf"):
        if keyword in out:
            out[keyword] = [_held(walk, tag, branch) for branch in out[keyword]]


def _held(walk: Walk, tag: Tag, branch: Any) -> Any:
    target = walk.targets.at(branch.get("$ref")) if isinstance(branch, dict) else None
    if target is None or "properties" in branch or "required" in branch:
        return branch
    return tag.branch(target, branch, tag.of(target))


class Families:
    """Who extends whom by `allOf`, per document; looked up only where a discriminator asks."""

    def __init__(self, targets: Targets) -> None:
        self._targets = targets
        self._children: dict[str, dict[str, list[str]]] = {}

    def subtypes(self, target: Target) -> list[str]:
        """References to everything that extends this definition, nearest first."""
        children = self._of(target.base)
        found: dict[str, None] = {}
        queue = [f"#{target.pointer}"]
        for text in queue:
            fresh = [child for child in children.get(text, ()) if child not in found and child != queue[0]]
            found.update(dict.fromkeys(fresh))
            queue.extend(fresh)
        return list(found)

    def _of(self, base: str) -> dict[str, list[str]]:
        if base not in self._children:
            self._children[base] = self._read(base)
        return self._children[base]

    def _read(self, base: str) -> dict[str, list[str]]:
        place = container(self._targets)
        try:
            schemas = self._targets.references.hop({"$ref": place}, base).value
        except Unresolved:
            return {}
        children: dict[str, list[str]] = {}
        for name, schema in schemas.items() if isinstance(schemas, Mapping) else ():
            for parent in references_in(schema, "allOf"):
                pointer = name.replace("~", "~0").replace("/", "~1")
                children.setdefault(parent, []).append(f"{place}/{pointer}")
        return children

    def is_base(self, target: Target) -> bool:
        """Whether using this definition as a type means one of its subtypes."""
        raw = target.raw
        return (
            isinstance(raw, dict)
            and "discriminator" in raw
            and not target.plain
            and not raw.get("oneOf")
            and not raw.get("anyOf")
            and bool(self.subtypes(target))
        )

    def choice(self, walk: Walk, target: Target) -> Schema | None:
        """The base as `oneOf` of its known subtypes; None when it is no such base."""
        if not self.is_base(target):
            return None
        tag = Tag(walk, target.raw, target.raw["discriminator"])
        if not tag.property:
            return None
        found = [walk.peek(text) for text in self.subtypes(target)]
        members = dict.fromkeys(subtype for subtype in found if subtype is not None)
        members.update(dict.fromkeys(named for named in tag.values if named is not target))
        if target in tag.values or walk.targets.dialect == "2.0":
            members[target] = None
        branches = [self._branch(walk, tag, member, itself=member is target) for member in members]
        texts = {key: target.raw[key] for key in ("title", "description") if isinstance(target.raw.get(key), str)}
        return {**texts, "oneOf": branches}

    def _branch(self, walk: Walk, tag: Tag, member: Target, *, itself: bool) -> Schema:
        """A subtype that has subtypes of its own stands here for itself: they are in the list too."""
        apart = itself or self.is_base(member)
        alone = walk.targets.find(f"#{member.pointer}", member.base, plain=True) if apart else member
        walk.refers[alone] = None
        return tag.branch(member, alone.reference, tag.of(member))


def references_in(schema: Any, keyword: str) -> list[str]:
    """The reference texts directly inside one of a schema's lists of branches."""
    members = schema.get(keyword) if isinstance(schema, dict) else None
    return [
        member["$ref"]
        for member in (members if isinstance(members, list) else ())
        if isinstance(member, dict) and isinstance(member.get("$ref"), str)
    ]
