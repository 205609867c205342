"""The grid: sites of several sizes and kinds, every call of the nine tools on them, beside the reference gateway."""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from statistics import median, quantiles

from benchmarks.handshake import recall, tokens
from benchmarks.handshake.calls import WORK, Caller, Figures, Site, measured
from benchmarks.handshake.gateways import ELEMM, Gateway, ours, reference, serving
from benchmarks.processes import DATA, Cost
from benchmarks.rows import Row, Target

GRID: Mapping[str, tuple[str, int, int]] = {
    "200": ("openapi", 200, 10),
    "1k": ("openapi", 1_000, 10),
    "10k": ("openapi", 10_000, 100),
    "10k-1000": ("openapi", 10_000, 1_000),
    "10k-one": ("openapi", 10_000, 1),
    "graphql-10k": ("graphql", 10_000, 100),
    "100k": ("openapi", 100_000, 1_000),
}
SMALL = ("200", "10k")
_DISCOVERY = {
    work: 20.0 for work in WORK if not work.startswith(("call", "execute", "connect", "search_landmarks, no l"))
}
_BARE_MS, _AGAIN_MS, _CALL_CPU_MS, _SEQUENCE_CPU_MS = 150.0, 100.0, 2.0, 20.0
_CONNECT_MS, _MOST_MB, _START_MS = 12_000.0, 400.0, 800.0
_LIST_TOKENS, _FIND_TOKENS, _FOUR_TOKENS = 1_300, 2_500, 3_000
_TIMES = 20.0
_FEW, _MANY = 200, 10_000
_STARTS = 5


def handshake() -> Iterator[Row]:
    """The small sites, so that all benchmarks together stay bearable."""
    yield from rows(SMALL)


def rows(names: tuple[str, ...], *, peer_up_to: int = _MANY) -> Iterator[Row]:
    """All rows of these sites; the peer is measured on those it can keep up with."""
    for name in names:
        with ExitStack() as stack:
            kind, tools, areas = GRID[name]
            home = Path(stack.enter_context(tempfile.TemporaryDirectory(dir=_homes())))
            url = stack.enter_context(
                serving((sys.executable, "-m", "benchmarks.handshake.site", *map(str, GRID[name])))
            )
            site = Site(url=url, tools=tools, areas=areas)
            with ExitStack() as gateways:
                started = {"ours": gateways.enter_context(ours(_made(home / "ours")))}
                if ELEMM.exists() and tools <= peer_up_to:
                    started["peer"] = gateways.enter_context(reference(_made(home / "peer")))
                yield from _site(f"{kind} {tools:,} in {areas:,}", site, started)
            if tools > _MANY:
                yield _start(f"{tools:,} tools stored", home / "ours")


def _site(title: str, site: Site, gateways: Mapping[str, Gateway]) -> Iterator[Row]:
    callers = {name: Caller(gateway, site) for name, gateway in gateways.items()}
    yield _connected(title, callers)
    if site.tools > _MANY:
        yield from _meanwhile(title, callers["ours"])
    for work in WORK:
        yield _called(f"{title}: {work}", work, site, measured(callers, work))
    yield from _counted(title, site, gateways)
    if site.url.endswith(".json"):
        yield _reached(title, site, gateways)
    for what, field in (("memory after all this", "VmRSS"), ("memory at its largest", "VmHWM")):
        sizes = {name: gateway.memory_mb(field) for name, gateway in gateways.items()}
        yield _row(f"{title}: {what}", sizes, _MOST_MB, "{:.0f} MB", f"< {_MOST_MB:g} MB")


def _connected(title: str, callers: Mapping[str, Caller]) -> Row:
    told = {name: f"{each.connect_ms:.0f} ms ({each.connect_cpu_ms:.0f} cpu)" for name, each in callers.items()}
    spent = callers["ours"].connect_ms
    return Row(
        work=f"{title}: connect_to_site, first time",
        target=Target(says=f"< {_CONNECT_MS:g} ms"),
        ours=_COST,
        told=told["ours"],
        beside=told.get("peer", ""),
        ratio=callers["peer"].connect_ms / spent if "peer" in callers else None,
        failure="" if spent < _CONNECT_MS else "it takes longer",
    )


def _meanwhile(title: str, caller: Caller) -> Iterator[Row]:
    """What a search by text takes while words are still being read, and when all of them are."""
    walls: list[float] = []
    began, turn = time.perf_counter(), 0
    while "still being read" in caller.gateway("search_landmarks", query=f"what nobody wrote {turn}").text:
        walls += [caller.hit(turn * 5 + step).wall_ms for step in range(5)]
        turn += 1
    spent = time.perf_counter() - began
    if walls:
        tail = quantiles(walls, n=20, method="inclusive")[-1]
        target = _DISCOVERY["search_landmarks, one match"]
        yield Row(
            work=f"{title}: search_landmarks, one match, while words are being read",
            target=Target(says=f"p95 < {target:g} ms"),
            ours=_COST,
            told=f"{median(walls):.1f} ms, p95 {tail:.1f}",
            failure="" if tail < target else f"p95 is {tail:.1f} ms",
        )
    told = f"{spent:.1f} s after the answer of connect_to_site"
    yield Row(work=f"{title}: all words are read", target=Target(), ours=_COST, told=told)


