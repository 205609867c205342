"""A server that says its tools are others is read again, while a gateway serves (S-93, T-7)."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import suppress
from pathlib import Path

import anyio
import pytest

from periplus.app import open_gateway
from periplus.app.changes import Changes
from periplus.core.gateway import Gateway
from periplus.model import Problem, SourceSpec
from periplus.settings import Settings

LIVELY = Path(__file__).parents[1] / "net" / "mcp" / "servers" / "lively.py"


@pytest.fixture
def address() -> Iterator[dict[str, str]]:
    """Started servers by how they are spoken to."""
    found: dict[str, str] = {}
    running = []
    for way in ("both", "old", "sse"):
        process = subprocess.Popen([sys.executable, str(LIVELY), way], stdout=subprocess.PIPE, text=True)
        running.append(process)
        assert process.stdout is not None
        found[way] = f"http://127.0.0.1:{process.stdout.readline().strip()}/mcp"
    yield found
    for process in running:
        process.kill()
        process.wait()
        if process.stdout:
            process.stdout.close()


@pytest.fixture
async def serving(tmp_path: Path) -> AsyncIterator[Gateway]:
    changes = Changes(quiet_s=0.01)
    settings = Settings(store=f"sqlite:///{tmp_path}")
    async with open_gateway(settings, changes=changes) as gateway, anyio.create_task_group() as tasks:
        tasks.start_soon(changes.follow, gateway)
        yield gateway
        tasks.cancel_scope.cancel()


async def has(gateway: Gateway, tool: str) -> None:
    """Wait until the catalog has a tool."""
    with anyio.fail_after(20):
        while True:
            with suppress(Problem):
                await gateway.describe(tool)
                return
            await anyio.sleep(0.01)


@pytest.mark.parametrize("way", ["stdio", "both", "old", "sse"])
async def test_a_new_tool_of_a_server_can_be_called_without_anybody_asking(
    serving: Gateway, address: dict[str, str], way: str
) -> None:
    """S-93: by subscription where the revision has them, else by notification; again after the first time."""
    if way == "stdio":
        spec = SourceSpec(id="lively", kind="mcp", command=sys.executable, args=(str(LIVELY), "stdio"))
    else:
        spec = SourceSpec(id="lively", kind="mcp", url=address[way])
    await serving.connect(spec)
    for name in ("first", "second"):
        await serving.call("lively/grow", {"name": name})
        await has(serving, f"lively/{name}")


async def test_a_session_that_begins_anew_is_looked_into(serving: Gateway, tmp_path: Path) -> None:
    """S-93: a server that was replaced while nobody spoke to it has told nobody."""
    tools = tmp_path / "tools.json"
    tools.write_text("[]")
    code = f"import sys; sys.argv = ['x', 'stdio']; sys.path.insert(0, {str(LIVELY.parent)!r}); import lively, json; "
    code += f"lively.grown += json.load(open({str(tools)!r})); from real import main; main('stdio', lively.SERVER)"
    spec = SourceSpec(id="lively", kind="mcp", command=sys.executable, args=("-c", code))
    await serving.connect(spec)
    tools.write_text('["fresh"]')
    with pytest.raises(Problem):
        await serving.call("lively/crash")
    await serving.call("lively/note")
    await has(serving, "lively/fresh")
