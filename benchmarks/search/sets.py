"""The five public sets and the real operations as records and queries."""

from __future__ import annotations

import json
import lzma
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from periplus.model import segment
from periplus.search.records import Record

NAMES = ("apibench_torchhub", "bfcl", "metatool_single", "sealtools", "toolbench_g")
DATA = Path(__file__).resolve().parents[3] / "shared" / "data" / "retrieval"


class Query(NamedTuple):
    """A goal and the refs that answer it."""

    text: str
    relevant: frozenset[str]


class Catalog(NamedTuple):
    """Tools to search in, and the queries of each set about them."""

    records: list[Record]
    queries: dict[str, list[Query]]


def _parameters(schema: Any) -> tuple[tuple[str, str], ...]:
    properties = (schema or {}).get("properties") or {}
    return tuple(
        (str(name), str(inner.get("description") or "") if isinstance(inner, dict) else "")
        for name, inner in properties.items()
    )


def _free(path: str, taken: set[str]) -> str:
    while path in taken:
        path += "_2"
    taken.add(path)
    return path


def tools(name: str, taken: set[str] | None = None) -> dict[str, Record]:
    """The set's tools by their id; paths that are taken already get a number."""
    found: dict[str, Record] = {}
    taken = set() if taken is None else taken
    for line in (DATA / name / "tools.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        area = "/".join(segment(part) for part in row["category"])
        path = _free(f"{area}/{segment(row['name'])}" if area else segment(row["name"]), taken)
        found[row["id"]] = Record(
            source="tools",
            path=path,
            names=(row["name"],),
            nodes=(area,) if area else (),
            summary=row["description"] or "",
            parameters=_parameters(row["parameters"]),
        )
    return found


def queries(name: str, known: dict[str, Record], split: str = "test") -> list[Query]:
    """The queries of one split."""
    rows = map(json.loads, (DATA / name / "queries.jsonl").read_text(encoding="utf-8").splitlines())
    return [
        Query(row["query"], frozenset(known[one].ref for one in row["relevant"]))
        for row in rows
        if row["split"] == split
    ]


def operations(taken: set[str] | None = None) -> Iterator[Record]:
    """The 68k real operations, each once."""
    taken = set() if taken is None else taken
    with lzma.open(DATA / "real-tools-68k.jsonl.xz", "rt", encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            host, *tags = row["category"]
            yield Record(
                source="tools",
                path=_free("/".join((segment(host), segment(row["name"]))), taken),
                names=(row["name"], row["path"]),
                nodes=(segment(host),),
                tags=tuple(tags),
                summary=row["summary"],
                description=row["description"],
                parameters=_parameters(row["parameters"]),
            )


def separate(split: str = "test") -> Iterator[Catalog]:
    """Each set as a catalog of its own; sets without queries in this split are left out."""
    for name in NAMES:
        known = tools(name)
        asked = queries(name, known, split)
        if asked:
            yield Catalog(list(known.values()), {name: asked})


def pooled(split: str = "test") -> Catalog:
    """All sets and the real operations as one catalog."""
    taken: set[str] = set()
    records: list[Record] = []
    asked: dict[str, list[Query]] = {}
    for name in NAMES:
        known = tools(name, taken)
        records += known.values()
        asked[name] = queries(name, known, split)
    return Catalog([*records, *operations(taken)], {name: several for name, several in asked.items() if several})


def sample(queries: list[Query], most: int, seed: int = 7) -> list[Query]:
    """At most that many of the queries, always the same ones."""
    return queries if len(queries) <= most else random.Random(seed).sample(queries, most)


def grown(count: int) -> Iterator[Record]:
    """That many tools: the real operations, again and again under other hosts, each time in other words.

    A copy exchanges some of its words for words of its number, so that the lexicon grows as real ones do.
    """
    real = list(operations())
    for number in range(count):
        record, copy = real[number % len(real)], number // len(real)
        if not copy:
            yield record
            continue
        draw = random.Random(number)
        words = [f"{word}{copy}" if draw.random() < 0.03 else word for word in record.summary.split()]
        yield msgspec.structs.replace(
            record,
            path=f"v{copy}.{record.path}",
            nodes=tuple(f"v{copy}.{node}" for node in record.nodes),
            summary=" ".join(words),
        )
