"""Section 13: whatever comes, the answer says what was wrong and what to do."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from agents import Agent
from berths import HARBOUR
from grids import grid

from sites import Site


@pytest.fixture
def ready(agent: Agent, harbour: Site) -> Agent:
    harbour.write("/openapi.json", json.dumps(HARBOUR))
    agent.ask("connect_to_site", url=harbour.base, name="harbour")
    agent.ask("get_manifest")
    return agent


@pytest.mark.parametrize(
    ("arguments", "error", "said"),
    [
        ({}, "BAD_REQUEST", "url: is required"),
        ({"url": "notaurl"}, "BAD_REQUEST", "not a URL: 'notaurl'"),
        ({"url": "http://"}, "BAD_REQUEST", "not a URL"),
        ({"url": "file:///etc/passwd"}, "ACCESS_DENIED", "file:"),
        ({"url": "http://169.254.169.254/"}, "ACCESS_DENIED", "169.254.169.254"),
        ({"url": "http://127.0.0.1:1/"}, "CONNECTION_FAILED", "refused the connection"),
        ({"url": "http://a.example", "kind": "soap"}, "BAD_REQUEST", "'soap' is no kind"),
        ({"url": "http://a.example", "name": "No Name"}, "BAD_REQUEST", "not a source name"),
        ({"uri": "http://a.example"}, "BAD_REQUEST", "there is no argument 'uri'"),
    ],
)
def test_connecting_to_what_is_no_site(agent: Agent, arguments: dict[str, Any], error: str, said: str) -> None:
    answer = agent.ask("connect_to_site", arguments)
    assert (answer.error, said in answer.body["message"]) == (error, True), answer.text
    assert answer.body["remedy"]


def test_an_unknown_argument_is_answered_with_the_nearest(agent: Agent) -> None:
    """Section 4; what hosts add of their own is ignored."""
    assert agent.ask("connect_to_site", uri="x").body["remedy"] == "did you mean 'url'?"
    assert agent.ask("get_manifest", toolAction="Reading", toolSummary="x", waitForPreviousTools=True).error == (
        "DISCONNECTED"
    )


def test_where_nothing_stands_every_probe_is_listed(agent: Agent, harbour: Site) -> None:
    """H-17."""
    answer = agent.ask("connect_to_site", url=harbour.base)
    assert answer.error == "NOT_FOUND"
    for probe in ("/.well-known/elemm-manifest.md: 404", "POST /: 404", "GET /: 404", "/openapi.json: 404", "/mcp"):
        assert probe in answer.body["message"]


def test_a_site_that_wants_credentials_says_so(agent: Agent, harbour: Site) -> None:
    """H-17."""
    harbour.write("", "who are you", status=401, kind="text/plain")
    harbour.write("/", "who are you", status=401, kind="text/plain")
    answer = agent.ask("connect_to_site", url=harbour.base)
    assert answer.error == "AUTHENTICATION_FAILED"
    assert "headers" in answer.body["remedy"]


@pytest.mark.parametrize(
    ("tool", "arguments", "error", "said"),
    [
        ("inspect_landmark", {}, "BAD_REQUEST", "landmark_id is required"),
        ("inspect_landmark", {"landmark_id": "nope"}, "INVALID_LANDMARK", "no landmark 'nope'"),
        ("inspect_landmark", {"landmark_id": ["nope", "nor"]}, "INVALID_LANDMARK", "None of 'nope', 'nor'"),
        ("inspect_landmark", {"landmark_id": 5}, "BAD_REQUEST", "landmark_id: 5"),
        ("get_landmarks", {"landmark_id": "nope"}, "INVALID_LANDMARK", "no landmark 'nope'"),
        ("search_landmarks", {"query": ""}, "BAD_REQUEST", "query is empty"),
        ("search_landmarks", {"query": "x" * 501}, "BAD_REQUEST", "501 characters; 500 are the most"),
        ("search_landmarks", {"query": "x", "landmark_id": "nope"}, "INVALID_LANDMARK", "no landmark 'nope'"),
        ("search_landmarks", {"query": "x", "type": "tool"}, "BAD_REQUEST", "type"),
        ("get_landmarks", {"_limit": 0}, "BAD_REQUEST", "_limit is 0"),
        ("get_landmarks", {"_limit": "x"}, "BAD_REQUEST", '_limit is "x"'),
        ("get_landmarks", {"_offset": -1}, "BAD_REQUEST", "_offset is -1"),
        ("get_landmarks", {"session": 5}, "BAD_REQUEST", "session"),
        ("get_landmarks", {"full": "maybe"}, "BAD_REQUEST", "full"),
        ("inspect_landmark", {"landmark_id": '["berths"'}, "BAD_REQUEST", "line 1, column 10"),
    ],
)
def test_wrong_use_of_a_tool(ready: Agent, tool: str, arguments: dict[str, Any], error: str, said: str) -> None:
    answer = ready.ask(tool, arguments)
    assert (answer.error, said in answer.body["message"]) == (error, True), answer.text
    assert answer.body["remedy"]
    assert answer.status in (400, 404)


def test_what_is_meant_well_is_understood(ready: Agent) -> None:
    """H-20, H-21."""
    assert ready.ask("inspect_landmark", landmark="berths").tools
    assert len(ready.ask("inspect_landmark", landmark_id='["berths", "pilots"]').tools) == 4
    assert ready.ask("get_landmarks", _limit="2").areas == ["berths", "berths:prices"]
    empty = ready.ask("inspect_landmark", landmark_id="")
    assert empty.areas == ["berths", "berths:prices", "pilots"]
    assert "**NOTE**: landmark_id is empty" in empty.text
    assert "**NOTE**: _limit 9000 counts as 500, the most there is" in ready.ask("get_landmarks", _limit=9000).text


@pytest.mark.parametrize("spelling", [
    "berths:berths_reserve", "harbour/berths/berths_reserve", "berths_reserve", "POST /berths", "Berths:Berths-Reserve",
    "berths_berths_reserve", "berths/berths_reserve", "harbour:berths:berths_reserve", "periplus:berths_reserve",
    "mcp__periplus__berths_reserve", "elemm-gateway:berths_reserve",
])  # fmt: skip
def test_every_spelling_of_an_action_reaches_it(ready: Agent, spelling: str) -> None:
    """H-5, H-29."""
    assert ready.ask("inspect_landmark", landmark_id=spelling).tools == ["berths:berths_reserve"]


@pytest.mark.parametrize("spelling", ["berths:berths_res", "reserve", "berth"])
def test_a_prefix_or_a_similar_word_is_not_guessed(ready: Agent, spelling: str) -> None:
    """H-29, H-42."""
    answer = ready.ask("inspect_landmark", landmark_id=spelling)
    assert answer.error == "INVALID_LANDMARK"


def test_areas_resolve_as_actions_do(ready: Agent) -> None:
    """H-29."""
    for spelling in ("berths:prices", "harbour/berths/prices", "Berths-Prices", "berthsprices"):
        assert ready.ask("inspect_landmark", landmark_id=spelling).tools == ["berths:prices:prices_list"]


def test_a_name_of_two_actions_is_a_question_back(agent: Agent, harbour: Site) -> None:
    """H-29."""
    document = grid(4, 2)
    for place, operation in enumerate(document["paths"].values()):
        operation["get"]["operationId"] = f"same{'_' * (place % 2)}"
    harbour.write("/openapi.json", json.dumps(document))
    agent.ask("connect_to_site", url=harbour.base)
    answer = agent.ask("inspect_landmark", landmark_id="SAME")
    assert answer.error == "AMBIGUOUS_NAME"
    for one in answer.body["valid_options"]:
        assert agent.ask("inspect_landmark", landmark_id=one).tools == [one]


@pytest.mark.parametrize(
    "query", ["(a+)+$", "(?=x)y", "tool_[1", "\\1", "(((((", "|", "a||b", "[", "\\", "^$", "(?i)BERTHS|x"]
)
def test_no_query_breaks_or_blocks_a_search(ready: Agent, query: str) -> None:
    """H-92, H-49."""
    begun = time.perf_counter()
    answer = ready.ask("search_landmarks", query=query)
    assert answer.status == 200
    assert time.perf_counter() - begun < 10
    assert answer.text.startswith("### SEARCH: ")


def test_what_is_no_expression_is_searched_as_words(ready: Agent) -> None:
    """H-49."""
    answer = ready.ask("search_landmarks", query='"B4"(')
    assert "**NOTE**: the query is no regular expression" in answer.text
