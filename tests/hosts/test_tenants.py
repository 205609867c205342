"""T-22: two tenants share nothing, although they share a gateway, a store, and the names of their people."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import anyio
import pytest
from harbours import Caller, keys_for, settings_of
from whole import code_of

from listening import listening
from periplus.app import open_gateway
from periplus.app.serving import open_application
from periplus.model import Code, EventFilter, Principal, Problem
from periplus.settings import Settings
from sites import Site

ADMIN = frozenset({"admin"})


class Two(NamedTuple):
    red: Caller
    blue: Caller
    settings: Settings


@pytest.fixture
def two(tmp_path: Path, upstream: Site, verbs: None) -> Iterator[Two]:
    settings = settings_of(tmp_path, upstream, auth="keys")
    holders = (Principal(id="ann", tenant=tenant, scopes=ADMIN) for tenant in ("red", "blue"))
    red, blue = keys_for(settings, *holders)
    with listening(lambda: open_application(settings)) as base:
        yield Two(Caller(base, red), Caller(base, blue), settings)


def test_tools_of_another_tenant_do_not_exist(two: Two) -> None:
    """T-22."""
    red, blue, _ = two
    assert {ref.partition("/")[0] for ref in red("browse").json()["refs"]} == {"red"}
    assert {ref.partition("/")[0] for ref in blue("search", goal="berths").json()["refs"]} == {"blue"}
    (ref,) = [ref for ref in red("browse").json()["refs"] if ref.endswith("berths")]
    foreign, missing = blue("describe", tool=ref), blue("describe", tool="red/none/such")
    assert code_of(foreign) == code_of(missing) == Code.TOOL_NOT_FOUND
    assert "red/" not in str(foreign.json()["error"]["hints"])
    assert code_of(blue("call", tool=ref)) == Code.TOOL_NOT_FOUND


def test_sessions_of_the_same_name_are_two(two: Two) -> None:
    """T-22."""
    red, blue, _ = two
    red("remember", name="morning", value={"berth": "B4"})
    assert blue("session", name="morning").json() == {"slots": {}}
    assert red("session", name="morning").json() == {"slots": {"verbs": {"berth": "B4"}}}


def test_approvals_are_seen_and_given_within_a_tenant(two: Two) -> None:
    """T-22."""
    red, blue, _ = two
    assert code_of(red("call", tool="sink")) == Code.APPROVAL_REQUIRED
    (approval,) = red("approvals").json()["ids"]
    assert blue("approvals").json()["ids"] == []
    assert code_of(blue("grant", approval=approval)) == Code.NOT_FOUND
    assert red("grant", approval=approval).json() == {"state": "granted"}
    stolen = blue("call", tool="sink", approval=approval)
    assert code_of(stolen) == Code.NOT_FOUND
    assert red("call", tool="sink", approval=approval).json()["value"] == {"sunk": True}


def test_a_kept_result_is_its_owners(two: Two) -> None:
    """T-22."""
    red, blue, _ = two
    handle = red("call", tool="berths", keep=True).json()["handle"]
    assert code_of(blue("result", handle=handle)) == Code.NOT_FOUND
    assert red("result", handle=handle, limit=1).json()["value"] == [{"code": "B0"}]


def test_a_cursor_shows_another_tenant_nothing_of_ours(two: Two) -> None:
    """T-22."""
    red, blue, _ = two
    cursor = red("browse", limit=2).json()["cursor"]
    assert code_of(blue("browse", limit=2, cursor=cursor)) == Code.INVALID_CURSOR
    assert all(ref.startswith("red/") for ref in red("browse", limit=2, cursor=cursor).json()["refs"])


def test_the_trail_tells_each_tenant_its_own(two: Two) -> None:
    """T-22."""
    red, blue, settings = two
    red("browse")
    blue("browse")

    async def read(tenant: str) -> set[str]:
        async with open_gateway(settings, configure=False) as gateway:
            admin = Principal(id="auditor", tenant=tenant, scopes=ADMIN)
            return {row.event.tenant for row in await gateway.trail.latest(EventFilter(), principal=admin)}

    assert anyio.run(read, "red") == {"red"}
    assert anyio.run(read, "") > {"red", "blue"}


def test_an_administrator_of_a_tenant_makes_keys_for_it_alone(two: Two) -> None:
    """T-21, T-22."""

    async def attempt() -> tuple[Code, list[str]]:
        async with open_gateway(two.settings, configure=False) as gateway:
            admin = Principal(id="ann", tenant="red", scopes=ADMIN)
            try:
                await gateway.issue_key(Principal(id="eve", tenant="blue"), principal=admin)
            except Problem as problem:
                return problem.code, [key.tenant for key in await gateway.keys(principal=admin)]
        raise AssertionError

    assert anyio.run(attempt) == (Code.FORBIDDEN, ["red"])
