"""One pass over one schema as written: the same value where nothing changes, a shallow copy where it does.

Normalised schemas share their parts with the document and with each other, so nobody may change one.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import urljoin

from periplus.model import Finding, FindingCode, Schema, Severity
from periplus.sources.openapi.references_port import Unresolved
from periplus.sources.openapi.schema_keywords import DROP, QUIETLY, RULES
from periplus.sources.openapi.schema_place import locate
from periplus.sources.openapi.schema_targets import Target, Targets
from periplus.sources.openapi.schema_turns import turn

_rules = RULES.get
_PLAIN = "\x00plain"  # on a `$ref` beside it: the base without its subtypes; no document can contain the key


class Walk:
    """The state of one pass: where it is, which definitions it met, what it noticed."""

    def __init__(self, targets: Targets, base: str, where: str, root: Any) -> None:
        self.targets = targets
        self.base = base
        self.document = base
        self.where = where
        self.root = root
        self.refers: dict[Target, None] = {}  # in order of first use
        self.marked = False  # a readOnly or writeOnly was seen
        self.old_required: set[int] = set()  # nodes that say `required: true` of themselves
        self.moved: dict[int, list[str]] = {}  # node -> names its properties declared required
        self.turn = False  # the node at hand has keywords that involve others
        self._links = targets.links(base)
        self._has_ids = targets.modern

    def node(self, schema: Any) -> Any:  # noqa: C901, PLR0912 - one loop that runs for every schema there is
        """One schema, normalised."""
        if schema.__class__ is not dict:
            return self._odd(schema)
        if "$ref" in schema:
            return self._reference(schema)
        if self._has_ids and schema.get("$id").__class__ is str:
            return self._embedded(schema)
        out = schema
        outer, self.turn = self.turn, False
        for key, value in schema.items():
            rule = _rules(key)
            if rule is value.__class__:
                continue
            if rule is None:
                new: Any = QUIETLY
            elif rule.__class__ is type:
                new = DROP
            else:
                new = rule(self, value, schema)  # pyright: ignore[reportCallIssue]  # a type went the other way
                if new is value:
                    continue
            if out is schema:
                out = dict(schema)
            if new is QUIETLY:
                del out[key]
            elif new is DROP:
                del out[key]
                self.complain(schema, key, value)
            else:
                out[key] = new
        if self.turn or self.moved:
            out = turn(self, schema, out)
        self.turn = outer
        return out

    def _odd(self, schema: Any) -> Any:
        if schema.__class__ is bool:
            return schema
        if isinstance(schema, Mapping):
            return self.node(dict(schema))
        self.report(
            FindingCode.SCHEMA_REDUCED, Severity.WARNING, schema, f"not a schema: {_short(schema)}; anything passes"
        )
        return {}

    def _embedded(self, schema: dict[str, Any]) -> Any:
        """A schema with an `$id` of its own: references inside are relative to that."""
        outer = self.base, self._links
        self.base = urljoin(self.base, schema["$id"]).partition("#")[0]
        self._links = self.targets.links(self.base)
        rest = {key: value for key, value in schema.items() if key != "$id"}
        try:
            return self.node(rest)
        finally:
            self.base, self._links = outer

    def _reference(self, schema: dict[str, Any]) -> Any:
        text = schema["$ref"]
        if text.__class__ is not str:
            self.complain(schema, "$ref", text)
            return self.node({key: value for key, value in schema.items() if key != "$ref"})
        target = self.link(text, schema, plain=_PLAIN in schema)
        if target is None:
            return {}
        if len(schema) == 1:
            return target.reference
        return self._with_siblings(target, schema)

    def _with_siblings(self, target: Target, schema: dict[str, Any]) -> Schema:
        """S-37: beside `$ref` everything counts from 3.1 on, and only the texts before."""
        if self._has_ids:
            rest = {key: value for key, value in schema.items() if key not in {"$ref", _PLAIN}}
            beside = self.node(rest)
            return {**target.reference, **beside} if beside else target.reference
        text = schema.get("description") or schema.get("summary")
        return {**target.reference, "description": text} if isinstance(text, str) else target.reference

    def link(self, text: str, node: Any = None, *, plain: bool = False) -> Target | None:
        """The definition a reference leads to, noted as met; None, with a finding, when it leads nowhere."""
        key = text if not plain else f"{text}{_PLAIN}"
        target = self._links.get(key)
        if target is None:
            try:
                target = self._find(text, plain=plain)
            except Unresolved as reason:
                code, wrong = self.targets.reason(reason)
                self.report(code, Severity.WARNING, node, f"reference {text[:200]!r} {wrong}; anything passes")
                return None
            self._links[key] = target
        self.refers[target] = None
        return target

    def _find(self, text: str, *, plain: bool) -> Target:
        try:
            return self.targets.find(text, self.base, plain=plain)
        except Unresolved:
            if self.base == self.document:
                raise
            # Many write an `$id` as a mere name and go on referring to the document around it.
            return self.targets.find(text, self.document, plain=plain)

    def peek(self, text: str) -> Target | None:
        """The definition a reference leads to, without a word when there is none."""
        try:
            return self._find(text, plain=False)
        except Unresolved:
            return None

    def without_subtypes(self, reference: dict[str, Any]) -> dict[str, Any]:
        """The same reference, meaning the base itself and not what extends it."""
        return {**reference, _PLAIN: True}

    def move_required(self, schema: dict[str, Any], properties: dict[str, Any]) -> None:
        """`required: true` on a property is meant for its parent."""
        found = {name: id(child) for name, child in properties.items() if id(child) in self.old_required}
        names = list(found)
        if names:
            self.moved[id(schema)] = names
            self.report(
                FindingCode.PARSE_LENIENT,
                Severity.NOTE,
                schema,
                f"required: true stands on the properties {', '.join(names)[:200]}; taken as the object's required",
            )
        self.old_required.difference_update(found.values())

    def complain(self, schema: Any, key: str, value: Any) -> None:
        """A keyword with a value it cannot have costs that keyword only."""
        self.report(FindingCode.SCHEMA_REDUCED, Severity.WARNING, schema, f"{key} cannot be {_short(value)}; left out")

    def unsatisfiable(self, schema: Any, why: str) -> None:
        self.report(FindingCode.SCHEMA_UNSATISFIABLE, Severity.WARNING, schema, f"nothing satisfies this schema: {why}")

    def report(self, code: FindingCode, severity: Severity, node: Any, message: str) -> None:
        place = f"{self.where}{locate(self.root, node)}"
        self.targets.report(Finding(severity=severity, code=code, where=place, message=message))


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
