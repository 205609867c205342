"""One agent on its way through a workflow, and the gateway it asks: every answer is awaited before the next call.

Each call goes through the face; its record and its trace event are on the disk before it is answered.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from benchmarks.workflow.definition import ID, write
from periplus.app import open_gateway
from periplus.app.serving import desks
from periplus.hosts.desk import Desk
from periplus.hosts.identity import AGENT
from periplus.ports import Request
from periplus.settings import Settings, WorkflowSettings


@asynccontextmanager
async def served(workflow: str, definitions: str, form: str) -> AsyncIterator[Desk]:
    """The desk of a gateway over a fresh data directory."""
    with tempfile.TemporaryDirectory() as data:
        root = str(write(Path(data) / "definitions")) if workflow == ID else definitions
        chosen = WorkflowSettings(dir=(root,), min_response_seconds=0, token_form=form)  # type: ignore[arg-type]
        settings = Settings(data=f"{data}/data", workflow=chosen)
        async with open_gateway(settings, configure=False) as gateway:
            yield desks(gateway, settings, ("workflow",))["workflow"]


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
