"""What a call gives back: the schema of success, from the declared responses (S-75)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from periplus.model import Finding, Schema, Severity
from periplus.sources.openapi import media
from periplus.sources.openapi.references_port import Unresolved
from periplus.sources.openapi.schemas import Schemas

_FIRST: Final = ("200", "201", "202")


class _Answer(NamedTuple):
    """One response on success, behind its reference."""

    written: Mapping[str, Any]
    base: str


def result_schema(
    responses: Any,
    base: str,
    schemas: Schemas,
    *,
    where: str,
    operation: str = "",
    produces: Sequence[str] = (),
) -> Schema | None:
    """What success gives: 2xx in order, else `default`; several different are a choice, None is unknown."""
    if not isinstance(responses, Mapping):
        return None
    found: list[Schema] = []
    for answer in _successes(responses, base, where, operation, schemas):
        for schema, spot in _json_schemas(answer, produces, schemas):
            seen = schemas.response(schema, spot, where)
            if seen and seen not in found:
                found.append(seen)
    if not found:
        return None
    return schemas.fitted(found[0] if len(found) == 1 else {"anyOf": found}, where, operation)


def _successes(
    responses: Mapping[Any, Any], base: str, where: str, operation: str, schemas: Schemas
) -> Iterator[_Answer]:
    """The responses that tell of success, in the order S-75 gives them."""
    codes = {str(code).upper(): code for code in responses}
    known = [code for code in _FIRST if code in codes]
    others = [code for code in codes if code[0:1] == "2" and code != "2XX" and code not in _FIRST]
    last = ["2XX"] if "2XX" in codes else []
    # A `default` beside a declared success is what errors look like.
    chosen = [*known, *sorted(others), *last] or (["DEFAULT"] if "DEFAULT" in codes else [])
    for code in chosen:
        answer = responses[codes[code]]
        spot = base
        if isinstance(answer, Mapping) and isinstance(answer.get("$ref"), str):
            try:
                end = schemas.references.resolve(answer, base)
            except Unresolved as error:
                reason, wrong = schemas.targets.reason(error)
                finding = Finding(
                    severity=Severity.WARNING,
                    code=reason,
                    where=where,
                    message=f"response {code}: reference {error.text[:200]!r} {wrong}; its result type is unknown",
                    operation=operation,
                )
                schemas.report(finding)
                continue
            answer, spot = end.value, end.base
        if isinstance(answer, Mapping):
            yield _Answer(answer, spot)


def _json_schemas(answer: _Answer, produces: Sequence[str], schemas: Schemas) -> Iterator[tuple[Any, str]]:
    """The schemas an answer declares for JSON; what its other types hold is text or bytes."""
    if schemas.dialect == "2.0":
        kinds = {media.read(name).kind for name in produces}
        schema = answer.written.get("schema")
        is_file = isinstance(schema, Mapping) and schema.get("type") == "file"
        if schema is not None and not is_file and (not kinds or not kinds.isdisjoint({"json", "any"})):
            yield schema, answer.base
        return
    for name, written in _mapping(answer.written.get("content")).items():
        kind = media.read(str(name)).kind
        if kind not in {"json", "any", "lines"}:
            continue
        body, spot = schemas.behind(written, answer.base)
        if "itemSchema" in body:
            yield {"type": "array", "items": body["itemSchema"]}, spot
        elif "schema" in body and not _is_bytes(body["schema"]):
            yield body["schema"], spot


def _is_bytes(schema: Any) -> bool:
    return isinstance(schema, Mapping) and schema.get("format") == "binary"


def _mapping(value: Any) -> Mapping[Any, Any]:
    return value if isinstance(value, Mapping) else {}
