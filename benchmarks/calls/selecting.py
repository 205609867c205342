"""How long a selection takes to be written and checked: python -m benchmarks.calls.selecting; JSON on the last line."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from statistics import median

from periplus.app.parts import transport
from periplus.model import LOCAL, SourceSpec, Tool
from periplus.ports import Calling, Site
from periplus.selections import schema as schemas
from periplus.sources.graphql.repair import repair
from periplus.sources.graphql.report import Report
from periplus.sources.graphql.salvage import parse_sdl
from periplus.sources.graphql.sdl import read_sdl
from periplus.sources.graphql.tools import tools_of

_TYPES, _FIELDS, _ROUNDS = 1600, 12, 40


def _sdl() -> str:
    return "\n".join(_types())


def _types() -> Iterator[str]:
    for number in range(_TYPES):
        leaves = " ".join(f"leaf{at}: String" for at in range(_FIELDS))
        below = f"next: T{(number + 1) % _TYPES} far(first: Int!): [T{(number * 7) % _TYPES}!]"
        yield f"type T{number} {{ id: ID! {leaves} {below} }}"
    yield f"type Query {{ {' '.join(f't{number}(id: ID!): T{number}' for number in range(_TYPES))} }}"


def main() -> None:
    """Each selection once new and once again, on another tool each time; the schema is taken up before."""
    text = _sdl()
    report = Report("bench.graphql")
    doc = repair(read_sdl(parse_sdl(text).document, report), report)
    kept = {
        "endpoint": "https://bench.example/graphql",
        "schema": schemas.pack(doc),
        "schema_form": schemas.PACKED_FORM,
    }
    site = Site(spec=SourceSpec(id="bench", kind="graphql", url="https://bench.example/graphql"), site=kept)
    drafts = [draft for draft, _ in zip(tools_of(schemas.build(doc), report).drafts, range(_ROUNDS + 1), strict=False)]
    tools = [
        Tool(source="bench", path=each.leaf, key=each.key, origin=each.origin, binding=each.binding) for each in drafts
    ]
    way = transport("graphql")
    plain = {"id": "1", "_select": "id, leaf1, next.leaf2, next.next { id leaf3 }, next.next.next"}
    caller = Calling(principal=LOCAL)
    way.prepare(tools[0], site, plain, caller)
    new: list[float] = []
    again: list[float] = []
    for tool in tools[1:]:
        for found in (new, again):
            began = time.process_time()
            way.prepare(tool, site, plain, caller)
            found.append((time.process_time() - began) * 1000)
    print(json.dumps({"types": _TYPES, "new_ms": median(new), "again_ms": median(again)}))


if __name__ == "__main__":
    main()
