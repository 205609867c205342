"""The five public sets and the real operations as records and queries."""

import json
import lzma
import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from periplus.model import segment
from periplus.search.records import Record

NAMES = ("apibench_torchhub", "bfcl", "metatool_single", "sealtools", "toolbench_g")


class Query(NamedTuple):
    """A goal and the refs that answer it."""

    text: str
    relevant: frozenset[str]


def data_folder() -> Path:
    """Where the shared retrieval sets are, beside the project."""
    return Path(__file__).resolve().parents[3] / "shared" / "data" / "retrieval"


def _parameters(schema: Any) -> tuple[tuple[str, str], ...]:
    properties = (schema or {}).get("properties") or {}
    return tuple(
        (str(name), str(inner.get("description") or "") if isinstance(inner, dict) else "")
        for name, inner in properties.items()
    )


def tools(name: str, folder: Path) -> dict[str, Record]:
    """The set's tools by their id, under the source `<name>`."""
    found: dict[str, Record] = {}
    taken: set[str] = set()
    for line in (folder / name / "tools.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        path = "/".join((*(segment(c) for c in row["category"] or [name]), segment(row["name"])))
        while path in taken:
            path += "_2"
        taken.add(path)
        found[row["id"]] = Record(
            source="tools",
            path=path,
            names=(row["name"],),
            nodes=(path.rpartition("/")[0],),
            summary=row["description"] or "",
            parameters=_parameters(row["parameters"]),
        )
    return found


def queries(name: str, folder: Path, known: dict[str, Record], split: str = "test") -> list[Query]:
    """The queries of one split."""
    rows = map(json.loads, (folder / name / "queries.jsonl").read_text(encoding="utf-8").splitlines())
    return [
        Query(row["query"], frozenset(known[one].ref for one in row["relevant"]))
        for row in rows
        if row["split"] == split
    ]


def operations(folder: Path) -> Iterator[Record]:
    """The 68k real operations, each once."""
    taken: set[str] = set()
    with lzma.open(folder / "real-tools-68k.jsonl.xz", "rt", encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            host, *tags = row["category"]
            path = "/".join((segment(host), segment(row["name"])))
            while path in taken:
                path += "_2"
            taken.add(path)
            yield Record(
                source="tools",
                path=path,
                names=(row["name"], row["path"]),
                nodes=(segment(host),),
                tags=tuple(tags),
                summary=row["summary"],
                description=row["description"],
                parameters=_parameters(row["parameters"]),
            )


def ndcg(found: Sequence[str], relevant: frozenset[str], depth: int = 5) -> float:
    """Gain of the first hits, discounted by place, over the best possible."""
    gained = sum(1 / math.log2(place + 2) for place, ref in enumerate(found[:depth]) if ref in relevant)
    return gained / sum(1 / math.log2(place + 2) for place in range(min(depth, len(relevant))))
