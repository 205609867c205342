"""Search quality on the public sets: ours, FastMCP's BM25 and substrings, on the same tools and queries."""

from __future__ import annotations

import json
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import mean
from typing import NamedTuple

from benchmarks.processes import PEER, FailedError, measure
from benchmarks.search import sets
from benchmarks.search.vectors import Encoded
from periplus.search.engine import Engine
from periplus.search.measures import Judged, Quality, interval, ndcg, quality_of
from periplus.search.text import terms

SEPARATE_MOST = 700  # queries of one set, so that all of it ends in minutes; the same ones every time
POOLED_MOST = 400
PEER_MOST, PEER_POOLED_MOST = 700, 40  # the peer takes a second for a goal in the pool
_SHOWN = 10


class Row(NamedTuple):
    """One set in one catalog."""

    name: str
    tools: int
    ours: Quality
    ms: float
    peer: tuple[float, float, float] | None  # NDCG@5 and its interval
    peer_queries: int
    beside: float  # our NDCG@5 on the peer's queries
    substring: float


class Finer(NamedTuple):
    """One set in one catalog, in quality mode."""

    name: str
    tools: int
    found: Quality
    ms: float


def finer(catalog: sets.Catalog, encoded: Encoded, *, pooled: bool) -> Iterator[Finer]:
    """Every set of a catalog in quality mode, by the same queries as the default's."""
    with tempfile.TemporaryDirectory() as folder:
        engine = encoded.engine(Path(folder), catalog.records)
        for name, several in catalog.queries.items():
            asked = sets.sample(several, POOLED_MOST if pooled else SEPARATE_MOST)
            began = time.perf_counter()
            judged = [judge(engine, query) for query in asked]
            spent = 1000 * (time.perf_counter() - began) / len(asked)
            yield Finer(name, len(catalog.records), quality_of(judged), spent)


def rows(catalog: sets.Catalog, *, pooled: bool) -> Iterator[Row]:
    """Every set of a catalog."""
    asked = {
        name: sets.sample(several, POOLED_MOST if pooled else SEPARATE_MOST)
        for name, several in catalog.queries.items()
    }
    short = {name: sets.sample(several, PEER_POOLED_MOST if pooled else PEER_MOST) for name, several in asked.items()}
    with tempfile.TemporaryDirectory() as folder:
        engine = Engine(Path(folder))
        engine.rebuild(1, catalog.records)
        theirs = peer(catalog, [query.text for several in short.values() for query in several], Path(folder))
        names = [(record.ref, record.names[0].lower()) for record in catalog.records]
        at = 0
        for name, several in asked.items():
            began = time.perf_counter()
            judged = [judge(engine, query) for query in several]
            ms = 1000 * (time.perf_counter() - began) / len(several)
            few = short[name]
            mine = {one.goal: one.ndcg for one in judged}
            gains = None
            if theirs is not None:
                found = theirs[at : at + len(few)]
                gains = [ndcg(shown, query.relevant) for shown, query in zip(found, few, strict=True)]
            at += len(few)
            yield Row(
                name,
                len(catalog.records),
                quality_of(judged),
                ms,
                (mean(gains), *interval(gains)) if gains else None,
                len(few),
                mean(mine[query.text] for query in few),
                mean(ndcg(substrings(names, query.text), query.relevant) for query in few),
            )


def judge(engine: Engine, query: sets.Query) -> Judged:
    """One query answered by our engine as a face would see it."""
    found = engine.search(query.text, limit=_SHOWN)
    return Judged(
        goal=query.text,
        shown=tuple(str(hit.ref) for hit in found.hits),
        scores=tuple(hit.score for hit in found.hits),
        relevant=query.relevant,
    )


def substrings(names: Sequence[tuple[str, str]], goal: str) -> list[str]:
    """Tools by how many of the goal's stems their name contains: what a filter over names gives."""
    wanted = set(terms(goal))
    counted = ((-sum(stem in name for stem in wanted), ref) for ref, name in names)
    return [ref for met, ref in sorted(counted)[:_SHOWN] if met]


def peer(catalog: sets.Catalog, goals: Sequence[str], folder: Path) -> list[list[str]] | None:
    """What FastMCP finds, or None where its environment is missing."""
    if not PEER.exists():
        return None
    tools, queries = folder / "tools.jsonl", folder / "queries.jsonl"
    with tools.open("w", encoding="utf-8") as file:
        for record in catalog.records:
            texts = (" ".join(record.path.split("/")[:-1]), record.summary, record.description)
            row = {
                "ref": record.ref,
                "name": record.names[0],
                "description": " ".join(filter(None, texts)),
                "parameters": {
                    "type": "object",
                    "properties": {name: {"description": text} for name, text in record.parameters},
                },
            }
            file.write(json.dumps(row) + "\n")
    queries.write_text("\n".join(map(json.dumps, goals)) + "\n", encoding="utf-8")
    try:
        cost = measure([str(PEER), "benchmarks/search/peer.py", str(tools), str(queries)])
    except FailedError as failed:
        print(f"the peer failed: {failed}", file=sys.stderr)
        return None
    found: list[list[str]] = cost.answer["found"]
    return found
