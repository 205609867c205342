"""T-20: pages of other web origins: those that the operator named may ask and read, all others neither."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from harbours import keys_for, settings_of

from listening import listening
from periplus.app.serving import open_application
from sites import Site

NAMED, OTHER = "https://inspector.example.com", "https://evil.example"
ASKS = {"access-control-request-method": "POST", "access-control-request-headers": "content-type, mcp-session-id"}
HELLO: dict[str, Any] = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}},
}


@pytest.fixture(params=["none", "keys"])
def base(tmp_path: Path, upstream: Site, verbs: None, request: pytest.FixtureRequest) -> Iterator[str]:
    settings = settings_of(tmp_path, upstream, origins=(NAMED,), auth=request.param)
    keys_for(settings)
    with listening(lambda: open_application(settings)) as url:
        yield url


@pytest.mark.parametrize("path", ["/mcp", "/v1/verbs/browse", "/rpc"])
def test_a_named_page_is_told_that_it_may_ask(base: str, path: str) -> None:
    """Before it says who it is: a browser sends no credentials with that question."""
    answer = httpx2.options(f"{base}{path}", headers=ASKS | {"origin": NAMED})
    assert (answer.status_code, answer.content) == (204, b"")
    assert answer.headers["access-control-allow-origin"] == NAMED
    assert "POST" in answer.headers["access-control-allow-methods"]
    assert answer.headers["access-control-allow-headers"] == "content-type, mcp-session-id"
    assert "access-control-allow-credentials" not in answer.headers
    assert answer.headers["vary"] == "Origin"


def test_a_named_page_may_read_answers_and_refusals(base: str) -> None:
    accept = {"accept": "application/json, text/event-stream", "origin": NAMED}
    answer = httpx2.post(f"{base}/mcp", json=HELLO, headers=accept)
    assert answer.status_code in (200, 401)
    assert answer.headers["access-control-allow-origin"] == NAMED
    assert "Mcp-Session-Id" in answer.headers["access-control-expose-headers"]


@pytest.mark.parametrize("origin", [OTHER, "http://localhost:3000", f"{NAMED}.evil.example", "null"])
def test_a_page_that_nobody_named_is_told_nothing(base: str, origin: str) -> None:
    """Nor is one of this machine, whose server may be anybody's."""
    for method in ("OPTIONS", "POST"):
        answer = httpx2.request(method, f"{base}/v1/verbs/browse", headers=ASKS | {"origin": origin})
        assert answer.status_code >= 400 or (method, origin) == ("POST", "http://localhost:3000")
        assert not [name for name in answer.headers if name.startswith("access-control-")]


def test_who_is_no_page_hears_nothing_of_pages(base: str) -> None:
    assert "access-control-allow-origin" not in httpx2.get(f"{base}/healthz").headers