def _called(title: str, work: str, site: Site, found: Mapping[str, Figures]) -> Row:
    mine, theirs = found["ours"], found.get("peer")
    ratio = theirs.median / mine.median if theirs else None
    says, failure = "", ""
    if work in _DISCOVERY or work.endswith("no literal"):
        most = _DISCOVERY.get(work, _BARE_MS)
        says, failure = f"p95 < {most:g} ms", "" if mine.p95 < most else f"p95 is {mine.p95:.1f} ms"
        if site.tools >= _MANY and ratio is not None and work in _DISCOVERY:
            says += f", >= {_TIMES:g}x"
            failure = failure or ("" if ratio >= _TIMES else f"only {ratio:.1f} times faster")
    elif work.startswith("connect"):
        says, failure = f"< {_AGAIN_MS:g} ms", "" if mine.median < _AGAIN_MS else f"it takes {mine.median:.0f} ms"
    else:
        most = _CALL_CPU_MS if work == "call_action" else _SEQUENCE_CPU_MS
        says, failure = f"< {most:g} ms cpu", "" if mine.cpu < most else f"it costs {mine.cpu:.1f} ms cpu"
    return Row(
        work=title, target=Target(says=says), ours=_COST, told=_told(mine),
        beside=_told(theirs) if theirs else "", ratio=ratio, failure=failure,
    )  # fmt: skip


def _told(found: Figures) -> str:
    return f"{found.median:.1f} ms, p95 {found.p95:.1f} ({found.cpu:.1f} cpu)"


def _counted(title: str, site: Site, gateways: Mapping[str, Gateway]) -> Iterator[Row]:
    """Tokens."""
    works = {"find and call by search": (tokens.by_search, _FIND_TOKENS)}
    if site.tools <= _FEW:
        works["find and call by inspecting"] = (tokens.by_inspecting, _FIND_TOKENS)
    if site.tools > _MANY:
        works["four tools by one search and one sequence"] = (tokens.four_at_once, _FOUR_TOKENS)
    counts = {name: tokens.listed(gateway) for name, gateway in gateways.items()}
    yield _row(f"{title}: tools/list", counts, _LIST_TOKENS, "{:.0f} tokens", f"< {_LIST_TOKENS} tokens")
    for work, (count, most) in works.items():
        found = {name: count(gateway, site) for name, gateway in gateways.items()}
        yield _row(f"{title}: {work}", found, most, "{:.0f} tokens", f"< {most} tokens")


def _row(title: str, found: Mapping[str, float], most: float, form: str, says: str) -> Row:
    theirs = found.get("peer")
    return Row(
        work=title,
        target=Target(says=says),
        ours=_COST,
        told=form.format(found["ours"]),
        beside=form.format(theirs) if theirs is not None else "",
        ratio=theirs / found["ours"] if theirs is not None else None,
        failure="" if found["ours"] < most else f"{found['ours']:.0f} is too much",
    )


def _reached(title: str, site: Site, gateways: Mapping[str, Gateway]) -> Row:
    areas, tools = recall.walked(gateways["ours"])
    whole = areas >= site.areas and tools == site.tools
    shown = f"{recall.shown(gateways['peer'])} areas are named" if "peer" in gateways else ""
    return Row(
        work=f"{title}: reached by printed calls",
        target=Target(says="100 %"),
        ours=_COST,
        told=f"{areas:,} areas, {tools:,} tools",
        beside=shown,
        failure="" if whole else f"{site.areas:,} areas and {site.tools:,} tools are there",
    )


def _start(title: str, home: Path) -> Row:
    """From the shell to the answer of `tools/list`, each time a new process."""
    spent = []
    for _ in range(_STARTS):
        began = time.perf_counter()
        with ours(home) as gateway:
            gateway.ask("tools/list")
            spent.append(((time.perf_counter() - began) * 1000, gateway.cpu_ms))
    wall, cpu = sorted(spent)[_STARTS // 2]
    return Row(
        work=f"`periplus serve --stdio` to the answer of `tools/list`, {title}",
        target=Target(says=f"< {_START_MS:g} ms"),
        ours=_COST,
        told=f"{wall:.0f} ms ({cpu:.0f} cpu)",
        failure="" if wall < _START_MS else "it takes longer",
    )


def _homes() -> Path:
    return _made(DATA / "handshake")


def _made(home: Path) -> Path:
    home.mkdir(parents=True, exist_ok=True)
    return home


_COST = Cost(cpu_s=0, wall_s=0, peak_mb=0)
