"""T-23: what a caller brings for an upstream reaches it through every face, and is found nowhere else."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import httpx2
import msgspec
import pytest
from harbours import keys_for
from mcp import Client
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from listening import listening
from periplus.app.serving import open_application
from periplus.model import CredentialSpec, Principal, SourceSpec
from periplus.ports import Presented
from periplus.settings import ExpansionSettings, ServeSettings, Settings, WorkflowSettings
from sites import Site, api

PASSED, OTHER = "c4nary-passed-8f3k", "c4nary-other-8f3k"
BROUGHT = {"x-passed": PASSED, "x-other": OTHER}
WORKFLOW = """
id: asking
version: 1.0.0
title: Asking
executionModel: {roles: [{id: a, description: A}]}
activities:
- {id: one, version: 1.0.0, name: One, steps: [{id: look, name: Look, tool: {ref: quay/things/berths}}]}
"""


class Open(NamedTuple):
    base: str
    key: str
    upstream: Site

    def post(self, path: str, body: Any) -> httpx2.Response:
        """Ask as somebody who shows a key to the gateway and something else to the upstream."""
        return httpx2.post(self.base + path, json=body, headers=self.headers)

    @property
    def headers(self) -> dict[str, str]:
        return {"x-api-key": self.key, **BROUGHT}

    def arrived(self) -> list[dict[str, str]]:
        """The headers of all calls since the last look."""
        calls = [dict(one.headers) for one in self.upstream.requests if one.url.path == "/berths"]
        self.upstream.requests.clear()
        return calls


async def _echo(request: Request) -> Response:
    return JSONResponse({"seen": dict(request.headers)}, headers={"etag": request.headers.get("x-passed", "-")})


def settings_of(directory: Path, upstream: Site, *credentials: dict[str, Any], auth: str = "keys") -> Settings:
    upstream.write("/api.json", json.dumps(api("berths", servers=[{"url": upstream.base}])))
    upstream.serve("/berths", _echo)
    (directory / "flows").mkdir()
    (directory / "flows" / "asking.yaml").write_text(WORKFLOW)
    return Settings(
        data=str(directory / "data"),
        sources={"quay": SourceSpec(id="quay", url=upstream.url("/api.json"))},
        credentials=msgspec.convert(credentials, tuple[CredentialSpec, ...]),
        serve=ServeSettings(auth=auth),
        expansion=ExpansionSettings(ledger="off"),
        workflow=WorkflowSettings(dir=(str(directory / "flows"),), min_response_seconds=0),
    )


@pytest.fixture
def served(tmp_path: Path, upstream: Site) -> Iterator[Open]:
    passing = {"scheme": "pass_through", "source": "quay", "pass_headers": ["X-Passed", "X-API-Key", "Authorization"]}
    settings = settings_of(tmp_path, upstream, passing)
    (key,) = keys_for(settings, Principal(id="ann"))
    upstream.requests.clear()
    with listening(lambda: open_application(settings)) as base:
        yield Open(base, key, upstream)


def _over_http(served: Open) -> Iterator[httpx2.Response]:
    call = {"tool_id": "quay/things/berths", "args": {}}
    yield served.post("/v1/expansion/call_tool", call)
    yield served.post("/rpc", {"jsonrpc": "2.0", "id": 1, "method": "tde.call_tool", "params": call})
    talk = {"session": "ann"}
    assert served.post("/v1/handshake/get_manifest", talk).status_code == 200
    yield served.post("/v1/handshake/call_action", talk | {"action": "quay/things/berths"})
    yield served.post("/v1/handshake/execute_sequence", talk | {"actions": [{"action": "quay/things/berths"}]})
    yield served.post("/.well-known/elemm/execute", {"action": "quay/things/berths"})
    yield served.post("/.well-known/elemm/execute", {"actions": [{"action": "quay/things/berths"}]})
    begun = served.post("/v1/workflow/start_session", {"workflow_id": "asking"}).json()
    token = {"session_token": begun["session_token"]}
    entered = served.post("/v1/workflow/next_activity", token | {"activity_id": "one"}).json()
    yield served.post("/v1/workflow/run_step", {"session_token": entered["session_token"], "step_id": "look"})


def test_what_a_caller_brings_reaches_the_upstream_through_every_face(
    served: Open, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """T-23."""
    caplog.set_level(logging.DEBUG)
    said: list[str] = []
    for answer in _over_http(served):
        (arrived,) = served.arrived()
        assert arrived["x-passed"] == PASSED, answer.text
        assert OTHER not in arrived.values()
        assert served.key not in str(arrived)  # it is for the gateway, whatever a credential names
        said.append(answer.text + repr(answer.headers))
    assert len(said) == 7
    files = [path.read_bytes() for path in (tmp_path / "data").rglob("*") if path.is_file()]
    for secret in (PASSED, OTHER, served.key):
        assert secret not in "\n".join(said)
        assert secret not in caplog.text
        assert not any(secret.encode() in content for content in files)


@pytest.mark.parametrize("mode", ["legacy", "2026-07-28"])
async def test_what_a_caller_brings_over_mcp_reaches_the_upstream(served: Open, mode: str) -> None:
    """T-23."""
    from mcp.client.streamable_http import streamable_http_client  # noqa: PLC0415

    async with (
        httpx2.AsyncClient(headers=served.headers) as http,
        Client(streamable_http_client(f"{served.base}/mcp/expansion", http_client=http), mode=mode) as client,
    ):
        result = await client.call_tool("call_tool", {"tool_id": "quay/things/berths", "args": {}})
    (arrived,) = served.arrived()
    assert arrived["x-passed"] == PASSED
    assert OTHER not in arrived.values()
    assert PASSED not in str(result)


def test_a_callers_own_token_is_exchanged_for_one_of_the_upstreams(tmp_path: Path, upstream: Site) -> None:
    """T-23."""
    forms: list[str] = []

    async def token(request: Request) -> Response:
        forms.append((await request.body()).decode())
        return JSONResponse({"access_token": "c4nary-made", "expires_in": 100})

    upstream.serve("/token", token)
    exchange = {"scheme": "token_exchange", "source": "quay", "client_id": "us", "token_url": upstream.url("/token")}
    settings = settings_of(tmp_path, upstream, exchange, auth="none")
    keys_for(settings)
    call = {"tool_id": "quay/things/berths", "args": {}}
    with listening(lambda: open_application(settings)) as base:
        headers = {"authorization": f"Bearer {PASSED}"}
        answer = httpx2.post(f"{base}/v1/expansion/call_tool", json=call, headers=headers)
        without = httpx2.post(f"{base}/v1/expansion/call_tool", json=call)
    assert len(forms) == 1
    assert f"subject_token={PASSED}" in forms[0]
    assert upstream.requests[-1].headers["authorization"] == "Bearer c4nary-made"
    assert answer.status_code == 200
    assert "c4nary" not in answer.text
    assert "without one" in without.text


def test_headers_of_a_caller_are_not_printed() -> None:
    """T-23."""
    assert PASSED not in f"{Presented(BROUGHT)} {Presented(BROUGHT)!r}"
