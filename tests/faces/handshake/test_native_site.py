"""The gateway as a native site: for other gateways of the protocol, the reference one and its own kind."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest
from berths import HARBOUR
from reference import reference_gateway

import periplus
from listening import listening
from periplus.app import open_gateway
from periplus.app.serving import open_application
from periplus.model import Action, Effect, EventFilter, Policy, Principal, Rule, SourceSpec, Verdict
from periplus.settings import HandshakeSettings, ServeSettings, Settings
from sites import Site

Serve = Callable[..., AbstractContextManager[str]]
MANIFEST = "/.well-known/elemm-manifest.md"
SEARCH = "/.well-known/elemm/search"
EXECUTE = "/.well-known/elemm/execute"
ALL = {
    "berths:berths_list", "berths:berths_reserve", "berths:prices:prices_list", "pilots:pilots_dismiss",
}  # fmt: skip


@pytest.fixture
def source(harbour: Site) -> SourceSpec:
    harbour.write("/openapi.json", json.dumps(HARBOUR))
    harbour.write("/berths", json.dumps([{"code": "B4", "free": True}, {"code": "B7", "free": False}]))
    return SourceSpec(id="harbour", url=harbour.url("/openapi.json"))


@pytest.fixture
def open_site(tmp_path: Path, source: SourceSpec) -> Serve:
    """A gateway that has read the harbour, with these settings."""

    @contextmanager
    def started(**more: Any) -> Iterator[str]:
        settings = Settings(data=str(tmp_path / "data"), sources={"harbour": source}, **more)

        @asynccontextmanager
        async def opened() -> Any:
            async with open_gateway(settings):
                pass
            async with open_application(settings) as application:
                yield application

        with listening(opened) as address:
            yield address

    return started


@pytest.fixture
def base(open_site: Serve) -> Iterator[str]:
    with open_site() as address:
        yield address


def got(base: str, path: str, **query: Any) -> dict[str, Any]:
    answer = httpx2.get(base + path, params=query, timeout=30)
    assert answer.status_code == 200
    assert "<" not in answer.text[:500]
    found: dict[str, Any] = answer.json()
    return found


def text(base: str, path: str = MANIFEST, **query: Any) -> str:
    answer = httpx2.get(base + path, params=query, timeout=30)
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("text/markdown")
    assert "<" not in answer.text[:500]
    return answer.text


def done(base: str, body: Any, **query: Any) -> Any:
    answer = httpx2.post(base + EXECUTE, json=body, params=query, timeout=30)
    assert answer.status_code == 200
    return answer.json()


def ids(page: dict[str, Any]) -> list[str]:
    return [landmark["id"] for landmark in page["landmarks"]]


def test_the_root_is_its_areas_and_an_area_what_is_in_it(base: str) -> None:
    """H-72, H-73: of the whole catalog and of one source."""
    assert ids(got(base, MANIFEST, format="json")) == ["harbour"]
    assert ids(got(base, MANIFEST, format="json", landmark_id="harbour")) == ["harbour:berths", "harbour:pilots"]
    own = f"{base}/sites/harbour"
    root = got(own, MANIFEST, format="json")
    assert (root["is_root"], root["parent_id"], root["version"]) == (True, None, "2.0")
    assert root["instructions"] == "Quote a berth before you reserve it."
    assert ids(root) == ["berths", "pilots"]
    berths = got(own, MANIFEST, format="json", landmark_id="berths")
    assert ids(berths) == ["berths:prices", "berths:berths_list", "berths:berths_reserve"]
    assert root["landmarks"][0]["child_count"] == 3
    several = got(own, MANIFEST, format="json", landmark_id="pilots,berths:prices:prices_list")
    assert ids(several) == ["pilots", "berths:prices:prices_list"]
    assert httpx2.get(f"{base}/sites/nowhere{MANIFEST}").status_code == 404


def test_an_action_says_everything_and_nothing_as_null_that_is_read_as_text(base: str) -> None:
    """H-73"""
    page = got(f"{base}/sites/harbour", MANIFEST, format="json", landmark_id="berths:berths_reserve")
    (action,) = page["landmarks"]
    assert action["meta"] == {
        "ref": "harbour/berths/berths_reserve", "effect": "write", "method": "POST", "requires_approval": False,
    }  # fmt: skip
    parameters = {one["name"]: one for one in action["parameters"]}
    assert [one["required"] for one in action["parameters"]] == sorted(
        (one["required"] for one in action["parameters"]), reverse=True
    )
    assert parameters["side"]["options"] == ["port", "starboard"]
    assert parameters["side"]["default"] == "port"
    assert parameters["ship"]["type"] == "object"
    assert parameters["ship"]["options"]["required"] == ["length_m"]
    for landmark in (action, *page["landmarks"]):
        assert landmark["aliases"] == []
        assert isinstance(landmark["description"], str)
    for parameter in action["parameters"]:
        assert all(isinstance(parameter[name], str) for name in ("name", "type", "description"))


@pytest.mark.parametrize("size", [1, 2, 3, 499])
def test_pages_of_any_size_hold_everything_once(base: str, size: int) -> None:
    """H-72, H-73: by search and by `full`, counted as they come."""
    for path, query in ((SEARCH, {"query": ".", "type": "action"}), (MANIFEST, {"full": "true"})):
        found: list[str] = []
        while True:
            page = got(f"{base}/sites/harbour", path, format="json", limit=size, offset=len(found), **query)
            found += ids(page)
            assert page["pagination"]["has_more"] is (len(found) < page["pagination"]["total"])
            if not page["pagination"]["has_more"]:
                break
        assert len(found) == len(set(found)) == page["pagination"]["total"]
        assert {one for one in found if one.count("_")} == ALL


def test_everything_at_once_is_had_only_where_the_operator_wants_it(open_site: Serve) -> None:
    """H-75: `native_dumps`"""
    with open_site(handshake=HandshakeSettings(native_dumps=True)) as base:
        for path in ("/elemm/manifest", "/elemm/landmarks"):
            page = got(base, path)
            assert {f"harbour:{one}" for one in ALL} < set(ids(page))
            assert len(ids(page)) == page["pagination"]["total"]
    with open_site() as base:
        assert httpx2.get(f"{base}/elemm/manifest").status_code == 404


def test_what_nobody_can_see_is_an_empty_page(base: str) -> None:
    """H-73"""
    page = got(base, MANIFEST, format="json", landmark_id="nope")
    assert (page["landmarks"], page["pagination"]["total"]) == ([], 0)
    assert "nothing here by the name 'nope'" in text(base, landmark_id="nope")
    assert got(base, SEARCH, format="json", query=".", landmark_id="nope")["landmarks"] == []
    assert got(base, SEARCH, format="json", query="zzzqqq", type="navigation")["landmarks"] == []


def test_models_read_the_layouts_of_the_nine_tools(base: str) -> None:
    """H-72: the root has the heading that clients look for; what is named has signatures."""
    own = f"{base}/sites/harbour"
    root = text(own, technical="true", limit="5", full="true")
    assert "\n### LANDMARK TOPOLOGY\n- **berths**: (3 tools, 1 area) - Find and reserve places for ships\n" in root
    assert root.startswith("### SITE: Harbour API 2.1 (id harbour, OPENAPI, 4 tools in 3 areas)")
    assert "> Quote a berth before you reserve it." in root
    area = text(own, landmark_id="berths", technical="true", format="markdown", limit="20000", offset="0")
    assert "function call_action(action: 'berths:berths_reserve'" in area
    assert "function call_action" not in text(own, landmark_id="berths")
    assert text(own, "/.well-known/elemm-inspect.md") == text(own)
    assert "function call_action(action: 'pilots:pilots_dismiss'" in text(own, SEARCH, query="pilot")


def test_an_unchanged_page_is_not_sent_again_and_every_page_names_its_site(base: str) -> None:
    """H-72, H-79"""
    own = f"{base}/sites/harbour"
    first = httpx2.get(own + MANIFEST)
    assert first.headers["link"] == f'<{own}{MANIFEST}>; rel="elemm-manifest"'
    again = httpx2.get(own + MANIFEST, headers={"if-none-match": first.headers["etag"]})
    assert (again.status_code, again.text) == (304, "")


def test_an_action_gives_its_payload_itself(base: str) -> None:
    """H-74: parameters are mended as everywhere, which is said; parts of a result can be asked for."""
    assert done(f"{base}/sites/harbour", {"action": "berths:berths_list", "parameters": {}})[0]["code"] == "B4"
    part = done(base, {"action_id": "harbour:berths:berths_list", "parameters": {"_select": "code", "_limit": 1}})
    assert part == {"status": "success", "data": [{"code": "B4"}], "_HYGIENE_NOTICE": "rows 1-1 of 2"}
    odd = done(base, {"action": "harbour:berths:berths_list", "parameters": {"bogus": 1}})
    assert odd["data"][0]["code"] == "B4"
    assert "bogus" in odd["_NOTES"][0]


@pytest.mark.parametrize(
    ("body", "code", "status"),
    [
        ({"action": "harbour:berths:nope"}, "NOT_FOUND", 404),
        ({"action": "harbour:berths"}, "STRUCTURAL_ERROR", 400),
        ({"action": "harbour:berths:berths_reserve", "parameters": {"berth": "B4"}}, "VALIDATION_FAILED", 400),
        ({"action": "harbour:berths:berths_reserve", "parameters": "{bad"}, "BAD_REQUEST", 400),
        ({"action": "harbour:pilots:pilots_dismiss", "parameters": {"id": "UNKNOWN"}},
         "PLACEHOLDER_REJECTED", 400),
        ({"action": "harbour:pilots:pilots_dismiss", "parameters": {"id": "$step0.id"}},
         "PLACEHOLDER_REJECTED", 400),
        ({}, "BAD_REQUEST", 400),
        ([1], "BAD_REQUEST", 400),
        ({"actions": []}, "BAD_REQUEST", 400),
    ],
)  # fmt: skip
def test_refusals_are_answers_unless_a_status_is_wanted(base: str, body: Any, code: str, status: int) -> None:
    """H-74"""
    refused = done(base, body)
    assert (refused["status"], refused["_PROTOCOL_ERROR"]) == ("error", code)
    assert refused["remedy"]
    assert httpx2.post(base + EXECUTE, json=body, params={"status": "http"}).status_code == status


def test_what_is_no_json_is_a_bad_request(base: str) -> None:
    """H-74"""
    for body in (b'{"action": ', b'{"action": "\xff"}'):
        answer = httpx2.post(base + EXECUTE, content=body)
        assert (answer.status_code, answer.json()["_PROTOCOL_ERROR"]) == (400, "BAD_REQUEST")


def test_references_resolve_inside_one_request_alone(base: str) -> None:
    """H-74: callers never see each other's values, nor their own of before."""
    steps = [
        {"action": "berths:berths_list", "alias": "free"},
        {
            "action": "berths:berths_reserve",
            "parameters": {"berth": "$free[0].code", "date": "2031-05-02", "ship": {"length_m": 80}},
            "on_error": "continue",
        },
    ]
    first, second = done(f"{base}/sites/harbour", {"actions": steps})
    assert (first["action"], first["alias"], first["status"]) == ("berths:berths_list", "free", "ok")
    assert first["result"][0]["code"] == "B4"
    assert second["action"] == "berths:berths_reserve"
    assert second["status"] == "ok", second
    later = done(f"{base}/sites/harbour", {"actions": steps[1:]})
    assert "PIPING_FAILED" in json.dumps(later) or "PLACEHOLDER_REJECTED" in json.dumps(later)


