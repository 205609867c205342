"""Asking the workflow face as any wire does, with a clock that a test holds."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest

from periplus.app import open_gateway
from periplus.app.serving import desks
from periplus.core.gateway import Gateway
from periplus.hosts.desk import Desk
from periplus.hosts.identity import AGENT
from periplus.model import Principal
from periplus.ports import Reply, Request
from periplus.settings import Settings, WorkflowSettings
from periplus.testing.clock import SettableClock

SAMPLES = Path(__file__).parents[3] / "shared" / "data" / "workflows"
needs_samples = pytest.mark.skipif(not SAMPLES.is_dir(), reason="the sample definitions are not here")
SHIPPED = Path(__file__).parents[2] / "src/periplus/core/workflows/shipped"


class Walker:
    """One agent at the desk: it keeps its newest token, as a good client does."""

    def __init__(self, gateway: Gateway, desk: Desk, clock: SettableClock, principal: Principal = AGENT) -> None:
        self.gateway = gateway
        self.desk = desk
        self.clock = clock
        self.principal = principal
        self.token = ""
        self.meta: dict[str, Any] = {}

    def another(self, principal: Principal | None = None) -> Walker:
        """A second agent at the same desk."""
        return Walker(self.gateway, self.desk, self.clock, principal or self.principal)

    async def reply(self, name: str, **arguments: Any) -> Reply:
        """What comes back, exactly the arguments sent."""
        reply = await self.desk.ask(name, arguments, Request(principal=self.principal))
        assert reply is not None
        return reply

    async def plain(self, name: str, **arguments: Any) -> Any:
        """The body of an answer outside a session."""
        reply = await self.reply(name, **arguments)
        assert reply.problem is None, reply.text
        return msgspec.json.decode(reply.text)

    async def start(self, workflow: str = "first-call", **arguments: Any) -> dict[str, Any]:
        return await self._kept(await self.reply("start_session", workflow_id=workflow, **arguments))

    async def ask(self, name: str, **arguments: Any) -> dict[str, Any]:
        """An operation of the session, with the newest token."""
        return await self._kept(await self.reply(name, session_token=self.token, **arguments))

    async def refused(self, name: str, **arguments: Any) -> dict[str, Any]:
        """The problem that an operation of the session is refused with."""
        reply = await self.reply(name, **({"session_token": self.token} | arguments))
        assert reply.problem is not None, reply.text
        assert reply.meta == {}
        assert reply.structured is not None
        error: dict[str, Any] = reply.structured["error"]
        return error

    async def answer(self, checkpoint: str, option: str = "") -> dict[str, Any]:
        """Answer a checkpoint; without an option, dismiss it."""
        way = {"option_id": option} if option else {"condition_not_met": True}
        return await self.ask("respond_checkpoint", checkpoint_id=checkpoint, **way)

    async def enter(self, activity: str, **arguments: Any) -> dict[str, Any]:
        return await self.ask("next_activity", activity_id=activity, **arguments)

    @property
    def warnings(self) -> list[str]:
        """Those of the last answer."""
        said: list[str] = self.meta["validation"]["warnings"]
        return said

    async def _kept(self, reply: Reply) -> dict[str, Any]:
        assert reply.problem is None, reply.text
        body: dict[str, Any] = msgspec.json.decode(reply.text)
        assert body == reply.structured
        self.meta = reply.meta
        self.token = reply.meta["session_token"]
        assert body["session_token"] == self.token
        return body


@asynccontextmanager
async def walking(data: Path, *, clock: SettableClock | None = None, **workflow: Any) -> AsyncIterator[Walker]:
    """A gateway that serves workflows from a data directory, and an agent before it."""
    clock = clock or SettableClock()
    settings = settings_of(data, **workflow)
    async with open_gateway(settings, clock=clock) as gateway:
        yield Walker(gateway, desks(gateway, settings, ("workflow",))["workflow"], clock)


def settings_of(data: Path, **workflow: Any) -> Settings:
    """Answers take no time here, unless a test says so."""
    chosen = {"min_response_seconds": 0} | workflow
    return Settings(data=str(data), workflow=WorkflowSettings(**chosen))


def write(directory: Path, **files: str) -> Path:
    """Definition files below a directory; `__` in a name is a slash, the last `_` a dot."""
    for name, text in files.items():
        stem, _, suffix = name.rpartition("_")
        path = directory / f"{stem.replace('__', '/').replace('_', '-')}.{suffix}"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return directory


def put(root: Path, path: str, text: str) -> None:
    """One file below a directory."""
    place = root / path
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(text)
