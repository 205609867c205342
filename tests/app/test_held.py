"""What a refresh may take away: held, seen twice, accepted; stale; and one reader at a time (S-21, S-106 to S-110)."""

from __future__ import annotations

from pathlib import Path

import anyio
import pytest
from gateways import Opener
from starlette.requests import Request
from starlette.responses import Response

from periplus.core.gateway import Gateway
from periplus.model import Code, Problem, SourceSpec, SourceState
from periplus.testing.clock import SettableClock
from sites import Site, api, text

HOUR, DAY = 3600.0, 86_400.0


class Quay:
    """A source whose document a test writes as a list of names."""

    def __init__(self, gateway: Gateway, site: Site) -> None:
        self.gateway, self.site = gateway, site

    def serves(self, *names: str) -> None:
        self.site.write("/api.json", text(api(*names)), validator="etag")

    async def connect(self) -> None:
        await self.gateway.connect(SourceSpec(id="quay", url=self.site.url("/api.json")))

    async def is_held(self) -> bool:
        """Sync, and whether that was refused for what it would take away."""
        try:
            await self.gateway.sync("quay")
        except Problem as problem:
            return problem.code is Code.HELD
        return False

    async def leaves(self) -> list[str]:
        return [tool.ref.leaf for tool in (await self.gateway.browse(deep=True, limit=500)).tools]


@pytest.fixture
def quay(gateway: Gateway, site: Site) -> Quay:
    return Quay(gateway, site)


def names(count: int) -> list[str]:
    return [f"t{number:03}" for number in range(count)]


@pytest.mark.parametrize(
    ("before", "after", "held"),
    [(20, 9, True), (20, 10, False), (19, 1, False), (40, 19, True), (3, 0, True), (1, 0, True), (100, 51, False)],
)
async def test_a_read_that_loses_more_than_half_of_twenty_or_all_is_held(
    quay: Quay,
    before: int,
    after: int,
    held: bool,  # noqa: FBT001 - a row of the table
) -> None:
    """S-109"""
    quay.serves(*names(before))
    await quay.connect()
    revision = await quay.gateway.revision()
    quay.serves(*names(after))
    assert await quay.is_held() is held
    assert len(await quay.leaves()) == (before if held else after)
    assert (await quay.gateway.revision() == revision) is held


async def test_a_loss_seen_again_an_hour_later_is_believed(quay: Quay, clock: SettableClock) -> None:
    """S-109: two reads an hour apart."""
    quay.serves(*names(30))
    await quay.connect()
    quay.serves(*names(2))
    assert await quay.is_held()
    record = await quay.gateway.source("quay")
    assert record.state is SourceState.HELD
    assert record.reason == "a read would remove 28 of 30 tools"
    clock.advance(HOUR - 1)
    assert await quay.is_held()
    clock.advance(1)
    assert not await quay.is_held()
    assert await quay.leaves() == names(2)
    assert (await quay.gateway.source("quay")).state is SourceState.OK


async def test_another_loss_starts_the_hour_anew(quay: Quay, clock: SettableClock) -> None:
    quay.serves(*names(30))
    await quay.connect()
    quay.serves(*names(2))
    assert await quay.is_held()
    clock.advance(HOUR)
    quay.serves(*names(3))
    assert await quay.is_held()
    clock.advance(HOUR)
    assert not await quay.is_held()
    assert await quay.leaves() == names(3)


async def test_a_loss_that_was_a_mishap_leaves_no_trace(quay: Quay, clock: SettableClock) -> None:
    quay.serves(*names(30))
    await quay.connect()
    quay.serves()
    assert await quay.is_held()
    quay.serves(*names(30))
    assert not await quay.is_held()
    record = await quay.gateway.source("quay")
    assert (record.state, record.reason, record.held) == (SourceState.OK, "", None)
    clock.advance(HOUR)
    quay.serves()
    assert await quay.is_held(), "the earlier sighting counts no more"


async def test_a_held_change_is_taken_when_accepted(quay: Quay) -> None:
    quay.serves(*names(30))
    await quay.connect()
    quay.serves("t001")
    assert await quay.is_held()
    report = await quay.gateway.sync("quay", accept=True)
    assert report.counts.removed == 29
    assert await quay.leaves() == ["t001"]


async def test_a_removed_name_is_given_to_nobody_else_for_thirty_days(quay: Quay, clock: SettableClock) -> None:
    """S-21: a ref means the operation it meant."""
    site = quay.site
    one = api("ships/find")
    site.write("/api.json", text(one | {"paths": one["paths"] | api("ships/stay")["paths"]}))
    await quay.connect()
    assert "find" in await quay.leaves()
    other = api("ships/stay")
    site.write("/api.json", text(other))
    await quay.gateway.sync("quay")
    stranger = {"operationId": "other", "x-periplus-name": "find", "tags": ["ships"], "responses": {}}
    site.write("/api.json", text(other | {"paths": other["paths"] | {"/elsewhere": {"post": stranger}}}))
    clock.advance(29 * DAY)
    await quay.gateway.sync("quay")
    assert sorted(await quay.leaves()) == ["find_post", "stay"]
    with pytest.raises(Problem) as missing:
        await quay.gateway.describe("quay/ships/find")
    assert missing.value.code is Code.TOOL_NOT_FOUND


