"""Calling tools of MCP servers through the gateway: what is sent, and what its answers become."""

# What became of calls is read from a file: a server tells it nowhere else.
# ruff: noqa: ASYNC110, ASYNC240

from __future__ import annotations

import base64
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

import anyio
import pytest

from periplus.core.gateway import Gateway
from periplus.model import Code, Principal, Problem, SourceSpec

Harbour = Callable[..., Awaitable[Gateway]]
WAYS = ("stdio", "both", "old", "sse")
EVERYTHING = ("tools", "resources", "prompts")


async def refused(gateway: Gateway, tool: str, **given: object) -> Problem:
    with pytest.raises(Problem) as caught:
        await gateway.call(tool, given)
    return caught.value


@pytest.mark.parametrize("way", WAYS)
async def test_a_tool_is_called_over_every_wire_and_in_both_eras(harbour: Harbour, way: str) -> None:
    """S-90, S-96: structured content is the value; a text that says something else comes beside it."""
    gateway = await harbour(way)
    result = await gateway.call("lively/berth", {"code": "C1"})
    assert result.value == {"code": "C1", "depth_m": 7.5}
    assert result.content == ({"type": "text", "text": "Mind the sill."},)
    assert result.notes == ()


async def test_a_text_is_a_value_where_it_is_json_and_text_where_it_is_not(harbour: Harbour) -> None:
    """S-96: also several JSON texts, which some servers write for a list, and no content at all."""
    gateway = await harbour()
    values = {tool: (await gateway.call(f"lively/{tool}")).value for tool in ("log", "note", "rows", "nothing")}
    assert values == {
        "log": {"lines": [1, 2]},
        "note": "Calm until noon.",
        "rows": [{"ship": "Alma"}, {"ship": "Berta"}],
        "nothing": None,
    }


async def test_an_answer_that_is_not_what_was_declared_is_a_note(harbour: Harbour) -> None:
    """S-75: never a failure."""
    result = await (await harbour()).call("lively/liar")
    assert result.value == {"code": 4, "depth_m": "deep"}
    assert [note for note in result.notes if "not what lively/liar declares: /code" in note]


async def test_a_picture_is_shown_and_kept_as_a_file(harbour: Harbour) -> None:
    """S-96: as content for a model, as a file for whoever wants its bytes."""
    gateway = await harbour()
    result = await gateway.call("lively/chart")
    caption, picture = result.value
    assert caption == "The roads"
    assert result.content[0]["type"] == "image"
    data, said = await gateway.file(picture["$file"]["cache_ref"])
    assert data == base64.b64decode(result.content[0]["data"])
    assert said["media_type"] == "image/png"


async def test_documents_texts_and_links_come_as_values_and_as_content(harbour: Harbour) -> None:
    """S-96: a document's name leads nowhere, whatever its address says."""
    gateway = await harbour()
    result = await gateway.call("lively/documents")
    paper, wet, plan = result.value
    assert paper["$file"]["filename"] == "clearance.pdf"
    assert (await gateway.file(paper["$file"]["cache_ref"]))[0] == b"%PDF-1.4 ..."
    assert wet == {"uri": "note://1", "mimeType": "text/plain", "text": "wet"}
    assert plan == {"name": "plan", "uri": "https://harbour.example/plan"}
    assert [block["type"] for block in result.content] == ["resource", "resource", "resource_link"]


@pytest.mark.parametrize("way", WAYS)
async def test_a_refusal_in_a_result_keeps_the_servers_words(harbour: Harbour, way: str) -> None:
    """S-96: `isError`"""
    problem = await refused(await harbour(way), "lively/fail")
    assert problem.code is Code.UPSTREAM_ERROR
    assert problem.message == "fail failed: No berth is deep enough: draught 12 m, deepest 9 m"
    assert not problem.retryable


@pytest.mark.parametrize("way", WAYS)
async def test_an_error_of_the_protocol_is_refused_in_the_servers_words(harbour: Harbour, way: str) -> None:
    """S-96: and the next call goes on over the same session."""
    gateway = await harbour(way)
    await gateway.call("lively/grow", {"name": "gone"})
    await gateway.sync("lively")
    problem = await refused(gateway, "lively/gone")
    assert problem.code is Code.INVALID_ARGS
    assert "'lively'" in problem.message
    assert "Unknown tool: gone" in problem.message
    assert problem.details["rpc_code"] == -32602
    assert (await gateway.call("lively/note")).value == "Calm until noon."


