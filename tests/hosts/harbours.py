"""Two tenants behind one gateway, each with a source of its own, and people of the same name in both."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import anyio
import httpx2

from periplus.app import open_gateway
from periplus.model import Principal, SourceSpec
from periplus.settings import ServeSettings, Settings
from sites import Site, api

SHARED = ("things/list",)

ACCEPT = {"accept": "application/json, text/event-stream"}
HELLO: dict[str, Any] = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}},
}


def settings_of(directory: Path, upstream: Site, **serve: Any) -> Settings:
    """Two sources that one tenant each may see; all, where callers have no names."""
    named = "auth" in serve
    for tenant in ("red", "blue"):
        document = api(f"{tenant}/berths", f"{tenant}/ships", f"{tenant}/tides", servers=[{"url": upstream.base}])
        document["paths"]["/sink"] = {"delete": {"operationId": "sink", "responses": {"200": {"description": "gone"}}}}
        upstream.write(f"/{tenant}.json", json.dumps(document))
    upstream.write("/berths", json.dumps([{"code": f"B{number}"} for number in range(9)]))
    upstream.write("/sink", json.dumps({"sunk": True}))
    sources = {
        colour: SourceSpec(id=colour, url=upstream.url(f"/{colour}.json"), tenant=colour if named else "")
        for colour in ("red", "blue")
    }
    return Settings(data=str(directory), sources=sources, serve=ServeSettings(face="verbs", **serve))


def keys_for(settings: Settings, *holders: Principal) -> list[str]:
    """A key for each, from a gateway that reads the sources on its way."""

    async def make() -> list[str]:
        async with open_gateway(settings) as gateway:
            return [(await gateway.issue_key(holder)).key for holder in holders]

    return anyio.run(make)


class Caller:
    """Somebody who asks over HTTP."""

    def __init__(self, base: str, key: str = "") -> None:
        self._base = base
        self._headers = {"authorization": f"Bearer {key}"} if key else {}

    def __call__(self, verb: str, **given: Any) -> httpx2.Response:
        return httpx2.post(f"{self._base}/v1/verbs/{verb}", json=given, headers=self._headers)