async def test_a_tool_that_comes_back_has_its_old_name(quay: Quay, clock: SettableClock) -> None:
    quay.serves("ships/find", "ships/stay")
    await quay.connect()
    quay.serves("ships/stay")
    await quay.gateway.sync("quay")
    clock.advance(DAY)
    quay.serves("ships/find", "ships/stay")
    await quay.gateway.sync("quay")
    assert str((await quay.gateway.describe("find")).ref) == "quay/ships/find"


async def test_an_operation_that_moves_keeps_its_old_name_as_an_alias(quay: Quay) -> None:
    """S-21: for good."""
    quay.serves("ships/find")
    await quay.connect()
    quay.serves("vessels/find", "x")
    await quay.gateway.sync("quay")
    for spelling in ("quay/vessels/find", "quay/ships/find"):
        assert str((await quay.gateway.describe(spelling)).ref) == "quay/vessels/find"


# --- stale -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("fault", ["gone", "broken", "refused"])
async def test_a_failed_refresh_keeps_the_last_good_set_and_says_why(quay: Quay, fault: str) -> None:
    """S-108"""
    quay.serves("a", "b")
    await quay.connect()
    revision = await quay.gateway.revision()
    match fault:
        case "gone":
            quay.site.remove("/api.json")
        case "broken":
            quay.site.write("/api.json", '{"openapi": "3.1.0", "paths": {')
        case "refused":
            quay.site.write("/api.json", "", status=401)
    with pytest.raises(Problem) as failed:
        await quay.gateway.sync("quay")
    record = await quay.gateway.source("quay")
    assert (record.state, record.reason, record.tools) == (SourceState.STALE, failed.value.message, 2)
    assert await quay.leaves() == ["a", "b"]
    assert await quay.gateway.revision() == revision
    quay.serves("a", "b")
    assert (await quay.gateway.sync("quay")).unchanged
    record = await quay.gateway.source("quay")
    assert (record.state, record.reason) == (SourceState.OK, "")
    assert await quay.gateway.revision() == revision


async def test_a_source_that_never_was_read_is_not_kept(quay: Quay) -> None:
    with pytest.raises(Problem):
        await quay.connect()
    assert list(await quay.gateway.sources()) == []


async def test_a_cancelled_read_leaves_what_was_there(quay: Quay) -> None:
    """S-7"""
    quay.serves("a")
    await quay.connect()
    reached = anyio.Event()

    async def never(_: Request) -> Response:
        await anyio.sleep_forever()
        raise AssertionError

    quay.site.serve("/api.json", never)
    async with anyio.create_task_group() as tasks:

        async def read() -> None:
            reached.set()
            await quay.gateway.sync("quay")

        tasks.start_soon(read)
        await reached.wait()
        tasks.cancel_scope.cancel()
    record = await quay.gateway.source("quay")
    assert (record.state, await quay.leaves()) == (SourceState.OK, ["a"])


# --- several at once ---------------------------------------------------------------------------------------------


async def test_two_gateways_that_read_one_source_write_it_once(opened: Opener, site: Site) -> None:
    """S-110: the later one takes the result of the first."""
    site.write("/api.json", text(api(*names(300))), validator="etag")
    spec = SourceSpec(id="quay", url=site.url("/api.json"))
    async with opened() as one, opened() as two:
        async with anyio.create_task_group() as tasks:
            for gateway in (one, two, one, two):
                tasks.start_soon(gateway.connect, spec)
        assert await one.revision() == await two.revision() == 1
        assert len((await two.browse(deep=True, limit=500)).tools) == 300


async def test_sources_read_side_by_side_are_all_there(gateway: Gateway, site: Site) -> None:
    async with anyio.create_task_group() as tasks:
        for number in range(12):
            site.write(f"/{number}.json", text(api(f"op{number}")))
            tasks.start_soon(gateway.connect, SourceSpec(id=f"s{number}", url=site.url(f"/{number}.json")))
    assert (await gateway.browse()).node.tools == 12
    assert await gateway.revision() == 12


async def test_a_configured_source_that_fails_delays_no_other(opened: Opener, site: Site, tmp_path: Path) -> None:
    """S-108: not start-up either."""
    site.write("/good.json", text(api("a")))
    site.write("/bad.json", "<html>", kind="text/html")
    file = tmp_path / "periplus.toml"
    file.write_text(
        f'[sources.good]\nurl = "{site.url("/good.json")}"\n[sources.bad]\nurl = "{site.url("/bad.json")}"\n'
        '[sources.off]\nurl = "http://10.0.0.1/"\nenabled = false\n'
    )
    async with opened(file) as gateway:
        records = {record.id: record for record in await gateway.sources()}
        assert {name: record.state for name, record in records.items()} == {
            "good": SourceState.OK, "bad": SourceState.UNAVAILABLE,
        }  # fmt: skip
        assert "200 text/html" in records["bad"].reason
    site.asked()
    site.write("/bad.json", text(api("b")))
    async with opened(file) as gateway:
        assert ("GET", "/good.json", 200) not in site.asked(), "what is stored is not read again at every start"
        await gateway.sync("bad")
        assert {tool.ref.source for tool in (await gateway.browse(deep=True)).tools} == {"good", "bad"}
