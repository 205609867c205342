"""One process: a public test set as a catalog, its goals asked over the face; what was told beside what was true.

python -m benchmarks.expansion.confidence SET [SET ...]
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from statistics import mean
from typing import Any

import anyio
import msgspec

from benchmarks.jobs import timed
from benchmarks.search import sets
from benchmarks.search.quality import substrings
from periplus.app import open_gateway
from periplus.core.intake.texts import clean, first_sentence
from periplus.faces.expansion import Expansion
from periplus.hosts.desk import Desk
from periplus.model import Code, Document, Principal, SourceRecord, SourceSpec, SourceState
from periplus.ports import Change, Request, Row
from periplus.search.measures import Judged, calibration_error, ndcg, quality_of
from periplus.search.records import Record
from periplus.settings import ExpansionSettings, load_settings
from periplus.stores.sqlite import open_store
from periplus.testing.catalogs import make_row

MOST = 150  # goals of one set, always the same ones
_AGENT = Request(principal=Principal(id="agent"), connection="bench")


async def main(names: list[str]) -> None:
    answer: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as directory:
        settings = load_settings(None, {}, {"data": directory, "expansion.floor": 0.0})
        catalogs = {name: sets.tools(name) for name in names}
        await _fill(Path(directory), catalogs)
        async with open_gateway(settings) as gateway:
            await gateway.index()
            desk = Desk(Expansion(gateway, settings))
            with timed(answer):
                answer |= await _measured(desk, catalogs)
    print(json.dumps(answer))


async def _fill(directory: Path, catalogs: dict[str, dict[str, Record]]) -> None:
    """A source for each set."""
    async with open_store(directory) as store:
        for name, known in catalogs.items():
            spec = SourceSpec(id=_source(name), kind="python", url=f"set.{name}")
            record = SourceRecord(spec=spec, state=SourceState.OK, document=Document(url=spec.url, kind="python"))
            await store.apply(Change(record=record, rows=[_row(one) for one in known.values()]), 1.0)


def _row(record: Record) -> Row:
    properties = {name: {"description": text} for name, text in record.parameters}
    return make_row(
        record.path,
        summary=first_sentence(clean(record.summary)),
        description=record.summary,
        args_schema={"type": "object", "properties": properties},
        aliases=record.names,
        paths=record.nodes or ("",),
    )


async def _measured(desk: Desk, catalogs: dict[str, dict[str, Record]]) -> dict[str, Any]:
    tools: list[Judged] = []
    areas: list[Judged] = []
    plain: list[float] = []
    names = [
        (f"{_source(name)}/{one.path}", one.names[0].lower())
        for name, known in catalogs.items()
        for one in known.values()
    ]
    for name, known in catalogs.items():
        placed = {one.ref: one for one in known.values()}
        for query in sets.sample(sets.queries(name, known), MOST):
            right = {f"{_source(name)}/{placed[ref].path}" for ref in query.relevant}
            above = {area for ref in query.relevant for area in _above(_source(name), placed[ref])}
            tools.append(await _judged(desk, "search_tool_by_category", query.text, right))
            areas.append(await _judged(desk, "search_nodes", query.text, above))
            plain.append(ndcg(substrings(names, query.text), right))
    quality = quality_of(tools)
    return {
        "tools": len(names),
        "goals": len(tools),
        "ece": quality.ece,
        "ece_shown": calibration_error(map(_shown, tools)),
        "area_ece": calibration_error(areas),
        "area_ece_shown": calibration_error(map(_shown, areas)),
        "recall5": quality.recall5,
        "ndcg5": quality.ndcg5,
        "plain5": mean(plain),
    }


async def _judged(desk: Desk, op: str, goal: str, right: Iterable[str]) -> Judged:
    reply = await desk.ask(op, {"query": goal, "limit": 10}, _AGENT)
    if reply is None or (reply.problem and reply.problem.code is not Code.NO_MATCH):
        raise RuntimeError(f"{op} of {goal!r} is refused: {reply and reply.body}")
    found = [] if reply.problem else reply.body["results"]
    return Judged(
        goal=goal,
        shown=tuple(one.get("tool_id") or "/".join(one["path"]) for one in found),
        scores=tuple(one["confidence"] for one in found),
        relevant=frozenset(right),
    )


def _shown(judged: Judged) -> Judged:
    """What is left of an answer with the floor that is set where nobody sets one."""
    kept = tuple(score for score in judged.scores if score >= ExpansionSettings().floor)
    return msgspec.structs.replace(judged, shown=judged.shown[: len(kept)], scores=kept)


def _above(source: str, record: Record) -> set[str]:
    names = [source, *(record.nodes[0].split("/") if record.nodes else ())]
    return {"/".join(names[:end]) for end in range(1, len(names) + 1)}


def _source(name: str) -> str:
    return name.replace("_", "-")


if __name__ == "__main__":
    anyio.run(main, sys.argv[1:])
