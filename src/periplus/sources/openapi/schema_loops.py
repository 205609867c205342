"""Definitions that mean themselves before any value is looked into; a validator would never come back.

`A: {allOf: [B]}` with `B: {anyOf: [A]}` is such a loop. Recursion through `properties` or `items` is not.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from periplus.model import Finding, FindingCode, Severity
from periplus.sources.openapi.schema_targets import Target, Targets

_SAME_VALUE: Final = ("allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas")


def break_loops(fresh: Sequence[Target], targets: Targets) -> None:
    """Open each loop at the reference that closes it."""
    edges: dict[Target, list[Target]] = {}
    for target in fresh:
        names = set(_meant(target.schema))
        if names:
            edges[target] = [other for other in target.refers if other.reference["$ref"] in names]
    done: set[Target] = set()
    for start in edges:
        for source, closing in _back_edges(start, edges, done):
            source.schema = _without(source.schema, closing.reference["$ref"])
            finding = Finding(
                severity=Severity.WARNING,
                code=FindingCode.REF_CYCLE,
                where=source.where,
                message=f"{source.title} means {closing.title}, which means {source.title}: opened here",
            )
            targets.report(finding)


def _back_edges(start: Target, edges: dict[Target, list[Target]], done: set[Target]) -> Iterator[tuple[Target, Target]]:
    """A depth-first walk without recursion; an edge to what is still open closes a loop."""
    if start in done:
        return
    path: dict[Target, Iterator[Target]] = {start: iter(edges.get(start, ()))}
    while path:
        at = next(reversed(path))
        after = next(path[at], None)
        if after is None:
            done.add(at)
            del path[at]
        elif after in path:
            yield at, after
        elif after not in done:
            path[after] = iter(edges.get(after, ()))


def _meant(schema: Any) -> Iterator[str]:
    """References that stand for the same value as the schema itself."""
    if not isinstance(schema, dict):
        return
    if "$ref" in schema:
        yield schema["$ref"]
    for key in _SAME_VALUE:
        if key in schema:
            for branch in _branches(schema[key]):
                yield from _meant(branch)


def _branches(value: Any) -> list[Any]:
    if isinstance(value, list):
        return value
    if isinstance(value, dict) and not any(key in value for key in ("$ref", "type", "properties", *_SAME_VALUE)):
        return [value, *value.values()]  # dependentSchemas, or a schema without branches
    return [value]


def _without(schema: Any, reference: str) -> Any:
    """The schema with this reference, where it means the same value, open."""
    if not isinstance(schema, dict):
        return schema
    out = {key: value for key, value in schema.items() if key != "$ref" or value != reference}
    for key in _SAME_VALUE:
        if isinstance(out.get(key), list):
            out[key] = [_without(branch, reference) for branch in out[key]]
        elif key == "dependentSchemas" and key in out:
            out[key] = {name: _without(branch, reference) for name, branch in out[key].items()}
        elif key in out:
            out[key] = _without(out[key], reference)
    return out