async def test_resources_and_prompts_are_read_like_tools(harbour: Harbour) -> None:
    """S-99: a template's values stay in their places, whatever stands in them."""
    gateway = await harbour(expose=EVERYTHING)
    assert (await gateway.call("lively/resources/log")).value == {"wind": 5}
    pixel = (await gateway.call("lively/resources/pixel")).value
    assert pixel["$file"]["media_type"] == "image/png"
    day = await gateway.call("lively/resources/day", {"year": "../admin", "day": "5#x", "part": "a&b=c"})
    assert day.value == "read note://..%2Fadmin/5%23x?part=a%26b%3Dc"
    assert (await gateway.call("lively/resources/day", {"year": "1", "day": "2"})).value == "read note://1/2"
    brief = await gateway.call("lively/prompts/brief", {"ship": "Alma"})
    assert brief.value["messages"][0]["content"]["text"] == "Brief the watch of Alma."


@pytest.mark.parametrize("way", WAYS)
async def test_progress_is_passed_on(harbour: Harbour, way: str) -> None:
    """S-97, T-4"""
    heard: list[tuple[float, float | None, str]] = []
    arrived = anyio.Event()

    async def listen(done: float, total: float | None, message: str) -> None:
        heard.append((done, total, message))
        if len(heard) == 2:
            arrived.set()

    gateway = await harbour(way)
    assert (await gateway.call("lively/steps", progress=listen)).value == "done"
    with anyio.fail_after(5):
        await arrived.wait()
    assert sorted(heard) == [(1, 2, "casting off"), (2, 2, "under way")]


@pytest.mark.parametrize("way", WAYS)
async def test_giving_up_ends_the_call_at_the_server(harbour: Harbour, told: Path, way: str) -> None:
    """S-97, T-4: by cancellation; others go on meanwhile and afterwards."""
    gateway = await harbour(way)
    begun = anyio.Event()

    async def listen(done: float, _total: float | None, _message: str) -> None:
        if done == 2:
            begun.set()

    async def wait() -> None:
        await gateway.call("lively/slow", progress=listen)

    with anyio.fail_after(20):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(wait)
            await begun.wait()
            assert (await gateway.call("lively/note")).value == "Calm until noon."
            tasks.cancel_scope.cancel()
        while told.read_text() != "started\nstopped\n":
            await anyio.sleep(0.01)
    assert (await gateway.call("lively/note")).value == "Calm until noon."


@pytest.mark.parametrize("way", WAYS)
async def test_a_call_that_takes_too_long_ends_at_its_deadline_and_at_the_server(
    harbour: Harbour, told: Path, way: str
) -> None:
    """S-92: and says so."""
    gateway = await harbour(way)
    with pytest.raises(Problem) as caught:
        await gateway.call("lively/slow", timeout_s=0.7)
    assert caught.value.code is Code.TIMEOUT
    assert "lively" in caught.value.message
    with anyio.fail_after(20):
        while told.read_text() != "started\nstopped\n":
            await anyio.sleep(0.01)


@pytest.mark.parametrize("way", WAYS)
async def test_a_server_that_wants_a_person_is_refused_by_name_and_asked_once(harbour: Harbour, way: str) -> None:
    """S-97: a question nobody can answer is no outage; the call says what was asked."""
    gateway = await harbour(way)
    for _ in range(7):  # more often than a failing upstream is asked before it is left alone
        problem = await refused(gateway, "lively/ask")
        assert problem.code is Code.UNAVAILABLE
        assert "elicitation/create: 'Tow her?'" in problem.message
        assert "attempts" not in problem.details
    assert (await gateway.call("lively/note")).value == "Calm until noon."


@pytest.mark.parametrize("way", WAYS)
async def test_questions_that_need_nobody_are_answered(harbour: Harbour, way: str) -> None:
    """S-97: roots are none; a server that wants to be asked again is asked again."""
    result = await (await harbour(way)).call("lively/again")
    assert result.value in ("enough", "roots []")


