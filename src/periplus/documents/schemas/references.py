"""References between the definitions of one schema: followed, renamed, and freed of circles that say nothing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from periplus.documents.schemas.keywords import ANNOTATIONS, IN_PLACE
from periplus.documents.schemas.targets import Lost
from periplus.model import FindingCode, Schema


class Ref(NamedTuple):
    """A reference by local name, told apart from texts that merely look like one."""

    name: str


def renamed(value: Any, names: Mapping[str, str]) -> Any:
    """The schema as plain JSON, its references by these names (their own where there is none)."""
    if isinstance(value, Ref):
        return f"#/$defs/{names.get(value.name, value.name)}"
    if isinstance(value, dict):
        return {key: renamed(member, names) for key, member in value.items()}
    if isinstance(value, list):
        return [renamed(member, names) for member in value]
    return value


def referred(value: Any) -> Iterator[str]:
    """The local names a schema refers to, anywhere in it."""
    if isinstance(value, Ref):
        yield value.name
    elif isinstance(value, dict):
        for member in value.values():
            yield from referred(member)
    elif isinstance(value, list):
        for member in value:
            yield from referred(member)


def inlined(root: Schema, local: Mapping[str, Schema | bool]) -> Schema:
    """A root that is a reference as what it refers to, where nothing is lost by that."""
    seen: set[str] = set()
    while isinstance(reference := root.get("$ref"), Ref) and reference.name not in seen:
        seen.add(reference.name)
        target = local[reference.name]
        beside = {name: member for name, member in root.items() if name != "$ref"}
        if not isinstance(target, dict) or (beside.keys() & target.keys()) - ANNOTATIONS:
            return root
        root = {**target, **beside}
    return root


def break_circles(local: Mapping[str, Schema | bool]) -> list[Lost]:
    """Take out references by which a schema is defined as itself: no validator ever ends on one."""
    found: list[Lost] = []
    done: set[str] = set()
    for start in local:
        if start in done:
            continue
        path = [(start, list(_in_place(local[start])))]
        on_path = {start}
        while path:
            name, holders = path[-1]
            if not holders:
                path.pop()
                on_path.discard(name)
                done.add(name)
                continue
            holder = holders.pop()
            other = holder["$ref"].name
            if other in on_path:
                del holder["$ref"]
                found.append(Lost(FindingCode.REF_CYCLE, f"{other!r} is defined as itself; that reference is left out"))
            elif other not in done:
                path.append((other, list(_in_place(local[other]))))
                on_path.add(other)
    return found


def _in_place(schema: Any) -> Iterator[dict[str, Any]]:
    """The objects with a reference that looks at the same value as this schema does."""
    if not isinstance(schema, dict):
        return
    if isinstance(schema.get("$ref"), Ref):
        yield schema
    for keyword in IN_PLACE:
        held = schema.get(keyword)
        if keyword == "dependentSchemas" and isinstance(held, dict):
            held = list(held.values())
        for each in held if isinstance(held, list) else [held]:
            yield from _in_place(each)
