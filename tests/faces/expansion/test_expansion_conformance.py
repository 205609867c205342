"""The suite that any server of the protocol can be held to, held to ours and to servers that break promises (E-42)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from conversing import Talk
from typer.testing import CliRunner

import sites
from listening import listening
from periplus.app import open_gateway
from periplus.app.serving import open_application
from periplus.cli.main import app
from periplus.model import SourceSpec
from periplus.settings import load_settings
from periplus.testing.expansion_conformance import Ask, conformance


def asking(talk: Talk) -> Ask:
    async def ask(operation: str, body: Any) -> tuple[int, Any]:
        reply = await talk.reply(operation, body)
        return reply.problem.code.status.http if reply.problem else 200, json.loads(reply.text)

    return ask


async def test_the_face_keeps_every_promise(talk: Talk) -> None:
    outcomes = await conformance(asking(talk))
    assert [outcome for outcome in outcomes if not outcome.is_kept or outcome.skipped] == []
    assert len(outcomes) >= 19


async def test_an_empty_catalog_breaks_nothing(talk: Talk) -> None:
    for source in ("harbour", "office"):
        await talk.gateway.disconnect(source)
    outcomes = await conformance(asking(talk))
    assert [outcome for outcome in outcomes if not outcome.is_kept] == []
    assert [outcome for outcome in outcomes if outcome.skipped]


@pytest.mark.parametrize(
    ("promise", "member", "value"),
    [
        ("E-28", "args_schema", {"$ref": "https://elsewhere.example/schema"}),
        ("E-21", "confidence", 1.5),
        ("E-11", "total", None),
        ("E-30", "version", "random"),
        ("E-29", "args_schema", {}),
    ],
)
async def test_a_broken_promise_is_found(talk: Talk, promise: str, member: str, value: Any) -> None:
    told = asking(talk)
    turns = iter(range(10_000))

    def spoil(operation: str, body: Any) -> None:
        if promise in ("E-28", "E-30") and operation == "expand_tool" and member in body:
            body[member] = str(next(turns)) if value == "random" else value
        if promise == "E-11" and operation == "list":
            body.pop(member, None)
        if promise in ("E-21", "E-29"):
            for one in body.get("results", ()):
                one[member] = value

    async def ask(operation: str, body: Any) -> tuple[int, Any]:
        status, answer = await told(operation, body)
        if status == 200:
            spoil(operation, answer)
        return status, answer

    broken = [outcome.promise for outcome in await conformance(ask) if not outcome.is_kept]
    assert any(promise in one for one in broken), broken


@pytest.fixture
def served(tmp_path: Path) -> Iterator[str]:
    (tmp_path / "quay.json").write_text(json.dumps(sites.api("berths/reserveBerth", "berths/listBerths")))
    settings = load_settings(None, {}, {"data": str(tmp_path / "data")})

    @asynccontextmanager
    async def opened() -> Any:
        async with open_gateway(settings) as gateway:
            await gateway.connect(SourceSpec(id="quay", url=str(tmp_path / "quay.json")))
        async with open_application(settings) as application:
            yield application

    with listening(opened) as base:
        yield base


def test_the_command_checks_any_server_and_exits_accordingly(served: str) -> None:
    good = CliRunner().invoke(app, ["conformance", "--expansion", served, "--json"])
    assert good.exit_code == 0, good.output
    assert all(outcome["kept"] for outcome in json.loads(good.output))
    also = CliRunner().invoke(app, ["conformance", "--expansion", f"{served}/tde/v0.1"])
    assert also.exit_code == 0
    assert "0 broken" in also.output
    bad = CliRunner().invoke(app, ["conformance", "--expansion", f"{served}/v1/workflow"])
    assert bad.exit_code == 1
    assert "NO" in bad.output
