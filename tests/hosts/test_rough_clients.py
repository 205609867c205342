"""What clients send that is no request, too much, or too many: each is told, and nobody else notices."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from harbours import ACCEPT, HELLO, keys_for, settings_of

from listening import listening
from periplus.app.serving import open_application
from periplus.model import Principal
from sites import Site


@pytest.fixture
def base(tmp_path: Path, upstream: Site, verbs: None) -> Iterator[str]:
    settings = settings_of(tmp_path, upstream, body_bytes=50_000)
    keys_for(settings)
    with listening(lambda: open_application(settings)) as url:
        yield url


@pytest.mark.parametrize(
    "body",
    [
        b"{",
        b"",
        b"[]",
        b"null",
        b"5",
        b'{"jsonrpc": "1.0", "id": 1, "method": "ping"}',
        b'{"jsonrpc": "2.0", "id": 1}',
        b"\xff",
    ],
)
def test_what_is_no_message_is_an_error_and_the_endpoint_lives_on(base: str, body: bytes) -> None:
    """T-1."""
    headers = ACCEPT | {"content-type": "application/json"}
    answer = httpx2.post(f"{base}/mcp", content=body, headers=headers)
    assert 400 <= answer.status_code < 500
    assert "error" in answer.json()
    assert "Traceback" not in answer.text
    assert httpx2.post(f"{base}/mcp", json=HELLO, headers=ACCEPT).status_code == 200


def test_a_message_over_the_limit_is_refused_with_the_limit(base: str) -> None:
    """T-11: declared, and in pieces whose sum nobody declared."""
    for content in (b"x" * 60_000, iter([b"x" * 30_000, b"x" * 30_000])):
        answer = httpx2.post(f"{base}/mcp", content=content, headers=ACCEPT | {"content-type": "application/json"})
        assert answer.status_code == 413
    assert httpx2.post(f"{base}/mcp", json=HELLO, headers=ACCEPT).status_code == 200


def test_a_session_of_another_caller_is_not_found(tmp_path: Path, upstream: Site, verbs: None) -> None:
    """T-22: the same answer as for one that never was."""
    settings = settings_of(tmp_path, upstream, auth="keys")
    ann, eve = keys_for(settings, Principal(id="ann", tenant="red"), Principal(id="eve", tenant="red"))
    ping = {"jsonrpc": "2.0", "id": 2, "method": "ping"}

    def asked(key: str, body: dict[str, Any], **more: str) -> httpx2.Response:
        headers = {**ACCEPT, "x-api-key": key, "mcp-protocol-version": "2025-11-25", **more}
        return httpx2.post(f"{base}/mcp", json=body, headers=headers)

    with listening(lambda: open_application(settings)) as base:
        session = asked(ann, HELLO).headers["mcp-session-id"]
        stolen = asked(eve, ping, **{"mcp-session-id": session})
        unknown = asked(eve, ping, **{"mcp-session-id": "0" * 32})
        own = asked(ann, ping, **{"mcp-session-id": session})
    assert (stolen.status_code, own.status_code) == (404, 200)
    assert stolen.json()["error"] == unknown.json()["error"]
