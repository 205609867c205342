"""What a person writes for a source means the same in Python as on the command line."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from periplus.app.locations import parse_location
from periplus.core.gateway import Gateway
from periplus.model import Code, EventFilter, Problem
from periplus.stores.sqlite.ledger import open_ledger
from sites import Site, api, text

pytestmark = pytest.mark.anyio


@pytest.fixture
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "written_tools.py").write_text('def berths(day: str) -> str:\n    "Free berths."\n    return day\n')
    (tmp_path / "odd.txt").write_text(text(api("a", "b")))
    return tmp_path


@pytest.mark.parametrize(
    ("written", "kind", "tools"),
    [
        ("python:written_tools", "python", 1),
        ("OpenAPI:odd.txt", "openapi", 2),
        ("odd.txt", "openapi", 2),
        (f"mcp:{sys.executable} -m periplus.demo.tides", "mcp", 4),
    ],
)
async def test_a_kind_before_a_colon_is_understood_in_python(
    gateway: Gateway, directory: Path, written: str, kind: str, tools: int
) -> None:
    report = await gateway.connect(written)
    assert (report.kind, report.counts.tools) == (kind, tools)
    spec, (meant,) = (await gateway.source(report.source)).spec, parse_location(written)
    assert (spec.location, spec.cwd) == (meant.location, meant.cwd)
    assert (await gateway.connect(written)).source == report.source


async def test_a_url_goes_with_its_kind_and_without(gateway: Gateway, site: Site) -> None:
    site.write("/openapi.json", text(api("a")))
    assert (await gateway.connect(f"openapi:{site.url('/openapi.json')}")).kind == "openapi"
    assert (await gateway.connect(site.url("/openapi.json"))).counts.tools == 1
    assert len(await gateway.sources()) == 1


async def test_what_names_nothing_or_too_much_is_refused_and_in_the_trail(gateway: Gateway, directory: Path) -> None:
    servers = {"mcpServers": {name: {"command": "none"} for name in ("one", "two")}}
    (directory / "servers.json").write_text(json.dumps(servers))
    for written, code in (
        ("nowhere.yaml", Code.NOT_FOUND),
        ("servers.json", Code.BAD_INPUT),
        ("mcp:", Code.BAD_INPUT),
        ("mcp:no-such-program --key 's3cret-word", Code.BAD_INPUT),
    ):
        with pytest.raises(Problem) as refused:
            await gateway.connect(written)
        assert refused.value.code is code
    async with open_ledger(directory / "data") as ledger:
        events = [row.event for row in await ledger.events(EventFilter(verb="connect"), 0, 99)]
    assert [event.outcome for event in events] == ["not_found", "bad_input", "bad_input", "bad_input"]
    assert "s3cret-word" not in str(events)
