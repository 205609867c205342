"""`periplus demo`: a harbour of four kinds, all real, and a transcript worth reading."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

import periplus
from periplus.core.gateway import Gateway
from periplus.demo.services import running
from periplus.model import Effect


@pytest.fixture
async def harbour(tmp_path: Path) -> AsyncIterator[Gateway]:
    with running() as services:
        async with periplus.open(f"sqlite:///{tmp_path}") as gateway:
            for spec in services.sources:
                await gateway.connect(spec)
            yield gateway


async def test_the_harbour_has_four_kinds_and_skips_nothing(harbour: Gateway) -> None:
    records = {record.id: record for record in await harbour.sources()}
    kinds = {name: record.spec.kind for name, record in records.items()}
    assert kinds == {"harbour": "openapi", "crew": "graphql", "tides": "mcp", "charts": "python"}
    for record in records.values():
        assert record.report
        assert record.report.counts.skipped == 0
        assert record.tools >= 3
        assert [each for each in record.report.problems if each.severity.value == "error"] == []


async def test_every_tool_of_the_harbour_is_fit_to_be_shown(harbour: Gateway) -> None:
    tools = [await harbour.describe(str(line.ref)) for line in (await harbour.browse(deep=True, limit=500)).tools]
    assert all(0 < len(tool.summary) <= 120 for tool in tools)
    assert {tool.effect for tool in tools} == set(Effect)
    assert all(tool.args_schema["type"] == "object" for tool in tools)


def test_the_tour_runs_to_its_end_and_leaves_nothing_behind(tmp_path: Path) -> None:
    environment = {name: text for name, text in os.environ.items() if not name.startswith("PERIPLUS_")}
    done = subprocess.run(
        [sys.executable, "-c", "from periplus.cli.main import run; run()", "demo"],
        check=False, capture_output=True, text=True, cwd=tmp_path,
        env=environment | {"TMPDIR": str(tmp_path), "HOME": str(tmp_path)},
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    chapters = re.findall(r"^(?:─+ )?(\d+)  (\w+)", done.stdout, re.MULTILINE)
    assert [number for number, _ in chapters] == [str(number) for number in range(1, len(chapters) + 1)]
    assert len(chapters) >= 5
    for source in ("harbour", "crew", "tides", "charts"):
        assert re.search(rf"^{source} ", done.stdout, re.MULTILINE), source
    assert "unchanged: harbour, crew, tides, charts" in done.stdout
    assert "function reserveBerth(" in done.stdout
    assert "periplus add https://HOST/openapi.json" in done.stdout
    assert "Traceback" not in done.stdout
    assert "\x1b" not in done.stdout
    assert [each for each in tmp_path.iterdir() if each.name != ".cache"] == []
