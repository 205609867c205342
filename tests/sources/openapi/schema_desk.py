"""One document's schemas on a desk: the real reader of references, and a validator that is not ours."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import jsonschema_rs

from periplus.model import Finding
from periplus.sources.openapi.arguments import Arguments, OperationParts, build
from periplus.sources.openapi.references import Book, Library
from periplus.sources.openapi.schemas import Schemas

BASE = "https://api.example.com/openapi.json"
DRAFT = "https://json-schema.org/draft/2020-12/schema"
_ENGINE = jsonschema_rs.RegexOptions()


class Desk:
    """A document, read on demand; `findings` are what was reported."""

    def __init__(self, document: Mapping[str, Any] | None = None, dialect: Any = "3.0", **limits: int) -> None:
        document = document or {}
        named = "$id" in repr(document) or "Anchor" in repr(document) or "$anchor" in repr(document)
        library = Library(Book(url=BASE, label="openapi.json", tree=document, named=named), {}, {})
        self.findings: list[Finding] = []
        self.schemas = Schemas(library, dialect, self.findings.append, **limits)

    @property
    def codes(self) -> list[str]:
        return [finding.code.value for finding in self.findings]

    def request(self, schema: Any) -> dict[str, Any]:
        return self.whole(self.schemas.request(schema, BASE, f"{BASE}#/here"))

    def response(self, schema: Any) -> dict[str, Any]:
        return self.whole(self.schemas.response(schema, BASE, f"{BASE}#/here"))

    def arguments(self, parameters: Any = (), body: Any = None, **more: Any) -> Arguments:
        parts = OperationParts(
            where=f"{BASE}#/paths/~1x/get",
            operation="op",
            parameters=[(one, BASE) for one in parameters],
            body=None if body is None else (body, BASE),
            **more,
        )
        found = build(parts, self.schemas)
        valid(self.whole(found.args_schema))
        return found

    def whole(self, schema: dict[str, Any]) -> dict[str, Any]:
        """The schema with the definitions it leads to, as a tool has it."""
        needed: dict[str, Any] = {}
        queue = list(_names(schema))
        for name in queue:
            if name not in needed:
                needed[name] = self.schemas.definitions[name]
                queue.extend(_names(needed[name]))
        return {**schema, "$defs": needed} if needed else schema


def _names(value: Any) -> list[str]:
    if isinstance(value, dict):
        own = [value["$ref"].removeprefix("#/$defs/")] if isinstance(value.get("$ref"), str) else []
        return own + [name for child in value.values() for name in _names(child)]
    return [name for child in value for name in _names(child)] if isinstance(value, list) else []


def valid(schema: Any) -> Any:
    """The compiled validator of a schema that is valid 2020-12."""
    jsonschema_rs.meta.validate({"$schema": DRAFT, **schema})
    return jsonschema_rs.validator_for(
        {"$schema": DRAFT, **schema}, validate_formats=True, ignore_unknown_formats=True, pattern_options=_ENGINE
    )


def accepts(schema: dict[str, Any], value: Any) -> bool:
    return bool(valid(schema).is_valid(value))


def json_body(schema: Any, *, required: bool = True, **more: Any) -> dict[str, Any]:
    return {"required": required, "content": {"application/json": {"schema": schema, **more}}}
