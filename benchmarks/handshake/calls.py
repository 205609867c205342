"""The calls that are measured, each with other arguments every time, and what each cost a gateway."""

from __future__ import annotations

import math
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from statistics import median, quantiles
from typing import Any

from benchmarks.handshake.documents import operation
from benchmarks.handshake.gateways import Answer, Gateway
from benchmarks.processes import FailedError

_TIMES, _BUDGET_S = 21, 6.0
_STEP = 37
_STEPS = 10
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_NOUNS = ("valve", "pump", "gauge", "filter", "meter", "sluice", "basin", "turbine", "boiler", "crane")
_ACTION = re.compile(r"call_action\(action: '([^']+)'")


@dataclass(frozen=True, kw_only=True)
class Site:
    """A generated site: its address, and how many tools in how many areas it has."""

    url: str
    tools: int
    areas: int

    def name(self, turn: int) -> str:
        """The name of one of its operations, another one every turn."""
        return operation(turn * _STEP * self.areas % self.tools + turn % self.areas, self.areas)[0]


@dataclass(frozen=True, kw_only=True)
class Figures:
    """Wall time of a call and the server's CPU for it, in ms."""

    median: float
    p95: float
    cpu: float
    times: int


class Caller:
    """A session whose site is connected, and the actions it has found there."""

    def __init__(self, gateway: Gateway, site: Site) -> None:
        self.gateway = gateway
        self._site = site
        self.connect_ms = self.connect()
        self.connect_cpu_ms = gateway.cpu_ms
        self._action = self.found(site.name(2))
        self._area = self._action.rpartition(":")[0]

    def connect(self) -> float:
        """Until the manifest is there; a gateway may go on reading after it answered."""
        spent = (answer := self.gateway("connect_to_site", url=self._site.url)).wall_ms
        while answer.text.startswith("CONNECTING") or "is still being read" in answer.text:
            spent += (answer := self.gateway("get_manifest")).wall_ms
        if "CONNECTED" not in answer.text and "LANDMARK TOPOLOGY" not in answer.text:
            raise FailedError(answer.text[:300])
        if "CONNECTED" in answer.text:
            self.gateway("get_manifest")
        return spent

    def found(self, name: str) -> str:
        """The id of an action, as a search prints it."""
        answer = self.gateway("search_landmarks", query=name)
        ids: list[str] = [each for each in _ACTION.findall(answer.text) if each.endswith(name)]
        if not ids:
            raise FailedError(f"{name} is not found: {answer.text[:300]}")
        return ids[0]

    def again(self, _: int) -> Answer:
        answer = self.gateway("connect_to_site", url=self._site.url)
        self.gateway("get_manifest")
        return answer

    def manifest(self, _: int) -> Answer:
        return self.gateway("get_manifest")

    def landmarks(self, _: int) -> Answer:
        return self.gateway("get_landmarks")

    def inspect(self, _: int) -> Answer:
        return self.gateway("inspect_landmark", landmark_id=self._area)

    def hit(self, turn: int) -> Answer:
        name = self._site.name(turn)
        answer = self.gateway("search_landmarks", query=name)
        if name not in answer.text.partition("\n\n")[2]:
            raise FailedError(f"{name} is not found: {answer.text[:300]}")
        return answer

    def broad(self, turn: int) -> Answer:
        return self.gateway("search_landmarks", query=f"{_NOUNS[turn % 8]}|{_NOUNS[turn // 8 + 1]}_")

    def miss(self, turn: int) -> Answer:
        return self.gateway("search_landmarks", query=f"zzqx{turn}")

    def hostile(self, turn: int) -> Answer:
        """One that makes engines which go back on their steps take forever."""
        return self.gateway("search_landmarks", query=f"({_LETTERS[turn]}+)+$")

    def bare(self, turn: int) -> Answer:
        """A pattern without any literal."""
        return self.gateway("search_landmarks", query=f"[a-z]{{1,{turn + 1}}}")

    def mistyped(self, turn: int) -> Answer:
        wrong = self._site.name(turn).replace("_", "", 1)[:-1] + "x"
        answer = self.gateway("call_action", action=f"{self._area}:{wrong}", parameters={"id": "7"})
        if "error" not in answer.text:
            raise FailedError(f"{wrong} was called: {answer.text[:300]}")
        return answer

    def call(self, turn: int) -> Answer:
        answer = self.gateway("call_action", action=self._action, parameters={"id": str(turn)})
        if "open" not in answer.text:
            raise FailedError(f"{self._action}: {answer.text[:300]}")
        return answer

    def sequence(self, turn: int) -> Answer:
        steps = [{"action": self._action, "parameters": {"id": f"{turn}-{step}"}} for step in range(_STEPS)]
        answer = self.gateway("execute_sequence", actions=steps)
        if answer.text.count("open") < _STEPS:
            raise FailedError(f"sequence: {answer.text[:300]}")
        return answer


_MISTYPED = "a mistyped action"
WORK: Mapping[str, Callable[[Caller, int], Any]] = {
    "connect again, unchanged": Caller.again,
    "get_manifest": Caller.manifest,
    "get_landmarks": Caller.landmarks,
    "inspect_landmark, an area": Caller.inspect,
    "search_landmarks, one match": Caller.hit,
    "search_landmarks, a fifth of it matches": Caller.broad,
    "search_landmarks, no match": Caller.miss,
    'search_landmarks("(a+)+$")': Caller.hostile,
    "search_landmarks, no literal": Caller.bare,
    _MISTYPED: Caller.mistyped,
    "call_action": Caller.call,
    "execute_sequence of 10": Caller.sequence,
}


def measured(callers: Mapping[str, Caller], work: str) -> dict[str, Figures]:
    """One piece of work in each gateway by turns, until it was done often or long enough; the first time is warm-up."""
    walls: dict[str, list[float]] = {name: [] for name in callers}
    cpus: dict[str, float] = dict.fromkeys(callers, 0.0)
    spent: dict[str, float] = dict.fromkeys(callers, 0.0)
    for turn in range(_TIMES + 1):
        for name, caller in callers.items():
            if spent[name] > _BUDGET_S:
                continue
            cpu, began = caller.gateway.cpu_ms, time.perf_counter()
            answer = WORK[work](caller, turn)
            spent[name] += time.perf_counter() - began
            if "_PROTOCOL_ERROR" in answer.text and work != _MISTYPED:
                spent[name] = math.inf  # it does not do this: there is nothing to compare
                continue
            if turn or spent[name] > _BUDGET_S:
                walls[name].append(answer.wall_ms)
                cpus[name] += caller.gateway.cpu_ms - cpu
    return {name: _figures(each, cpus[name]) for name, each in walls.items() if each}


def _figures(walls: list[float], cpu: float) -> Figures:
    tail = quantiles(walls, n=20, method="inclusive")[-1] if len(walls) > 1 else walls[0]
    return Figures(median=median(walls), p95=tail, cpu=cpu / len(walls), times=len(walls))
