"""Walks, measured: python -m benchmarks.workflow.work DEFINITIONS WORKFLOW WALKS CALLERS TOKEN_FORM ACTIVITIES.

A caller is an agent that waits for each answer before its next call; every call goes through the face, its record and
its trace event are on the disk before it is answered.
"""

from __future__ import annotations

import json
import resource
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

import anyio

from benchmarks.workflow.definition import ID, write
from periplus.app import open_gateway
from periplus.app.serving import desks
from periplus.hosts.desk import Desk
from periplus.hosts.identity import AGENT
from periplus.ports import Request
from periplus.settings import Settings, WorkflowSettings


class Walk:
    """One agent on its default way through a workflow."""

    def __init__(self, desk: Desk, spent: dict[str, list[float]]) -> None:
        self._desk = desk
        self._spent = spent
        self.token = ""
        self.bytes = 0
        self.longest = 0

    async def ask(self, name: str, **arguments: Any) -> dict[str, Any]:
        if self.token:
            arguments["session_token"] = self.token
        began = time.perf_counter()
        reply = await self._desk.ask(name, arguments, Request(principal=AGENT))
        self._spent[name].append(time.perf_counter() - began)
        if reply is None or reply.problem:
            raise RuntimeError(reply.text if reply else name)
        body: dict[str, Any] = reply.body
        self.token = body["session_token"]
        self.bytes += len(reply.text)
        self.longest = max(self.longest, len(self.token))
        return body

    async def whole(self, workflow: str, most: int) -> None:
        """Everything a good client reads and answers, until the workflow ends or so many activities are done."""
        await self.ask("start_session", workflow_id=workflow)
        await self.ask("get_skills")
        known = await self.ask("get_workflow")
        ids = [one["id"] for one in known["activities"]]
        target, seen = known.get("initialActivity") or ids[0], set[str]()
        manifest: dict[str, Any] = {}
        while target in ids and target not in seen and len(seen) < most:
            seen.add(target)
            body = await self.ask("next_activity", activity_id=target, **manifest)
            following = await self._activity(body)
            manifest = {"step_manifest": [{"step_id": one["id"], "output": "done"} for one in body.get("steps", ())]}
            target = following.get("suggested", "")
        if target == "__terminal__":
            await self.ask("next_activity", activity_id=target, **manifest)
        await self.ask("get_trace")

    async def _activity(self, body: dict[str, Any]) -> dict[str, Any]:
        for step in [one for one in body.get("steps", ()) if "skill" in one][:2]:
            skill = await self.ask("get_skill", step_id=step["id"])
            for one in skill["skill"].get("_resources", ())[:1]:
                if "missing" not in one:
                    await self.ask("get_resource", resource_index=one["index"])
        following: dict[str, Any] = body["next"]
        for id_ in following["pending"]:
            point = await self.ask("get_checkpoint", activity_id=body["id"], checkpoint_id=id_)
            answered = await self.ask("respond_checkpoint", checkpoint_id=id_, option_id=point["options"][0]["id"])
            following = answered.get("next", following)
        return following


async def main(definitions: str, workflow: str, walks: int, callers: int, form: str, most: int) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as data:
        root = str(write(Path(data) / "definitions")) if workflow == ID else definitions
        settings = Settings(
            data=f"{data}/data",
            workflow=WorkflowSettings(dir=(root,), min_response_seconds=0, token_form=form),  # type: ignore[arg-type]
        )
        spent: dict[str, list[float]] = defaultdict(list)
        async with open_gateway(settings, configure=False) as gateway:
            desk = desks(gateway, settings, ("workflow",))["workflow"]
            cold = Walk(desk, defaultdict(list))
            began = time.perf_counter()
            await cold.whole(workflow, most)
            cold_s = time.perf_counter() - began
            early = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
            cpu, wall = time.process_time(), time.perf_counter()
            made = [Walk(desk, spent) for _ in range(walks)]
            rest = iter(made)

            async def caller() -> None:
                for walk in rest:
                    await walk.whole(workflow, most)

            async with anyio.create_task_group() as tasks:
                for _ in range(callers):
                    tasks.start_soon(caller)
            cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    return _told(spent, cold_s, cpu, wall, made, early)


def _told(
    spent: dict[str, list[float]], cold_s: float, cpu: float, wall: float, made: list[Walk], early: int
) -> dict[str, Any]:
    calls = sum(map(len, spent.values()))
    every = sorted(one for several in spent.values() for one in several)
    return {
        "cpu_s": cpu / calls,
        "wall_s": wall / calls,
        "calls": calls,
        "per_second": calls / wall,
        "cold_ms": cold_s * 1000 / (calls / len(made)),
        "p50_ms": _at(every, 0.5),
        "p99_ms": _at(every, 0.99),
        "tools": {name: [_at(sorted(several), 0.5), _at(sorted(several), 0.99)] for name, several in spent.items()},
        "walk_bytes": made[0].bytes,
        "token": max(walk.longest for walk in made),
        "grown_mb": (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - early) / 1024,
    }


def _at(ordered: list[float], share: float) -> float:
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))] * 1000


if __name__ == "__main__":
    where, workflow, walks, callers, form, most = sys.argv[1:]
    print(json.dumps(anyio.run(main, where, workflow, int(walks), int(callers), form, int(most))))