def test_what_a_policy_hides_is_nowhere_and_what_needs_a_person_waits(open_site: Serve) -> None:
    """H-46, H-48: in lists, counts, searches and calls alike."""
    policy = Policy(
        rules=(
            Rule(verdict=Verdict.DENY, tools=("node:harbour/pilots",)),
            Rule(verdict=Verdict.ASK, tools=("harbour/berths/berths_list",), action=(Action.CALL,)),
        )
    )
    with open_site(policy=policy) as base:
        everything = json.dumps(got(base, MANIFEST, format="json", full="true"))
        assert "pilots" not in everything
        assert "pilots" not in text(base)
        assert got(base, SEARCH, format="json", query="pilot")["landmarks"] == []
        hidden = done(base, {"action": "harbour:pilots:pilots_dismiss"})
        assert hidden["_PROTOCOL_ERROR"] == "NOT_FOUND"
        asked = done(base, {"action": "harbour:berths:berths_list"})
        assert asked["_PROTOCOL_ERROR"] == "APPROVAL_REQUIRED"
        assert asked["approval_id"].startswith("ap_")


def test_a_gateway_that_is_no_site_answers_nothing(open_site: Serve) -> None:
    """H-72: the operator decides."""
    with open_site(handshake=HandshakeSettings(native=False)) as base:
        assert httpx2.get(base + MANIFEST).status_code == 404


