"""How good search is on somebody's own catalog, measured offline: goals made from its tools, or their own (R-9)."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path

import anyio.to_thread
import msgspec

from periplus.core.gateway import Gateway
from periplus.model import Code, Problem, Scope, Tool
from periplus.search.asking import KINDS, Asked, Asker
from periplus.search.measures import Judged, Quality, difference, quality_of
from periplus.search.room import SearchRoom
from periplus.search.semantic import Model
from periplus.settings import SearchSettings

_SHOWN = 10
_WORST = 10
OWN = "own"
Progress = Callable[[str, int, int | None], None]


class Worst(msgspec.Struct, frozen=True, kw_only=True):
    """A goal that went badly: what would have been right, and what came instead."""

    goal: str
    kind: str
    wanted: tuple[str, ...]
    got: tuple[str, ...]
    place: int  # of the first right one, from 1; 0: not among the first ten


class Evaluation(msgspec.Struct, frozen=True, kw_only=True):
    """What one configuration achieves, for each kind of goal and in all."""

    quality: bool
    tools: int
    overall: Quality
    kinds: dict[str, Quality]
    worst: tuple[Worst, ...]


class Comparison(msgspec.Struct, frozen=True, kw_only=True):
    """Two configurations on the same goals."""

    first: Evaluation
    second: Evaluation
    gain: float  # NDCG@5 of the second less that of the first
    low: float  # the interval that holds the gain with 95 % confidence
    high: float


async def evaluate(
    gateway: Gateway,
    *,
    queries: str | Path | None = None,
    kinds: Sequence[str] = KINDS,
    most: int = 200,
    configurations: Sequence[SearchSettings] = (SearchSettings(),),
    progress: Progress | None = None,
) -> Evaluation | Comparison:
    """Measure search on the gateway's catalog, in scratch indexes beside it; two configurations are compared.

    `queries` is a file of lines `{"query": ..., "relevant": [tool, ...]}`; without it goals are made: from examples,
    from descriptions that are held out, from names in other words; at most `most` of each kind.
    """
    if not 1 <= len(configurations) <= 2:
        raise Problem(Code.BAD_INPUT, f"{len(configurations)} configurations", hints=("give one, or two to compare",))
    if unknown := [kind for kind in kinds if kind not in KINDS]:
        raise Problem(Code.BAD_INPUT, f"no kind of goal: {unknown[0]!r}", hints=(f"use {', '.join(KINDS)}",))
    tools = [tool async for tool in gateway.tools()]
    if not tools:
        raise Problem(Code.BAD_INPUT, "the catalog is empty", hints=("periplus add URL",))
    told = progress or _quiet
    lines = await anyio.to_thread.run_sync(_lines, Path(queries)) if queries else None
    trials = await anyio.to_thread.run_sync(partial(_trials, tools, lines, kinds, most))
    judged = [await anyio.to_thread.run_sync(partial(_judge, trials, one, told)) for one in configurations]
    done = [_told(one, len(tools), several) for one, several in zip(configurations, judged, strict=True)]
    if len(done) == 1:
        return done[0]
    gains = [[row.ndcg for _, row in several] for several in judged]
    low, high = difference(*gains)
    gain = done[1].overall.ndcg5 - done[0].overall.ndcg5
    return Comparison(first=done[0], second=done[1], gain=gain, low=low, high=high)


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        hints = ('lines of {"query": "...", "relevant": ["source/tool"]}',)
        raise Problem(Code.NOT_FOUND, f"{path} cannot be read: {error.strerror}", hints=hints) from error


class _Trial(msgspec.Struct, frozen=True):
    """Goals, and the tools among which they are asked."""

    goals: list[Asked]
    tools: list[Tool]


def _trials(tools: list[Tool], lines: Sequence[str] | None, kinds: Iterable[str], most: int) -> list[_Trial]:
    if lines is not None:
        return [_Trial(_own(tools, lines), tools)]
    asker = Asker(Model())
    trials = [_Trial(*asker.goals(tools, kind, most)) for kind in kinds]
    trials = [trial for trial in trials if trial.goals]
    if not trials:
        raise Problem(
            Code.BAD_INPUT,
            "no goals could be made from these tools",
            hints=("they have neither examples nor descriptions: give --queries FILE",),
        )
    return trials


class _Line(msgspec.Struct):
    query: str
    relevant: list[str]


def _own(tools: Sequence[Tool], lines: Sequence[str]) -> list[Asked]:
    """Goals from a file; their tools are named as people name tools."""
    found: list[Asked] = []
    with tempfile.TemporaryDirectory() as folder:
        room = _filled(Path(folder), tools, SearchSettings(), _quiet)
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                read = msgspec.json.decode(line, type=_Line)
            except msgspec.MsgspecError as error:
                raise Problem(
                    Code.BAD_INPUT,
                    f"line {number} is no query: {error}",
                    hints=('write {"query": "...", "relevant": ["source/tool"]}',),
                ) from error
            refs = tuple(str(ref) for name in read.relevant for ref in room.resolve(name, Scope()).exact)
            if not refs or not read.query.strip():
                raise Problem(
                    Code.BAD_INPUT, f"line {number} names no tool of this catalog", hints=("periplus search NAME",)
                )
            found.append(Asked(goal=read.query, kind=OWN, refs=refs))
    if not found:
        raise Problem(Code.BAD_INPUT, "the file has no queries", hints=("one JSON object a line",))
    return found


def _judge(trials: Sequence[_Trial], settings: SearchSettings, told: Progress) -> list[tuple[Asked, Judged]]:
    """Every goal answered by a scratch index of its trial."""
    judged: list[tuple[Asked, Judged]] = []
    for trial in trials:
        with tempfile.TemporaryDirectory() as folder:
            room = _filled(Path(folder), trial.tools, settings, told)
            for done, asked in enumerate(trial.goals, 1):
                found = room.search(asked.goal, Scope(), limit=_SHOWN, start=0, within=None, boosts=None)
                told("ask", done, len(trial.goals))
                shown = tuple(str(hit.ref) for hit in found.hits)
                scores = tuple(hit.score for hit in found.hits)
                row = Judged(goal=asked.goal, shown=shown, scores=scores, relevant=frozenset(asked.refs))
                judged.append((asked, row))
    return judged


def _filled(folder: Path, tools: Sequence[Tool], settings: SearchSettings, told: Progress) -> SearchRoom:
    room = SearchRoom(folder, quality=settings.quality)
    told("index", 0, len(tools))
    room.rebuild(1, ((tool, "") for tool in tools))
    by_ref = {str(tool.ref): tool for tool in tools} if settings.quality else {}
    done = 0
    while lacking := room.lacking(64):
        done += room.refine([by_ref[ref] for ref in lacking])
        told("refine", done, len(tools))
    return room


def _told(settings: SearchSettings, tools: int, judged: Sequence[tuple[Asked, Judged]]) -> Evaluation:
    by_kind: dict[str, list[Judged]] = {}
    for asked, row in judged:
        by_kind.setdefault(asked.kind, []).append(row)
    badly = sorted((pair for pair in judged if pair[1].ndcg < 1), key=lambda pair: pair[1].ndcg)[:_WORST]
    return Evaluation(
        quality=settings.quality,
        tools=tools,
        overall=quality_of([row for _, row in judged]),
        kinds={kind: quality_of(rows) for kind, rows in by_kind.items()},
        worst=tuple(
            Worst(
                goal=asked.goal,
                kind=asked.kind,
                wanted=asked.refs,
                got=row.shown[:3],
                place=next((place for place, ref in enumerate(row.shown, 1) if ref in row.relevant), 0),
            )
            for asked, row in badly
        ),
    )


def _quiet(_stage: str, _done: int, _total: int | None) -> None:
    """Nobody looks."""
