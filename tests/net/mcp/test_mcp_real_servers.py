"""Sessions with servers made by the SDK, over every wire and in both eras."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable

import anyio
import msgspec
import pytest
from upstreams import SERVERS, SHORT, MakePool, Odd

from periplus.model import Code, Problem, SourceSpec
from periplus.net.mcp import McpPool

Serve = Callable[..., tuple[str, "subprocess.Popen[str]"]]
EVERYTHING = ("tools", "resources", "prompts")


def over_stdio(**given: object) -> SourceSpec:
    args = (str(SERVERS / "real.py"), "stdio")
    return SourceSpec(id="harbour", kind="mcp", command=sys.executable, args=args, **given)  # type: ignore[arg-type]


async def test_a_stdio_server_is_read_to_its_last_page(pool: McpPool) -> None:
    """S-90, S-93: revision 2026-07-28 is found first, and all pages are read."""
    listing = await pool.listing(over_stdio(expose=EVERYTHING))
    assert listing.protocol == "2026-07-28"
    assert [tool["name"] for tool in listing.tools] == [f"tool_{number}" for number in range(12)]
    assert listing.tools[0]["annotations"] == {"readOnlyHint": True}
    assert [one["uri"] for one in listing.resources] == ["note://log"]
    assert [one["uriTemplate"] for one in listing.templates] == ["note://{year}/{day}"]
    assert [one["name"] for one in listing.prompts] == ["brief"]
    assert listing.server["instructions"] == "Ask for the berth first."
    assert listing.notes == ()


async def test_only_what_is_exposed_is_asked_for(pool: McpPool) -> None:
    """S-99"""
    listing = await pool.listing(over_stdio())
    assert listing.tools
    assert (listing.resources, listing.templates, listing.prompts) == ((), (), ())


@pytest.mark.parametrize(
    ("mode", "transport", "protocol"),
    [
        ("both", "http", "2026-07-28"),
        ("both", "", "2026-07-28"),
        ("old", "", "2025-11-25"),
        ("old", "http", "2025-11-25"),
        ("sse", "sse", "2025-11-25"),
        ("sse", "", "2025-11-25"),
    ],
)
async def test_an_http_server_of_any_era_is_read(
    pool: McpPool, serve: Serve, mode: str, transport: str, protocol: str
) -> None:
    """S-90, T-7: streamable HTTP in both eras, and the older event stream, also when nobody said which it is."""
    url, _ = serve(mode)
    spec = SourceSpec(id="harbour", kind="mcp", url=url, transport=transport, expose=EVERYTHING)
    listing = await pool.listing(spec)
    assert listing.protocol == protocol
    assert len(listing.tools) == 12
    assert len(listing.prompts) == 1
    assert listing.server["name"] == "harbour"
    assert listing == await pool.listing(spec)


@pytest.mark.parametrize("mode", ["both", "old", "sse"])
async def test_calls_share_the_session_and_may_overlap(pool: McpPool, serve: Serve, mode: str) -> None:
    """S-92: one call that never ends delays no other, and ends at its own deadline."""
    url, _ = serve(mode)
    spec = SourceSpec(id="harbour", kind="mcp", url=url)
    codes: list[Code] = []

    async def wait() -> None:
        try:
            await pool.request(spec, "tools/call", {"name": "wait", "arguments": {}}, timeout_s=1.5)
        except Problem as problem:
            codes.append(problem.code)

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(wait)
        results = [
            await pool.request(spec, "tools/call", {"name": "echo", "arguments": {"n": number}}) for number in range(5)
        ]
        assert codes == []
    assert [result["content"][0]["text"] for result in results] == [f'{{"n": {number}}}' for number in range(5)]
    assert codes == [Code.TIMEOUT]


@pytest.mark.parametrize("mode", ["both", "old", "sse"])
async def test_a_restarted_http_server_is_found_again(pool: McpPool, serve: Serve, mode: str) -> None:
    """S-92: recovery without the client's help."""
    url, process = serve(mode)
    spec = SourceSpec(id="harbour", kind="mcp", url=url)
    assert len((await pool.listing(spec)).tools) == 12
    process.kill()
    process.wait()
    again, _ = serve(mode, int(url.split(":")[2].split("/")[0]))
    assert again == url
    assert len((await pool.listing(spec)).tools) == 12