async def test_a_gateway_reads_another_whole_and_calls_through_it(base: str, tmp_path: Path) -> None:
    """H-72, H-76: actions, areas, schemas, effects and results arrive as they are."""
    async with periplus.open(f"sqlite:///{tmp_path / 'other'}") as gateway:
        report = await gateway.connect(SourceSpec(id="far", url=f"{base}/sites/harbour"))
        assert (report.kind, report.counts.tools, report.counts.skipped) == ("native", 4, 0)
        tool = await gateway.describe("far/berths/berths_reserve")
        assert tool.effect is Effect.WRITE
        assert tool.args_schema["properties"]["ship"]["required"] == ["length_m"]
        assert sorted(tool.args_schema["required"]) == ["berth", "date", "ship"]
        result = await gateway.call("far/berths/berths_list", select="code")
        assert result.value == [{"code": "B4"}, {"code": "B7"}]
        assert (await gateway.connect(SourceSpec(id="far", url=f"{base}/sites/harbour"))).unchanged


def linked(tmp_path: Path, **holder: Any) -> tuple[str, str]:
    """A key's id, and the address that is its holder's."""

    async def make() -> tuple[str, str]:
        async with open_gateway(Settings(data=str(tmp_path / "data")), configure=False) as gateway:
            made = await gateway.issue_key(Principal(id="ann", **holder))
            return made.record.id, f"/s/{(await gateway.link_site(made.record.id)).token}"

    return anyio.run(make)