async def test_a_read_is_made_again_on_a_new_session_and_a_write_is_not(harbour: Harbour, told: Path) -> None:
    """S-69, S-92: a server that died in a call is started again for the next one."""
    gateway = await harbour(effects={"crash": "read"})
    problem = await refused(gateway, "lively/crash")
    assert problem.code is Code.UNAVAILABLE
    assert "the mast is down" in problem.message
    assert problem.details["attempts"] == 3
    assert told.read_text() == "crashing\n" * 3
    assert (await gateway.call("lively/note")).value == "Calm until noon."


async def test_a_write_that_broke_the_session_is_sent_once(harbour: Harbour, told: Path) -> None:
    """S-69: nobody knows whether it was done."""
    gateway = await harbour()
    problem = await refused(gateway, "lively/crash")
    assert problem.code is Code.UNAVAILABLE
    assert told.read_text() == "crashing\n"
    assert "the mast is down" in gateway.upstream_log("lively")


async def test_log_messages_stand_beside_what_the_server_writes(harbour: Harbour) -> None:
    """S-97"""
    gateway = await harbour("old")
    await gateway.call("lively/tell")
    with anyio.fail_after(5):
        while "warning mast rising wind" not in gateway.upstream_log("lively"):
            await anyio.sleep(0.01)


async def test_marked_arguments_are_repeated_in_headers(harbour: Harbour) -> None:
    """S-94: `x-mcp-header`; a value that no header can carry is encoded, one that is not given is not sent."""
    given = {"berth": "Hafen Süd", "lines": 4}
    result = await (await harbour("both")).call("lively/moor", given)
    night = "=?base64?SGFmZW4gU8O8ZA==?="
    assert result.value == {"headers": {"mcp-param-berth": night, "mcp-param-lines": "4"}, "arguments": given}


async def test_a_result_over_the_limit_is_refused(harbour: Harbour) -> None:
    """S-74, S-96"""
    gateway = await harbour()
    assert len((await gateway.call("lively/bulk", {"size": 20_000})).value) <= 20_000
    problem = await refused(gateway, "lively/bulk", size=33 << 20)
    assert problem.code is Code.TOO_LARGE
    assert "response_bytes" in problem.message


async def test_a_secret_that_a_server_echoes_is_not_shown(harbour: Harbour, monkeypatch: pytest.MonkeyPatch) -> None:
    """S-62, S-79: nor does anything else in the result change."""
    monkeypatch.setenv("TIDE_SECRET", "high-water-1874")
    gateway = await harbour(env={"TIDE_TOKEN": "env:TIDE_SECRET"})
    result = await gateway.call("lively/echo", {"note": "token: is a word"})
    assert result.value == {"arguments": {"note": "token: is a word"}, "token": "***"}


async def test_principals_have_servers_of_their_own_where_it_is_set(harbour: Harbour) -> None:
    """S-98: `per_principal`; what one did to its server, another's does not know."""
    gateway = await harbour(per_principal=True)
    anna, bert = Principal(id="anna"), Principal(id="bert")
    for who in (anna, bert):
        assert (await gateway.call("lively/note", principal=who)).value == "Calm until noon."
    with pytest.raises(Problem):
        await gateway.call("lively/crash", principal=anna)
    assert gateway.upstream_log("lively") == ("the mast is down",)


@pytest.mark.skipif(sys.platform != "linux", reason="counts descriptors in /proc")
async def test_calls_and_crashes_leave_no_descriptor_open(harbour: Harbour) -> None:
    """T-7"""
    gateway = await harbour()
    await gateway.call("lively/note")
    before = len(list(Path("/proc/self/fd").iterdir()))
    for _ in range(3):
        await refused(gateway, "lively/crash")
        await gateway.call("lively/note")
    assert len(list(Path("/proc/self/fd").iterdir())) == before


async def test_a_bad_neighbour_delays_nobody(harbour: Harbour, tmp_path: Path) -> None:
    """S-92, S-117: one server that never answers, one that is fine."""
    gateway = await harbour()
    mute = SourceSpec(id="mute", kind="mcp", command=sys.executable, args=("-c", "import time; time.sleep(60)"))
    with anyio.fail_after(10):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(gateway.connect, mute)
            for _ in range(20):
                assert (await gateway.call("lively/note")).value == "Calm until noon."
            tasks.cancel_scope.cancel()
