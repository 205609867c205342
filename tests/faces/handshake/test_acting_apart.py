"""Results of two people behind one gateway, of much that is too much, and of GraphQL sites."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest
from agents import Agent, Answer, Serve
from starlette.responses import PlainTextResponse

from listening import listening
from periplus.app import open_gateway
from periplus.app.serving import open_application
from periplus.demo.crew import application as book
from periplus.demo.services import serving
from periplus.model import Principal, SourceSpec
from periplus.settings import ServeSettings, Settings
from quay import Quay, quay


@pytest.fixture
def office() -> Iterator[Quay]:
    with quay() as made:
        yield made


class Keyed(Agent):
    """An agent with a key, in a session that another one has by the same name."""

    def __init__(self, base: str, key: str) -> None:
        super().__init__(base, "morning")
        self._headers = {"authorization": f"Bearer {key}"}

    def ask(self, tool: str, arguments: dict[str, Any] | None = None, /, **more: Any) -> Answer:
        body = {"session": self.session, **(arguments or {}), **more}
        url = f"{self.base}/v1/handshake/{tool}"
        return Answer(httpx2.post(url, json=body, headers=self._headers, timeout=60))


def test_a_session_of_the_same_name_is_another_one_for_another_person(office: Quay, tmp_path: Path) -> None:
    """H-6, H-9, H-70: neither the handshake nor a result is shared, and a printed name leads nowhere."""
    spec = SourceSpec(id="quay", url=office.document)
    settings = Settings(data=str(tmp_path), sources={"quay": spec}, serve=ServeSettings(auth="keys"))

    async def keys() -> list[str]:
        async with open_gateway(settings) as gateway:
            return [(await gateway.issue_key(Principal(id=name))).key for name in ("ann", "bea")]

    ann_key, bea_key = anyio.run(keys)
    with listening(lambda: open_application(settings)) as base:
        ann, bea = Keyed(base, ann_key), Keyed(base, bea_key)
        assert ann.ask("get_manifest").status == 200
        assert ann.ask("call_action", action="listBerths", alias="mine").body["alias"] == "mine"
        office.asked.clear()
        assert bea.ask("call_action", action="listBerths").error == "PROTOCOL_VIOLATION"
        assert bea.ask("get_manifest").status == 200
        assert "Nothing is stored" in bea.ask("list_aliases").text
        assert bea.ask("list_aliases", alias="mine").error == "NOT_FOUND"
        step = {"action": "quoteBerth", "parameters": {"code": "$mine[0].id"}}
        assert bea.ask("execute_sequence", actions=[step]).error == "PLACEHOLDER_REJECTED"
        assert office.asked == []
        bea.ask("clear_session", all=True)
        assert ann.ask("list_aliases", alias="mine[0].id").text == "B4"


def test_what_no_longer_fits_goes_and_the_answer_says_so(agent: Agent, office: Quay) -> None:
    """H-70: the oldest numbered result first, a chosen name last."""
    agent.ask("connect_to_site", url=office.document, get_manifest=True)
    office.trouble = [PlainTextResponse(str(number) * (25 << 20)) for number in range(3)]
    agent.ask("call_action", action="listBerths", alias="chosen")
    assert "forgotten" not in agent.ask("call_action", action="listBerths").text[-400:]
    told = agent.ask("call_action", action="listBerths")
    assert "no room for all values: forgotten $r1, $r2" in json.loads(told.text)["_NOTES"][0]
    assert list(_names(agent)) == ["chosen", "r3"]
    assert agent.ask("list_aliases", alias="chosen", _limit=3).body["data"] == "000"


def _names(agent: Agent) -> Iterator[str]:
    yield from (row["alias"] for row in agent.ask("list_aliases").body["aliases"])


def test_an_operator_may_have_requests_shown(serve: Serve, office: Quay) -> None:
    """H-45."""
    with serve(**{"handshake.debug_echo": "true"}) as base:
        agent = Agent(base)
        agent.ask("connect_to_site", url=office.document, get_manifest=True)
        told = json.loads(agent.ask("call_action", action="quoteBerth", parameters={"code": "B4", "note": "n"}).text)
        assert told["_DEBUG_ECHO"]["method"] == "GET"
        assert told["_DEBUG_ECHO"]["url"].startswith(f"{office.base}/berths/B4/quote")
        assert told["_DEBUG_ECHO"]["sent"] == {"code": "B4", "note": "n"}


@pytest.fixture
def crew(agent: Agent) -> Iterator[Agent]:
    with serving(book()) as base:
        assert agent.ask("connect_to_site", url=f"{base}/graphql", get_manifest=True).status == 200
        yield agent


def test_what_a_graphql_call_lacks_has_words_of_its_own(crew: Agent) -> None:
    """H-95, section 6: found before anything is sent."""
    (action,) = [one for one in crew.ask("search_landmarks", query="signOn").tools if one.endswith("signOn")]
    flat = crew.ask("call_action", action=action, parameters={"name": "Butes", "rank": "MATE"})
    assert flat.error == "NESTING_REQUIRED"
    assert "input" in flat.body["expected_schema"]
    wrong = crew.ask("call_action", action=action, parameters={"input": {"name": 5, "rank": "MATE", "vessel": "Argo"}})
    assert wrong.error == "TYPE_MISMATCH"
    guessed = {"name": "<string: name>", "rank": "MATE", "vessel": "Argo"}
    assert crew.ask("call_action", action=action, parameters={"input": guessed}).error == "PLACEHOLDER_REJECTED"
    (found,) = [one for one in crew.ask("search_landmarks", query="sailor").tools if one.endswith(":sailor")]
    lost = crew.ask("call_action", action=found, parameters={"id": "1"}, _select="nmae")
    assert lost.error == "SELECTION_REQUIRED"
    assert "name" in lost.body["remedy"]
    good = crew.ask("call_action", action=found, parameters={"id": "1"}, _select="name vessel { name }")
    assert json.loads(good.text)["data"] == {"name": "Jason", "vessel": {"name": "Argo"}}
    steps = [
        {"action": found, "parameters": {"id": "2", "_select": "name"}, "alias": "who"},
        {"action": found, "parameters": {"id": "4"}, "_select": "name", "condition": '$who.name == "Orpheus"'},
    ]
    answer = crew.ask("execute_sequence", actions=steps)
    assert [row["result"] for row in answer.body["steps"]] == [{"name": "Orpheus"}, {"name": "Thor"}]


def test_of_many_numbered_results_the_newest_stay_and_chosen_names_do(agent: Agent, office: Quay) -> None:
    """H-61, H-70: a conversation of any length costs the same for each call."""
    agent.ask("connect_to_site", url=office.document, get_manifest=True)
    quiet = agent.ask("call_action", action="quoteBerth", parameters={"code": "B4"}, alias="kept")
    for _ in range(102):
        told = agent.ask("call_action", action="quoteBerth", parameters={"code": "B7"})
        assert "_NOTES" not in told.text
    names = list(_names(agent)) + [row["alias"] for row in agent.ask("list_aliases", _offset=100).body["aliases"]]
    assert names == ["kept", *(f"r{number}" for number in range(4, 104))]
    assert "the newest 100 are kept" in agent.ask("list_aliases").text
    again = agent.ask("call_action", action="quoteBerth", parameters={"code": "$kept.berth"})
    assert again.text == quiet.text
    lost = agent.ask("call_action", action="quoteBerth", parameters={"code": "$r1.berth"})
    assert lost.error == "PLACEHOLDER_REJECTED"