async def test_a_server_that_is_not_there_is_named(pool: McpPool) -> None:
    """S-78, S-92"""
    with pytest.raises(Problem) as caught:
        await pool.listing(SourceSpec(id="lost", kind="mcp", url="http://127.0.0.1:9/mcp"))
    assert caught.value.code is Code.UNAVAILABLE
    assert "lost" in caught.value.message


async def test_a_refused_token_is_not_shown(make_pool: MakePool, serve: Serve) -> None:
    """S-62, S-78: 401 keeps its meaning, and an echo of the token is masked."""
    url, _ = serve("locked")
    async with make_pool(environ={"PATH": "/bin", "TOKEN": "w8-a-minute", "GOOD": "open-sesame"}) as pool:
        wrong = SourceSpec(id="locked", kind="mcp", url=url, headers={"Authorization": "Bearer ${TOKEN}"})
        with pytest.raises(Problem) as caught:
            await pool.listing(wrong)
        assert caught.value.code is Code.UPSTREAM_UNAUTHENTICATED
        assert "is not known" in caught.value.message
        assert "w8-a-minute" not in caught.value.message
        for way in ("Bearer ${GOOD}", "Bearer env:GOOD"):
            right = SourceSpec(id="locked", kind="mcp", url=url, headers={"Authorization": way})
            assert len((await pool.listing(right)).tools) == 12


async def test_http_passes_the_guard(pool: McpPool) -> None:
    """S-13: what no operator wrote is judged like any other address."""
    with pytest.raises(Problem) as caught:
        await pool.listing(SourceSpec(id="meta", kind="mcp", url="http://169.254.169.254/mcp", trusted=False))
    assert caught.value.code is Code.REFUSED_ADDRESS


def test_nothing_of_the_sdk_is_imported_before_the_first_connection() -> None:
    """The import costs 0.4 s and 64 MB."""
    code = "import sys, periplus.net.mcp, periplus.sources.mcp; print('mcp' in sys.modules, 'httpx2' in sys.modules)"
    printed = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout
    assert printed.split() == ["False", "False"]


async def test_notices_of_a_server_are_told(make_pool: MakePool, odd: Odd) -> None:
    """S-93: the core hears of changed lists; when to read again is its own affair."""
    heard: list[tuple[str, str]] = []
    async with make_pool(on_notice=lambda source, method, _: heard.append((source, method))) as pool:
        await pool.listing(odd("batch"))
        with anyio.fail_after(10):
            while not heard:  # noqa: ASYNC110 - the list is filled by a plain callback
                await anyio.sleep(0.01)
    assert heard == [("batch", "notifications/message")]


@pytest.mark.parametrize("mode", ["both", "old", "sse"])
async def test_an_answer_larger_than_the_limit_ends_only_itself(make_pool: MakePool, serve: Serve, mode: str) -> None:
    """S-6, T-7: the limit on events is ours, and the session goes on or is made anew."""
    url, _ = serve(mode)
    spec = SourceSpec(id="harbour", kind="mcp", url=url)
    call = {"name": "echo", "arguments": {"n": "x" * 3_000_000}}
    async with make_pool() as pool:
        assert len((await pool.request(spec, "tools/call", call))["content"][0]["text"]) > 3_000_000
    async with make_pool(msgspec.structs.replace(SHORT, message_bytes=100_000)) as pool:
        with pytest.raises(Problem) as caught:
            await pool.request(spec, "tools/call", call, timeout_s=20)
        assert caught.value.code is not Code.TIMEOUT
        assert len((await pool.listing(spec)).tools) == 12