def test_an_address_of_ones_own_needs_no_key_until_it_is_taken_back(open_site: Serve, tmp_path: Path) -> None:
    """H-75: for one principal; nobody else's address, and no other path, opens with it."""
    keyed = ServeSettings(auth="keys")
    key, link = linked(tmp_path)
    with open_site(serve=keyed, handshake=HandshakeSettings(site_links=True)) as base:
        for place in ("", "/sites/harbour"):
            assert got(base + link + place, MANIFEST, format="json")["landmarks"]
        assert done(base + link, {"action": "harbour:berths:berths_list"})[0]["code"] == "B4"
        for path in ("", f"{link}x", f"{link[:-9]}", "/s/", "/s/x"):
            assert httpx2.get(base + path + MANIFEST).status_code in (401, 404)
        assert httpx2.get(f"{base}{link}/mcp").status_code == 404
        assert httpx2.post(f"{base}/v1/handshake/get_manifest", json={}).status_code == 401

        async def revoke() -> None:
            async with open_gateway(Settings(data=str(tmp_path / "data")), configure=False) as gateway:
                await gateway.revoke_key(key)

        anyio.run(revoke)
        assert httpx2.get(base + link + MANIFEST).status_code == 401
        assert httpx2.post(base + link + EXECUTE, json={"action": "harbour:berths:berths_list"}).status_code == 401


def test_addresses_of_ones_own_lead_nowhere_where_they_are_not_wanted(open_site: Serve, tmp_path: Path) -> None:
    """H-75: `site_links` is off unless it is set."""
    _, link = linked(tmp_path)
    with open_site(serve=ServeSettings(auth="keys")) as base:
        assert httpx2.get(base + link + MANIFEST).status_code == 401
    with open_site() as base:
        assert httpx2.get(base + link + MANIFEST).status_code == 404


def test_the_reference_gateway_executes_where_everybody_needs_a_key(open_site: Serve, tmp_path: Path) -> None:
    """H-75: it sends no credentials, and the trail has whose address it was."""
    _, link = linked(tmp_path)
    settings = {"serve": ServeSettings(auth="keys"), "handshake": HandshakeSettings(site_links=True)}
    with open_site(**settings) as base, reference_gateway(tmp_path / "home") as ask:
        assert "CONNECTED to NATIVE API" in ask("connect_to_site", url=f"{base}{link}/sites/harbour")
        assert "**berths**" in ask("get_manifest")
        assert "B7" in ask("call_action", action="berths:berths_list", parameters={})

    async def who() -> set[str]:
        async with open_gateway(Settings(data=str(tmp_path / "data")), configure=False) as gateway:
            return {row.event.principal for row in await gateway.trail.latest(EventFilter(verb="call"), limit=5)}

    assert anyio.run(who) == {"ann"}


@pytest.mark.parametrize("place", ["", "/sites/harbour"])
def test_the_reference_gateway_goes_through_all_five_phases(base: str, place: str, tmp_path: Path) -> None:
    """H-72: unmodified, over its own stdio, to the catalog and to one source."""
    prefix = "" if place else "harbour:"
    with reference_gateway(tmp_path / "home") as ask:
        assert "CONNECTED to NATIVE API" in ask("connect_to_site", url=base + place)
        assert f"- **{prefix}berths**: (3 tools, 1 area) - Find and reserve" in ask("get_manifest")
        assert f"**{prefix}pilots**" in ask("get_landmarks")
        inspected = ask("inspect_landmark", landmark_id=f"{prefix}berths")
        assert f"function call_action(action: '{prefix}berths:berths_reserve'" in inspected
        found = ask("search_landmarks", query="reserve|pilot")
        assert f"{prefix}berths:berths_reserve" in found
        assert f"{prefix}pilots:pilots_dismiss" in found
        called = ask("call_action", action=f"{prefix}berths:berths_list", parameters={})
        assert [berth["code"] for berth in json.loads(called)] == ["B4", "B7"]
        refused = json.loads(ask("call_action", action=f"{prefix}berths:berths_lst", parameters={}))
        assert refused["_PROTOCOL_ERROR"] == "NOT_FOUND"
        assert f"{prefix}berths:berths_list" in refused["valid_options"]
        steps = json.loads(
            ask("execute_sequence", actions=[{"action": f"{prefix}berths:berths_list", "parameters": {}}])
        )
        assert steps[0]["result"][1]["code"] == "B7"
