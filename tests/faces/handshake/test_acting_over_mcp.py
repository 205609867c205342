"""Actions and sequences as MCP clients see them: marks of failure, questions to a person, leaving in the middle."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import anyio.to_thread
import httpx2
import mcp_types as types
import pytest
from agents import Agent, Serve
from anyio.abc import TaskGroup
from mcp import Client

from periplus.app import open_gateway
from periplus.model import EventFilter, Principal
from periplus.settings import load_settings
from quay import Quay, quay
from sites import Site

pytestmark = pytest.mark.anyio
CANCEL = {"action": "cancelBerth", "parameters": {"code": "B4"}}


@pytest.fixture
def office() -> Iterator[Quay]:
    with quay() as made:
        yield made


async def ready(client: Client, office: Quay) -> None:
    result = await client.call_tool("connect_to_site", {"url": office.document, "get_manifest": True})
    assert not result.is_error
    office.asked.clear()


async def call(client: Client, tool: str, **arguments: Any) -> types.CallToolResult:
    result = await client.call_tool(tool, arguments)
    assert isinstance(result, types.CallToolResult)
    return result


def text(result: types.CallToolResult) -> str:
    block = result.content[0]
    assert isinstance(block, types.TextContent)
    return block.text


async def test_failures_are_marked_and_successes_never(gateway: str, office: Quay) -> None:
    """H-2, H-99: of the gate, of validation, of the upstream and of a sequence."""
    async with Client(f"{gateway}/mcp", mode="legacy") as client:
        gated = await call(client, "call_action", **CANCEL)
        assert (gated.is_error, "PROTOCOL_VIOLATION" in text(gated)) == (True, True)
        await ready(client, office)
        good = await call(client, "call_action", action="quoteBerth", parameters={"code": "B4"})
        assert (good.is_error, text(good)) == (False, '{"berth":"B4","cost":90}')
        assert good.structured_content is None or len(json.dumps(good.structured_content)) <= len(text(good))
        for wrong in ({"code": 5, "x": 1}, {"code": "X9"}, {}):
            assert (await call(client, "call_action", action="quoteBerth", parameters=wrong)).is_error
        steps: list[dict[str, Any]] = [{"action": "quoteBerth", "parameters": {"code": code}} for code in ("B4", "X9")]
        stopped = await call(client, "execute_sequence", actions=steps)
        assert (stopped.is_error, stopped.structured_content["status"]) == (True, "error")
        went_on = await call(client, "execute_sequence", actions=[steps[0], {**steps[1], "on_error": "continue"}])
        assert not went_on.is_error
        assert [one["status"] for one in json.loads(text(went_on))] == ["ok", "error"]


async def test_a_person_at_the_client_is_asked_once_for_all_steps(gateway: str, office: Quay) -> None:
    """T-5, H-65."""
    questions: list[str] = []

    async def person(context: Any, params: Any) -> types.ElicitResult:
        questions.append(params.message)
        return types.ElicitResult(action="accept", content={"approve": True})

    async with Client(f"{gateway}/mcp", mode="legacy", elicitation_callback=person) as client:
        await ready(client, office)
        steps = [
            CANCEL,
            {"action": "quoteBerth", "parameters": {"code": "B7"}},
            {**CANCEL, "parameters": {"code": "B7"}},
        ]
        result = await call(client, "execute_sequence", actions=steps)
        assert not result.is_error
        assert office.asked == ["DELETE /berths/B4", "GET /berths/B7/quote", "DELETE /berths/B7"]
        assert (await call(client, "call_action", **CANCEL)).is_error is False
    assert len(questions) == 2
    assert "3 calls" in questions[0]


SLOW = [
    {"action": "listBerths", "alias": "free"},
    {"action": "waitLong"},
    {"action": "quoteBerth", "parameters": {"code": "B4"}},
]


async def test_a_client_that_gives_up_in_the_middle_stops_it_there(serve: Serve, office: Quay, tmp_path: Path) -> None:
    """T-4: what ended is stored under its name, and the trail says how far it came."""
    with serve() as base:
        async with Client(f"{base}/mcp", mode="legacy") as client:
            await call(client, "connect_to_site", url=office.document, get_manifest=True, session="agent")
            async with anyio.create_task_group() as group:
                group.start_soon(_leave, group, office)
                await call(client, "execute_sequence", actions=SLOW, session="agent")
            again = {"action": "quoteBerth", "parameters": {"code": "B7"}, "session": "agent"}
            assert (await call(client, "call_action", **again)).is_error is False
        asked = list(office.asked)
    assert "GET /berths/B4/quote" not in asked
    assert await run_of(tmp_path) == ("cancelled", ["ok", "error", "not_run"])
    with serve() as base:
        assert Agent(base).ask("list_aliases", alias="free[0].id").text == "B4"


async def test_over_plain_http_it_goes_on_and_its_results_are_there_later(
    serve: Serve, office: Quay, tmp_path: Path
) -> None:
    """Whoever comes back in the same session finds all of it."""
    with serve() as base:
        Agent(base).ask("connect_to_site", url=office.document, get_manifest=True)
        async with httpx2.AsyncClient(timeout=60) as client, anyio.create_task_group() as group:
            group.start_soon(_leave, group, office)
            body = {"actions": SLOW, "session": "agent"}
            await client.post(f"{base}/v1/handshake/execute_sequence", json=body)
        office.go.set()
    assert await run_of(tmp_path) == ("ok", ["ok", "ok", "ok"])
    with serve() as base:
        assert Agent(base).ask("list_aliases", alias="step2.cost").text == "90"


async def run_of(tmp_path: Path) -> tuple[str, list[str]]:
    """How the one sequence in the trail ended, and each of its steps."""
    async with open_gateway(load_settings(None, {}, {"data": str(tmp_path / "data")})) as gateway:
        operator = Principal(id="operator", scopes=frozenset({"admin"}))
        (row,) = await gateway.trail.latest(EventFilter(verb="run"), principal=operator)
    return row.event.outcome, [one.rpartition(": ")[2] for one in row.event.detail["steps"]]


async def _leave(group: TaskGroup, office: Quay) -> None:
    """Give up as soon as the slow step has reached the office."""
    assert await anyio.to_thread.run_sync(office.reached.wait, 20)
    group.cancel_scope.cancel()


async def test_pictures_are_blocks_beside_the_text(gateway: str, harbour: Site) -> None:
    """H-62."""
    picture = b"\x89PNG\r\n\x1a\n" + bytes(range(256))
    paths = {"/picture": {"get": {"operationId": "picture", "responses": {"200": {"description": "ok"}}}}}
    document = {"openapi": "3.1.0", "info": {"title": "T", "version": "1"}, "servers": [{"url": harbour.base}]}
    harbour.write("/openapi.json", json.dumps(document | {"paths": paths}))
    harbour.write("/picture", picture, kind="image/png")
    async with Client(f"{gateway}/mcp", mode="legacy") as client:
        await call(client, "connect_to_site", url=harbour.base, get_manifest=True)
        result = await call(client, "call_action", action="picture")
        assert [block.type for block in result.content] == ["text", "image"]
        image = result.content[1]
        assert isinstance(image, types.ImageContent)
        assert image.mime_type == "image/png"
        assert len(image.data) == (len(picture) + 2) // 3 * 4
        assert image.data not in text(result)


def test_bad_parameters_before_the_manifest_meet_the_gate_first(agent: Agent, office: Quay) -> None:
    """Section 13, H-10: nothing is looked at."""
    agent.ask("connect_to_site", url=office.document)
    for body in ({"action": "quoteBerth", "parameters": "{bad"}, {"action": "x", "bogus": 1}, {}):
        assert agent.ask("call_action", body).error == "PROTOCOL_VIOLATION"
    for actions in ("{bad", [], [{}], [{"action": "nobody"}]):
        assert agent.ask("execute_sequence", actions=actions).error == "PROTOCOL_VIOLATION"
