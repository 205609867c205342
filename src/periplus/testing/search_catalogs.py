"""A catalog of a hundred plain tools, in areas as people know them, for tests of search."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from periplus.model import Effect, Example, Scope, Tool, ToolRef
from periplus.ports import SearchEngine
from periplus.testing.catalogs import make_tool

AREAS = {
    "billing": ("invoice", "refund", "discount"),
    "travel": ("flight", "hotel", "passport"),
    "code": ("repository", "commit", "branch"),
    "clinic": ("patient", "prescription", "vaccine"),
    "music": ("song", "playlist", "concert"),
    "harbour": ("ship", "berth", "lighthouse"),
}
VERBS = {
    "list": ("List every {}", Effect.READ),
    "get": ("Show one {} with all its details", Effect.READ),
    "create": ("Create a new {}", Effect.WRITE),
    "rename": ("Give the {} another name", Effect.WRITE),
    "delete": ("Delete the {} for good", Effect.DESTROY),
    "print": ("Print the {} on paper", Effect.WRITE),
}
SCRIPTS = {
    "weather/wetterbericht": "Zeigt die Wettervorhersage für morgen",
    "weather/tianqi": "查询城市的天气预报",
    "weather/tenki": "明日の天気予報を調べる",
    "weather/pogoda": "Показать прогноз погоды на завтра",
    "weather/kairos": "Δείχνει την πρόγνωση του καιρού",
    "weather/taqs": "عرض توقعات الطقس ليوم الغد",
    "weather/mausam": "कल के मौसम का पूर्वानुमान दिखाएं",
    "weather/akat": "แสดงพยากรณ์อากาศวันพรุ่งนี้",
    "weather/nalssi": "내일의 날씨 예보를 보여준다",
}


def tools(source: str = "town") -> Iterator[Tool]:
    """Six verbs for each of eighteen things, and a forecast in nine languages."""
    for area, things in AREAS.items():
        for thing in things:
            for verb, (summary, effect) in VERBS.items():
                path = f"{area}/{verb}{thing.title()}"
                origin = f"GET /{area}/{thing}s/{verb}"
                yield made(source, path, summary.format(thing), effect=effect, origin=origin, tags=(area,))
    for path, summary in SCRIPTS.items():
        yield made(source, path, summary, effect=Effect.READ, tags=("weather",))


def made(source: str, path: str, summary: str, **members: Any) -> Tool:
    """One tool of a source."""
    tool = make_tool(path, summary=summary, fingerprint=f"{source}/{path}/{summary}/{members}", **members)
    return msgspec.structs.replace(tool, source=source, path=path)


def taught(source: str, path: str, summary: str, *goals: str) -> Tool:
    """A tool with examples of what it is asked for."""
    return made(source, path, summary, examples=tuple(Example(description=goal) for goal in goals))


def fill(engine: SearchEngine, several: list[Tool], revision: int = 1) -> None:
    """Index exactly these tools."""
    engine.rebuild(revision, ((tool, "()") for tool in several))


def asked(engine: SearchEngine, goal: str, scope: Scope | None = None, limit: int = 10) -> list[tuple[ToolRef, float]]:
    """What a goal finds, and how sure."""
    found = engine.search(goal, scope or Scope(), limit=limit, start=0, within=None, boosts=None)
    return [(hit.ref, hit.score) for hit in found.hits]


def leaves(engine: SearchEngine, goal: str, limit: int = 10) -> list[str]:
    """The names that a goal finds."""
    return [ref.leaf for ref, _ in asked(engine, goal, limit=limit)]
