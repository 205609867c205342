"""Conversations that are over do not stay for ever."""

from __future__ import annotations

import anyio
from gateways import Opener

from periplus.app.upkeep import sweep
from periplus.settings import load_settings
from periplus.testing.clock import SettableClock

_DAY_S = 86_400.0


async def test_conversations_are_forgotten_once_workflows_would_be_too(opened: Opener, clock: SettableClock) -> None:
    """H-8, W-49."""
    settings = load_settings(None, {}, {"workflow.session_ttl_days": 2})
    async with opened() as gateway, anyio.create_task_group() as tasks:
        for name in ("old", "new"):
            await gateway.change(name, "face", lambda _: {"seen": 1})
            clock.advance(_DAY_S * 1.5)
        await gateway.change("new", "face", lambda _: {"seen": 2})
        tasks.start_soon(sweep, gateway, settings)
        await anyio.wait_all_tasks_blocked()
        assert await gateway.forget_idle(0.0) == 1
        tasks.cancel_scope.cancel()


async def test_nothing_is_forgotten_where_workflows_never_end(opened: Opener, clock: SettableClock) -> None:
    async with opened() as gateway:
        await gateway.change("old", "face", lambda _: {"seen": 1})
        clock.advance(_DAY_S * 1000)
        await sweep(gateway, load_settings(None, {}, {"workflow.session_ttl_days": 0}))
        assert await gateway.forget_idle(0.0) == 1
