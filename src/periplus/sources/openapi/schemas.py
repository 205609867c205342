"""Schemas of an OpenAPI document as JSON Schema 2020-12, shared definitions kept once (S-36, S-37, S-39)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, Literal

from periplus.model import Finding, FindingCode, Schema, Severity
from periplus.sources.openapi.references_port import References, Unresolved
from periplus.sources.openapi.schema_cut import Limit
from periplus.sources.openapi.schema_forms import REQUEST, RESPONSE, Forms
from periplus.sources.openapi.schema_loops import break_loops
from periplus.sources.openapi.schema_memory import Counted, Memory, Readings
from periplus.sources.openapi.schema_tags import Families, references_in
from periplus.sources.openapi.schema_targets import Dialect, Piece, Target, Targets
from periplus.sources.openapi.schema_walk import Walk

Direction = Literal[0, 1]
_BYTES: Final = 1024 * 1024

_FILE: Final[Schema] = {
    "description": "A file: its text, a data: URI, or its content as base64, text or a cache_ref.",
    "anyOf": [
        {"type": "string"},
        {
            "type": "object",
            "additionalProperties": False,
            "properties": {
                "base64": {"type": "string", "contentEncoding": "base64"},
                "text": {"type": "string"},
                "cache_ref": {"type": "string"},
                "filename": {"type": "string"},
                "media_type": {"type": "string"},
            },
            "oneOf": [{"required": ["base64"]}, {"required": ["text"]}, {"required": ["cache_ref"]}],
        },
    ],
}


class Schemas:
    """Normalises the schemas of one source; `definitions` grows with what the given ones refer to.

    What is given back shares its parts: change none of it.
    """

    def __init__(
        self,
        references: References,
        dialect: Dialect,
        report: Callable[[Finding], None],
        *,
        schema_bytes: int = _BYTES,
    ) -> None:
        self.references = references
        self.dialect = dialect
        # By itself, so that nothing in here refers back to here: the document goes with the last who reads it.
        self.report = Counted(report)
        self.definitions: dict[str, Schema] = {}
        self.targets = Targets(references, dialect, self.report)
        self._families = Families(self.targets)
        self._forms = Forms(self.targets, self.definitions)
        self._limit = Limit(self._forms, schema_bytes)
        self._pieces = Memory[int, tuple[Any, Piece]]()
        self._file: Schema | None = None
        self.parameters = Readings[Any](self.report)  # these are kept here for who reads them
        self.bodies = Readings[Any](self.report)
        self.plans = Memory[tuple[str, int], tuple[Any, Any]]()
        self.arguments = Memory[tuple[int, ...], tuple[Any, Any]]()

    def request(self, schema: Any, base: str, where: str) -> Schema:
        """What a request may hold here: nothing read-only."""
        return self.seen(self.piece(schema, base, where), REQUEST)

    def response(self, schema: Any, base: str, where: str) -> Schema:
        """What a response may hold here: nothing write-only."""
        return self.seen(self.piece(schema, base, where), RESPONSE)

    def piece(self, schema: Any, base: str, where: str) -> Piece:
        """The schema normalised, with all it leads to; the same object is read once."""
        if schema.__class__ is dict and len(schema) == 1 and (text := schema.get("$ref")).__class__ is str:
            target = self.targets.links(base).get(text)
            if target is not None:
                return target.piece
        known = self._pieces.get(id(schema))
        if known is not None and known[0] is schema:
            return known[1]
        walk = Walk(self.targets, base, where, schema)
        out = walk.node(schema)
        if self.targets.fresh:
            self._settle()
        piece = Piece(out, tuple(walk.refers), walk.marked)
        if schema.__class__ is dict:  # held, so that its id stays its own
            self._pieces[id(schema)] = schema, piece
        return piece

    def seen(self, piece: Piece, direction: Direction) -> Schema:
        """The piece from one direction; what it refers to is among the definitions from then on."""
        out = self._forms.of(piece, direction)
        return out if out.__class__ is dict else _boolean(out)

    def part(self, schema: Any, direction: Direction) -> Schema:
        """The same for a part of normalised schemas put together anew."""
        return self.seen(Piece(schema, self._forms.refers(schema), marked=True), direction)

    def definition(self, schema: Any) -> Any:
        """What a normalised schema that is a reference stands for, through any chain of them."""
        for _ in range(20):
            if not isinstance(schema, dict) or "$ref" not in schema:
                break
            target = self.targets.at(schema["$ref"])
            if target is None:
                break
            rest = {key: value for key, value in schema.items() if key != "$ref"}
            schema = {**target.schema, **rest} if rest and isinstance(target.schema, dict) else target.schema
        return schema

    def behind(self, node: Any, base: str) -> tuple[Mapping[str, Any], str]:
        """What stands where a media type, header or example could be a reference; `{}` when that leads nowhere."""
        if isinstance(node, Mapping) and isinstance(node.get("$ref"), str):
            try:
                end = self.references.resolve(node, base)
            except Unresolved:
                return {}, base
            node, base = end.value, end.base
        return (node if isinstance(node, Mapping) else {}), base

    def file(self) -> Schema:
        """The reference to what stands for a file (S-46)."""
        if self._file is None:
            name = self.targets.name("file")
            self.definitions[name] = _FILE
            self._file = {"$ref": f"#/$defs/{name}"}
        return self._file

    def recursive(self, schema: Any) -> bool:
        """Whether a reference leads to a definition that contains itself."""
        target = self.targets.at(schema.get("$ref")) if isinstance(schema, dict) else None
        return target is not None and self._forms.reaches_itself(target)

    def fitted(self, schema: Schema, where: str, operation: str = "") -> Schema:
        """The schema of a tool, inside the limit with everything it refers to (S-6)."""
        fitted = self._limit.fit(schema)
        if fitted is not schema:
            message = f"the schema is larger than schema_bytes = {self._limit.bytes}: its deep branches are open"
            finding = Finding(
                severity=Severity.WARNING,
                code=FindingCode.SCHEMA_REDUCED,
                where=where,
                message=message,
                operation=operation,
                fix="raise [limits] schema_bytes",
            )
            self.report(finding)
        return fitted

    def _settle(self) -> None:
        """Normalise every definition met, and those met by that, until none is new."""
        done: list[Target] = []
        while self.targets.fresh:
            target = self.targets.fresh.pop()
            self._define(target)
            done.append(target)
        break_loops(done, self.targets)
        self._forms.settle(done)

    def _define(self, target: Target) -> None:
        raw = target.raw
        walk = Walk(self.targets, target.base, target.where, raw)
        choice = self._families.choice(walk, target)
        if choice is None:
            choice = walk.node(self._by_itself(walk, target))
        target.schema = choice
        target.refers = tuple(walk.refers)
        target.marked = walk.marked

    def _by_itself(self, walk: Walk, target: Target) -> Any:
        """The definition as written, its bases without their other subtypes."""
        raw = target.raw
        if not isinstance(raw, dict):
            return raw
        out = raw
        if target.plain:
            out = {key: value for key, value in raw.items() if key not in {"discriminator", "oneOf", "anyOf"}}
        if isinstance(raw.get("allOf"), list):
            members = [self._base(walk, target, member) for member in raw["allOf"]]
            if any(new is not old for new, old in zip(members, raw["allOf"], strict=True)):
                out = {**out, "allOf": members}
        return out

    def _base(self, walk: Walk, target: Target, member: Any) -> Any:
        if not isinstance(member, dict) or not isinstance(member.get("$ref"), str):
            return member
        base = walk.peek(member["$ref"])
        if base is None or base is target:
            return member
        if self._families.is_base(base) or f"#{target.pointer}" in _alternatives(base.raw):
            return walk.without_subtypes(member)
        return member


def _alternatives(raw: Any) -> Iterable[str]:
    return [*references_in(raw, "oneOf"), *references_in(raw, "anyOf")]


def _boolean(value: Any) -> Schema:
    return {"not": {}} if value is False else {}
