"""call_action, list_aliases and clear_session over real HTTP: sections 6 and 9."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from agents import Agent, Answer, Serve
from berths import HARBOUR

from periplus.faces.handshake.calls import json_text
from periplus.faces.handshake.results import compact
from quay import Quay, quay
from sites import Site


@pytest.fixture
def office() -> Iterator[Quay]:
    with quay() as made:
        yield made


def _ready(agent: Agent, office: Quay) -> Agent:
    assert agent.ask("connect_to_site", url=office.document, name="quay", get_manifest=True).status == 200
    office.asked.clear()
    return agent


@pytest.fixture
def ready(agent: Agent, office: Quay) -> Agent:
    return _ready(agent, office)


def call(agent: Agent, action: str, parameters: Any = None, **more: Any) -> Answer:
    return agent.ask("call_action", {"action": action, "parameters": parameters or {}, **more})


def test_a_complete_result_is_the_payload_itself(ready: Agent, office: Quay) -> None:
    """H-59: and the object beside it says what it is of."""
    answer = call(ready, "berths:quoteBerth", {"code": "B4"})
    assert answer.text == '{"berth":"B4","cost":90}'
    told = {name: answer.body[name] for name in ("status", "action", "site", "data", "alias", "http_code", "notes")}
    assert told == {
        "status": "success",
        "action": "berths:quoteBerth",
        "site": "quay",
        "data": {"berth": "B4", "cost": 90},
        "alias": "r1",
        "http_code": 200,
        "notes": [],
    }
    assert office.asked == ["GET /berths/B4/quote"]


@pytest.mark.parametrize(
    "spelling", ["quoteBerth", "berths/quoteBerth", "quay:berths:quoteBerth", "GET /berths/{code}/quote"]
)
def test_every_spelling_of_an_action_is_called(ready: Agent, office: Quay, spelling: str) -> None:
    assert call(ready, spelling, '{"code": "B7"}').text == '{"berth":"B7","cost":70}'


def test_a_shaped_result_says_what_of_how_much_and_how_to_go_on(ready: Agent, office: Quay) -> None:
    """H-58, H-59, H-60: the printed call reads on without asking the site again."""
    answer = call(ready, "listBerths", {"_select": "id", "_limit": 1})
    assert answer.text == (
        '{"status":"success","data":[{"id":"B4"}],"_HYGIENE_NOTICE":"rows 1-1 of 2",'
        '"remedy":"next: list_aliases(alias=\\"r1\\", _select=\\"id\\", _limit=1, _offset=1)"}'
    )
    assert answer.body["page"] == {"what": "rows", "offset": 0, "shown": 1, "total": 2}
    following = ready.printed(json.loads(answer.text)["remedy"].removeprefix("next: "))
    assert json.loads(following.text)["data"] == [{"id": "B7"}]
    assert "remedy" not in json.loads(following.text)
    assert office.asked == ["GET /berths"]


def test_what_is_wanted_may_stand_beside_the_parameters_unless_the_tool_has_that_name(
    ready: Agent, office: Quay
) -> None:
    """H-58: nothing of it reaches the site."""
    beside = call(ready, "listBerths", {"limit": 2}, _filter="length_m>80", _select="id")
    assert json.loads(beside.text)["data"] == [{"id": "B4"}]
    assert call(ready, "listBerths", {"_filter": {"id": "B7"}, "_offset": "0"}).body["data"][0]["id"] == "B7"
    assert office.asked == ["GET /berths?limit=2", "GET /berths"]
    assert call(ready, "listBerths", _limit=0).error == "BAD_REQUEST"
    assert "1 to 10000" in call(ready, "listBerths", {"_limit": "x"}).body["remedy"]
    assert call(ready, "listBerths", _select="{").error == "BAD_REQUEST"
    unknown = call(ready, "listBerths", _select="nmae")
    assert "There are: id, length_m, free" in json.loads(unknown.text)["_NOTES"][0]
    past = call(ready, "listBerths", _offset=9)
    assert json.loads(past.text)["_HYGIENE_NOTICE"] == "no rows from 9 on; there are 2"


def test_results_are_numbered_named_and_handed_on(ready: Agent, office: Quay) -> None:
    """H-61."""
    assert call(ready, "listBerths", {"_select": "id"}, alias="free").body["alias"] == "free"
    answer = call(ready, "quoteBerth", {"code": "$free[1].id", "note": "after ${r1[0].id}"})
    assert answer.body["data"] == {"berth": "B7", "cost": 70}
    assert call(ready, "quoteBerth", {"code": "$last.berth"}).body["alias"] == "r3"
    assert office.asked[1:] == ["GET /berths/B7/quote?note=after%20B4", "GET /berths/B7/quote"]
    listed = ready.ask("list_aliases")
    assert listed.text.splitlines()[:3] == [
        "- **$r1**: list of 2 {id, length_m, free} (77 B) from berths:listBerths, just now",
        "- **$free**: list of 2 {id} (25 B) from berths:listBerths, just now",
        "- **$r2**: {berth, cost} (24 B) from berths:quoteBerth, just now",
    ]
    assert listed.text.endswith("**Page**: aliases 1-4 of 4.")
    assert ready.ask("list_aliases", alias="$r1[0:5].length_m").body["data"] == [90, 70]
    assert ready.ask("list_aliases", alias="r1", _filter="id=B7", _select="id").body["data"] == [{"id": "B7"}]
    first = ready.ask("list_aliases", _limit=2)
    assert "Next: list_aliases(_offset=2, _limit=2)" in first.text
    missing = ready.ask("list_aliases", alias="nope")
    assert (missing.error, missing.body["valid_options"]) == ("NOT_FOUND", ["$r1", "$free", "$r2", "$r3"])


def test_sessions_do_not_see_each_others_results(ready: Agent, gateway: str, office: Quay) -> None:
    """H-70."""
    call(ready, "listBerths", alias="free")
    other = Agent(gateway, session="other")
    other.ask("connect_to_site", url=office.document, get_manifest=True)
    assert "Nothing is stored" in other.ask("list_aliases").text
    office.asked.clear()
    answer = call(other, "quoteBerth", {"code": "$free[0].id"})
    assert (answer.error, office.asked) == ("PLACEHOLDER_REJECTED", [])


def test_clear_session_forgets_results_and_with_all_the_handshake(ready: Agent, office: Quay) -> None:
    call(ready, "listBerths", alias="free")
    assert ready.ask("clear_session").body["cleared"] == "results"
    assert "Nothing is stored" in ready.ask("list_aliases").text
    assert call(ready, "listBerths").body["alias"] == "r2"
    assert ready.ask("clear_session", all=True).body["cleared"] == "all"
    assert call(ready, "listBerths").error == "PROTOCOL_VIOLATION"


def test_a_large_result_is_cut_between_rows_and_every_row_comes_once(agent: Agent, harbour: Site) -> None:
    """H-25, H-60: the whole is stored; following the remedies reads it all, and the site is asked once."""
    rows = [{"id": number, "text": "x" * (number % 700)} for number in range(300)]
    document = {
        "openapi": "3.1.0",
        "info": {"title": "Big", "version": "1"},
        "servers": [{"url": harbour.base}],
        "paths": {"/rows": {"get": {"operationId": "rows", "responses": {"200": {"description": "ok"}}}}},
    }
    harbour.write("/openapi.json", json.dumps(document))
    harbour.write("/rows", json.dumps({"items": rows, "next": None}))
    agent.ask("connect_to_site", url=harbour.base, get_manifest=True)
    harbour.asked()
    answer = call(agent, "rows")
    seen: list[Any] = []
    for _ in range(30):
        assert len(answer.text) <= 16_000
        told = json.loads(answer.text)
        seen += told["data"]["items"]
        if "remedy" not in told:
            break
        answer = agent.printed(told["remedy"].removeprefix("next: "))
    assert seen == rows
    assert len(harbour.asked()) == 1
    assert call(agent, "rows").body["cache_ref"].startswith("rc_")


def test_empty_text_and_bytes_have_forms_of_their_own(agent: Agent, harbour: Site) -> None:
    """H-59, H-62."""
    names = ("nothing", "words", "picture")
    paths = {f"/{name}": {"get": {"operationId": name, "responses": {"200": {"description": "ok"}}}} for name in names}
    document = {"openapi": "3.1.0", "info": {"title": "T", "version": "1"}, "servers": [{"url": harbour.base}]}
    harbour.write("/openapi.json", json.dumps(document | {"paths": paths}))
    harbour.write("/nothing", "", status=204)
    harbour.write("/words", "plain words\n", kind="text/plain")
    harbour.write("/picture", b"\x89PNG\r\n\x1a\n" + bytes(300), kind="image/png")
    agent.ask("connect_to_site", url=harbour.base, get_manifest=True)
    assert call(agent, "nothing").text == '{"status":"success","data":null,"_INFO":"204 No Content"}'
    assert call(agent, "words").text == "plain words\n"
    picture = call(agent, "picture").text
    assert "image/png" in picture
    assert len(picture) < 600


# --- refusals ------------------------------------------------------------------------------------------------------


def test_arguments_that_break_the_schema_are_answered_with_the_call_mended(agent: Agent, harbour: Site) -> None:
    """H-43: the published example."""
    harbour.write("/openapi.json", json.dumps(HARBOUR))
    agent.ask("connect_to_site", url=harbour.base, name="harbour", get_manifest=True)
    harbour.asked()
    answer = call(agent, "berths:berths_reserve", {"berth": "B4", "ship": {"length_m": 80}, "side": "left"})
    assert answer.text == (
        '{"status":"error","_PROTOCOL_ERROR":"VALIDATION_FAILED",'
        '"message":"/date: required and missing; /side: \\"left\\" is not one of \\"port\\", \\"starboard\\"",'
        '"remedy":"Correct these two parameters and call again.",'
        '"example":"call_action(action=\'berths:berths_reserve\', parameters={\\"berth\\":\\"B4\\",'
        '\\"date\\":\\"<string, date: Day of arrival>\\",\\"ship\\":{\\"length_m\\":80},\\"side\\":\\"port\\"})",'
        '"expected_schema":"{ berth: string, date: string, ship: { length_m: number, name?: string }, '
        'side?: \\"port\\"|\\"starboard\\" }","valid_options":["port","starboard"]}'
    )
    again = agent.printed(answer.body["example"])
    assert again.error == "PLACEHOLDER_REJECTED"
    assert "/date: '<string, date: Day of arrival>'" in again.body["message"]
    assert harbour.asked() == []


@pytest.mark.parametrize(
    ("parameters", "error", "says"),
    [
        ({"code": "UNKNOWN"}, "PLACEHOLDER_REJECTED", "/code: 'UNKNOWN'"),
        ({"code": "$step9.id"}, "PLACEHOLDER_REJECTED", "step9"),
        ({"code": "$nope"}, "PLACEHOLDER_REJECTED", "nope"),
        ({"code": ".."}, "VALIDATION_FAILED", ".."),
        ("{bad", "BAD_REQUEST", "line 1, column"),
        ({}, "VALIDATION_FAILED", "/code: required and missing"),
    ],
)
def test_what_cannot_be_sent_is_not(ready: Agent, office: Quay, parameters: Any, error: str, says: str) -> None:
    """Section 13."""
    answer = ready.ask("call_action", action="quoteBerth", parameters=parameters)
    assert (answer.error, office.asked) == (error, [])
    assert says in answer.body["message"]


def test_a_name_that_nothing_has_tells_which_there_are_and_how_to_write_a_dollar(ready: Agent, office: Quay) -> None:
    call(ready, "listBerths", alias="free")
    answer = call(ready, "quoteBerth", {"code": "$nope"})
    assert "$r1" in answer.body["remedy"]
    assert "$free" in answer.body["remedy"]
    assert "$$" in " ".join(answer.body["hints"])
    lost = call(ready, "quoteBerth", {"code": "$free.id"})
    assert lost.error == "PIPING_FAILED"
    assert "$free[0].id" in lost.body["hints"]
    assert call(ready, "quoteBerth", {"code": "B4", "note": "$$5"}).status == 200
    assert office.asked[-1] == "GET /berths/B4/quote?note=%245"


@pytest.mark.parametrize(("code", "path"), [("../admin", "..%2Fadmin"), ("a/b?x=1#z", "a%2Fb%3Fx%3D1%23z")])
def test_a_path_value_stays_one_segment(ready: Agent, office: Quay, code: str, path: str) -> None:
    """H-94."""
    call(ready, "quoteBerth", {"code": code})
    assert office.asked == [f"GET /berths/{path}/quote"]


def test_repairs_and_what_was_left_out_are_said(ready: Agent, office: Quay) -> None:
    """H-55, H-57."""
    answer = call(ready, "listBerths", {"limit": "2", "bogus": 1})
    assert json.loads(answer.text)["_NOTES"] == ["ignored: bogus", 'repaired: /limit: "2" taken as 2']
    assert office.asked == ["GET /berths?limit=2"]
    slip = call(ready, "reserveBerth", {"code": "B4", "ship": {}, "dryrun": True})
    assert (slip.error, len(office.asked)) == ("VALIDATION_FAILED", 1)
    assert "did you mean 'dry_run'?" in slip.body["message"]


def test_an_operator_sets_how_strict_it_is(serve: Serve, office: Quay) -> None:
    flags = {"handshake.unknown_parameters": "refuse", "handshake.repair": "off", "handshake.placeholders": "TBD"}
    with serve(**flags) as base:
        agent = _ready(Agent(base), office)
        assert call(agent, "listBerths", {"bogus": 1}).error == "VALIDATION_FAILED"
        assert call(agent, "listBerths", {"limit": "2"}).error == "VALIDATION_FAILED"
        assert call(agent, "quoteBerth", {"code": "tbd"}).error == "PLACEHOLDER_REJECTED"
        assert office.asked == []
        assert call(agent, "quoteBerth", {"code": "UNKNOWN"}).error == "NOT_FOUND"


def test_an_upstreams_refusal_is_in_its_own_words_with_what_was_sent(ready: Agent, office: Quay) -> None:
    """H-44."""
    answer = call(ready, "quoteBerth", {"code": "X9"}, _select="cost")
    assert (answer.status, answer.error, answer.body["http_code"]) == (404, "NOT_FOUND", 404)
    assert answer.body["message"] == "no berth X9"
    assert 'code="X9"' in answer.body["remedy"]
    assert "no berth X9" in answer.body["remote_response"]


def test_what_needs_a_person_runs_once_with_their_word(ready: Agent, office: Quay) -> None:
    """Section 6, APPROVAL_REQUIRED."""
    answer = call(ready, "cancelBerth", {"code": "B4"})
    assert (answer.status, answer.error, office.asked) == (409, "APPROVAL_REQUIRED", [])
    approval = answer.body["approval_id"]
    assert f'approval_id="{approval}"' in answer.body["example"]
    assert answer.body["next_action"]["op"] == "call_action"
    waiting = ready.printed(answer.body["example"])
    assert waiting.error == "APPROVAL_REQUIRED"
    assert office.asked == []


def test_an_area_or_a_near_miss_is_refused_with_what_there_is(ready: Agent, office: Quay) -> None:
    area = call(ready, "berths")
    assert area.error == "STRUCTURAL_ERROR"
    assert "berths:listBerths" in area.body["valid_options"]
    near = call(ready, "berths:quoteBerh", {"code": "B4"})
    assert near.error == "NOT_FOUND"
    assert ready.printed(near.body["suggested_fix"]).body["data"]["berth"] == "B4"


def test_the_object_over_mcp_is_never_longer_than_the_text() -> None:
    """H-39."""
    body = {"status": "success", "action": "a:b", "site": "s", "data": [1, 2, 3], "notes": [], "trace_id": "t" * 32}
    for most in range(300):
        made = compact(body, most)
        assert made is None or (len(json_text(made)) <= most and made["status"] == "success")
    assert compact(body, 300) == body
