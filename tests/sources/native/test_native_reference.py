"""The reference library's own sites, unmodified: all of their actions arrive and can be called (H-76, H-78)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from landmarks import everything, read

from peers import serving
from periplus.app import open_gateway
from periplus.app.parts import transport
from periplus.model import Code, Effect, Problem, Tool, Unchanged
from periplus.settings import load_settings
from sending import call

HARBOUR = {"berths:list", "berths:prices:quote", "berths:delete_all", "ping:ping", "berths:moor"}
COUNT = 6000


@pytest.fixture(scope="module")
def reference() -> Iterator[str]:
    with serving("elemm", Path(__file__).with_name("reference_site.py"), str(COUNT)) as base:
        yield base


async def test_all_actions_of_a_reference_site_arrive(reference: str) -> None:
    """H-76: more than one page, and one action over which the site fails."""
    reading, drafts = await everything(reference)
    made = {f"zone_{n % 300}:sector_{n % 7}:tool_{n}" for n in range(COUNT)}
    assert drafts.keys() == made | HARBOUR
    assert [finding for finding in reading.findings if finding.skipped] == []
    assert (reading.document.title, reading.instructions) == ("Harbour office", "Quote before you reserve.")


async def test_what_a_reference_site_says_of_an_action_is_kept(reference: str) -> None:
    """H-77"""
    _, drafts = await everything(reference)
    listing, quote, delete = (drafts[name] for name in ("berths:list", "berths:prices:quote", "berths:delete_all"))
    assert listing.args_schema["properties"] == {
        "state": {"type": "string", "enum": ["free", "taken"], "default": "free"},
        "limit": {"type": "integer", "default": 10},
    }
    assert quote.args_schema["required"] == ["berth"]
    assert quote.args_schema["properties"]["ship"]["required"] == ["name", "length_m"]
    assert (quote.areas, quote.description) == ((("berths", "prices"),), "Quotes a price.\n\nIn euros.")
    assert (listing.effect, delete.effect) == (Effect.WRITE, Effect.DESTROY)
    assert drafts["berths:moor"].args_schema == {
        "type": "object", "properties": {"side": {"type": "string"}}, "additionalProperties": False,
    }  # fmt: skip


async def test_a_reference_site_that_is_the_same_is_not_read_again(reference: str) -> None:
    """H-79"""
    reading, _ = await everything(reference)
    assert isinstance(await read(reference, known=reading.document), Unchanged)


async def test_a_gateway_finds_out_that_it_is_native(reference: str, tmp_path: Path) -> None:
    """Section 3"""
    async with open_gateway(load_settings(None, {}, {"data": str(tmp_path)})) as gateway:
        report = await gateway.connect(reference)
        assert (report.kind, report.counts.tools) == ("native", COUNT + len(HARBOUR))
        tool = await gateway.describe("berths:prices:quote")
        assert tool.ref.path == "berths/prices/quote"


async def called(reference: str, action: str, arguments: dict[str, Any]) -> Any:
    tool = Tool(source="harbour", path="x", key=action, origin="x", binding={"kind": "native", "action": action})
    return (await call(transport("native"), tool, reference, arguments)).value


async def test_actions_of_a_reference_site_are_called(reference: str) -> None:
    """H-78"""
    free = [{"id": "B4", "state": "taken"}]
    assert await called(reference, "berths:list", {"state": "taken", "limit": 1}) == free
    assert await called(reference, "berths:prices:quote", {"berth": "B4"}) == {"berth": "B4", "cost": 90}
    assert await called(reference, "zone_7:sector_0:tool_7", {"unit": "u"}) == {"unit": "u", "level": 3}
    assert await called(reference, "ping:ping", {}) == "pong"


@pytest.mark.parametrize(
    ("action", "arguments", "code", "words"),
    [
        ("berths:prices:quote", {"berth": "Z9"}, Code.UPSTREAM_ERROR, "no such berth"),
        ("berths:prices:quote", {}, Code.INVALID_ARGS, "Missing required parameters"),
        ("berths:list", {"state": "odd"}, Code.INVALID_ARGS, "Invalid value 'odd'"),
        ("berths:nope", {}, Code.NOT_FOUND, "'berths:nope' not found"),
        ("berths", {}, Code.UPSTREAM_ERROR, "STRUCTURAL ERROR"),
    ],
)
async def test_refusals_of_a_reference_site_are_failures(
    reference: str, action: str, arguments: dict[str, Any], code: Code, words: str
) -> None:
    """H-78: the reference answers all of these with 200."""
    with pytest.raises(Problem) as caught:
        await called(reference, action, arguments)
    assert caught.value.code is code
    assert words in caught.value.message
