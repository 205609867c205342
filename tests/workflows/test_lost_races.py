"""Two who change one session at once: the second is judged again, and told so when that goes on for ever."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from walking import Walker, walking

from periplus.model import Code


@pytest.fixture
async def agent(tmp_path: Path) -> AsyncIterator[Walker]:
    async with walking(tmp_path) as walker:
        await walker.start()
        yield walker


async def test_who_loses_every_race_is_told_to_repeat_the_call(agent: Walker, monkeypatch: pytest.MonkeyPatch) -> None:
    """W-48, section 14: another changes the session each time before this one can; nothing of the call is kept."""
    rival = agent.another()
    await rival.start(session_token=agent.token)
    sessions = agent.gateway._parts.sessions
    write, racing = sessions.advance, [True]

    async def late(*words: Any) -> Any:
        if racing[0]:
            racing[0] = False
            await rival.ask("get_workflow")
            racing[0] = True
        return await write(*words)

    monkeypatch.setattr(sessions, "advance", late)
    refused = await agent.refused("next_activity", activity_id="choose")
    assert (refused["code"], refused["retryable"]) == ("conflict", True)
    assert "many change session" in refused["message"]
    assert refused["hints"] == ["repeat the same call"]
    assert Code.CONFLICT.status.http == 409
    racing[0] = False
    assert (await agent.ask("get_workflow"))["position"]["activity"] == ""
    assert (await agent.enter("choose"))["id"] == "choose"


async def test_who_loses_one_race_is_served_with_what_the_other_left(
    agent: Walker, monkeypatch: pytest.MonkeyPatch
) -> None:
    """W-48."""
    await agent.enter("choose")
    rival = agent.another()
    await rival.start(session_token=agent.token)
    sessions = agent.gateway._parts.sessions
    write, racing = sessions.advance, [True]

    async def late(*words: Any) -> Any:
        if racing[0]:
            racing[0] = False
            await rival.answer("tool-confirmed", "reads")
        return await write(*words)

    monkeypatch.setattr(sessions, "advance", late)
    body = await agent.answer("write-consent", "agree")
    assert body["remaining_checkpoints"] == []
    assert [one["name"] for one in (await agent.ask("get_trace"))["events"]][-2:] == ["respond_checkpoint"] * 2
