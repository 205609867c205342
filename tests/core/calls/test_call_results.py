"""Results: the part that was asked for, the whole kept for its owner alone."""

from __future__ import annotations

import base64
import hashlib
from pathlib import Path
from typing import Any

import pytest
from calls_desk import AGENT, OTHER, Watched, governed

from periplus.core.gateway import Gateway, Parts
from periplus.model import Code, Principal, Problem
from periplus.testing.clock import SettableClock

SHIPS: list[dict[str, Any]] = [
    {"id": number, "name": f"ship {number}", "flag": "NO" if number % 3 else "GR", "owner": {"name": f"o{number}"}}
    for number in range(2000)
]


def holds(directory: Path, text: bytes) -> bool:
    return any(text in file.read_bytes() for file in directory.iterdir())


async def refusal(gateway: Gateway, handle: str, principal: Principal = AGENT, **asked: Any) -> Problem:
    with pytest.raises(Problem) as caught:
        await gateway.result(handle, principal=principal, **asked)
    return caught.value


async def test_a_large_result_is_cut_between_rows_and_read_on_without_the_upstream(
    gateway: Gateway, upstream: Watched
) -> None:
    """Every row comes once."""
    upstream.answer({"items": SHIPS, "next": None})
    result = await gateway.call("list", {}, principal=AGENT)
    assert result.truncated
    seen = list(result.value["items"])
    assert result.value == {"items": SHIPS[: len(seen)], "next": None}
    assert result.meta["page"] == {"what": "rows", "offset": 0, "shown": len(seen), "total": 2000}
    assert f"offset={len(seen)}" in result.notes[-1]
    while len(seen) < 2000:
        more = await gateway.result(result.handle, principal=AGENT, offset=len(seen))
        assert more.value["items"]
        seen += more.value["items"]
    assert seen == SHIPS
    assert len(upstream.sent) == 1


async def test_a_call_gives_only_what_was_selected_and_keeps_the_rest(gateway: Gateway, upstream: Watched) -> None:
    """H-58: filter, count, slice, select."""
    upstream.answer({"items": SHIPS, "total": 2000})
    result = await gateway.call(
        "list", {}, principal=AGENT, select="id,owner.name", filter="flag=GR, id>=30", limit=2, offset=1
    )
    assert result.value == {
        "items": [{"id": 33, "owner": {"name": "o33"}}, {"id": 36, "owner": {"name": "o36"}}],
        "total": 2000,
    }
    assert result.meta["page"] == {"what": "rows", "offset": 1, "shown": 2, "total": 657}
    whole = await gateway.result(result.handle, principal=AGENT, select="name", limit=1)
    assert whole.value["items"] == [{"name": "ship 0"}]


async def test_unknown_fields_are_named_with_those_there_are(gateway: Gateway, upstream: Watched) -> None:
    upstream.answer(SHIPS[:3])
    result = await gateway.call("list", {}, principal=AGENT, select="id,nmae", filter="flg=NO")
    assert result.value == []
    result = await gateway.call("list", {}, principal=AGENT, select="id,nmae")
    assert result.value[0] == {"id": 0}
    assert "did you mean 'name'?" in result.notes[0]


@pytest.mark.parametrize(
    "asked", [{"select": "a{b"}, {"select": "}"}, {"filter": "a b c"}, {"limit": 0}, {"offset": -1}]
)
async def test_a_selection_that_cannot_be_read_is_refused_before_the_call(
    gateway: Gateway, upstream: Watched, asked: dict[str, Any]
) -> None:
    """X-73"""
    with pytest.raises(Problem) as caught:
        await gateway.call("reserve", {"berth": "B4"}, principal=AGENT, **asked)
    assert caught.value.code is Code.BAD_INPUT
    assert upstream.sent == []


async def test_a_handle_is_its_owners_and_ends(gateway: Gateway, upstream: Watched, clock: SettableClock) -> None:
    """T-22"""
    upstream.answer(SHIPS)
    handle = (await gateway.call("list", {}, principal=AGENT)).handle
    twin = Principal(id="agent-1", tenant="other")
    mine = await refusal(gateway, "rc_unknown")
    for stranger in (OTHER, twin):
        problem = await refusal(gateway, handle, stranger)
        assert (problem.code, problem.message.replace(handle, "rc_unknown")) == (Code.NOT_FOUND, mine.message)
    clock.advance(86_401)
    assert (await refusal(gateway, handle)).code is Code.NOT_FOUND


async def test_kept_results_cannot_be_read_on_the_disk(gateway: Gateway, upstream: Watched, tmp_path: Path) -> None:
    upstream.answer(["a canary sings " * 10_000])
    await gateway.call("list", {}, principal=AGENT)
    assert not holds(tmp_path, b"canary")


async def test_a_file_is_named_in_the_value_and_fetched_by_its_handle(gateway: Gateway, upstream: Watched) -> None:
    """S-46"""
    data = bytes(range(256)) * 10
    digest = hashlib.sha256(data).hexdigest()
    said = {"media_type": "image/png", "filename": "chart.png", "bytes": len(data), "sha256": digest}
    upstream.answer({"chart": {"$file": said}}, files={digest: data})
    result = await gateway.call("list", {}, principal=AGENT)
    reference = result.value["chart"]["$file"]["cache_ref"]
    assert await gateway.file(reference, principal=AGENT) == (data, said)
    upstream.reply = upstream.echo
    sent = await gateway.call("list", {"q": {"cache_ref": reference}}, principal=AGENT)
    assert sent.value == {
        "q": {"base64": base64.b64encode(data).decode(), "filename": "chart.png", "media_type": "image/png"}
    }


async def test_an_argument_can_be_part_of_an_earlier_result(gateway: Gateway, upstream: Watched) -> None:
    """X-67"""
    upstream.answer({"items": SHIPS})
    handle = (await gateway.call("list", {}, principal=AGENT, keep=True)).handle
    upstream.reply = upstream.echo
    path = "items[?flag=='GR'].id | [1:3]"
    result = await gateway.call("list", {"q": {"$cache_ref": handle, "path": path}}, principal=AGENT)
    assert result.value == {"q": [3, 6]}
    with pytest.raises(Problem) as caught:
        await gateway.call("list", {"q": {"$cache_ref": handle}}, principal=OTHER)
    assert caught.value.code is Code.NOT_FOUND


@pytest.mark.parametrize(
    "value", ["x" * 5000, ["y" * 4000, "z"], {"a": "x" * 3000, "b": [1] * 3000, "c": {"d": "x" * 900}}, [["x" * 5000]]]
)
async def test_whatever_comes_the_shown_part_fits_and_the_whole_is_kept(
    parts: Parts, upstream: Watched, value: Any
) -> None:
    gateway = governed(parts, result_bytes=1000)
    upstream.answer(value)
    result = await gateway.call("list", {}, principal=AGENT)
    assert result.truncated
    assert len(str(result.value)) < 1500
    assert (await gateway.result(result.handle, principal=AGENT, budget=100_000)).value == value
