"""Finding out which era a server speaks: `server/discover` first, else `initialize` (S-90)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
from mcp.shared.dispatcher import CallOptions, Outbound
from mcp.shared.exceptions import MCPError
from mcp.shared.inbound import (
    MCP_METHOD_HEADER,
    MCP_NAME_HEADER,
    MCP_PROTOCOL_VERSION_HEADER,
    NAME_BEARING_METHODS,
    encode_header_value,
)
from mcp_types import (
    CLIENT_CAPABILITIES_META_KEY,
    CLIENT_INFO_META_KEY,
    LOG_LEVEL_META_KEY,
    METHOD_NOT_FOUND,
    PROTOCOL_VERSION_META_KEY,
    SERVER_INFO_META_KEY,
    UNSUPPORTED_PROTOCOL_VERSION,
)
from mcp_types.version import (
    HANDSHAKE_PROTOCOL_VERSIONS,
    LATEST_HANDSHAKE_VERSION,
    LATEST_MODERN_VERSION,
    MODERN_PROTOCOL_VERSIONS,
)

from periplus.model import Code, Problem
from periplus.net.mcp.refusals import is_closed
from periplus.ports import UNSAID, Listener


class Hello(msgspec.Struct, frozen=True, kw_only=True):
    """What a server said of itself, and the revision both will speak."""

    protocol: str
    server: dict[str, Any]
    capabilities: dict[str, Any] = {}

    @property
    def is_modern(self) -> bool:
        return self.protocol in MODERN_PROTOCOL_VERSIONS

    @property
    def tells_changes(self) -> bool:
        """Whether the server says when its tools are others."""
        return _object(self.capabilities.get("tools")).get("listChanged") is True


class Voice(msgspec.Struct, frozen=True, kw_only=True):
    """Who we say we are."""

    name: str = "periplus"
    version: str = ""
    capabilities: dict[str, Any] = {}

    @property
    def info(self) -> dict[str, Any]:
        return {"name": self.name, "version": self.version or "0"}

    def able(self, capabilities: dict[str, Any]) -> Voice:
        """The same, for a caller that can be asked more than we can."""
        return Voice(name=self.name, version=self.version, capabilities={**self.capabilities, **capabilities})


_HEADER_MISMATCH = -32020
_NOT_THIS_WAY = frozenset({METHOD_NOT_FOUND, _HEADER_MISMATCH})
"""How a server of the stateless revision refuses `initialize`."""


async def greet(
    wire: Outbound,
    voice: Voice,
    *,
    legacy_first: bool,
    probe_seconds: float,
    is_final: Callable[[Any], bool] | None = None,
) -> Hello:
    """Settle the revision. `is_final` tells from an error's data that `initialize` would fare no better."""
    if not legacy_first:
        hello = await _discover(wire, voice, probe_seconds, is_final)
        if hello is not None:
            return hello
    try:
        return await _initialize(wire, voice)
    except MCPError as error:
        # A slow server may have taken the unanswered probe for the beginning, and now insists on its era;
        # one remembered as old may have been replaced by a new one.
        insists = error.code == UNSUPPORTED_PROTOCOL_VERSION or (legacy_first and not is_closed(error))
        if insists and (hello := await _discover(wire, voice, probe_seconds, is_final)):
            return hello
        if error.code in _NOT_THIS_WAY and (hello := await _assumed(wire, voice, probe_seconds)):
            return hello
        raise
    except Problem as stranger:
        said = stranger.details.get("revision")
        is_ours = said is None or said in MODERN_PROTOCOL_VERSIONS
        if is_ours and (hello := await _assumed(wire, voice, probe_seconds)):
            return hello
        raise


def stamped(
    hello_protocol: str, voice: Voice, method: str, params: dict[str, Any], listener: Listener | None = None
) -> tuple[dict[str, Any], CallOptions]:
    """A request as the negotiated revision wants it: its envelope in `_meta`, its routing in headers."""
    headers = {MCP_PROTOCOL_VERSION_HEADER: hello_protocol}
    if hello_protocol in MODERN_PROTOCOL_VERSIONS:
        envelope = {
            PROTOCOL_VERSION_META_KEY: hello_protocol,
            CLIENT_INFO_META_KEY: voice.info,
            CLIENT_CAPABILITIES_META_KEY: voice.capabilities,
        } | ({LOG_LEVEL_META_KEY: listener.level or UNSAID} if listener else {})
        params = {**params, "_meta": {**params.get("_meta", {}), **envelope}}
        headers[MCP_METHOD_HEADER] = method
        name = params.get(NAME_BEARING_METHODS.get(method, ""))
        if isinstance(name, str):
            headers[MCP_NAME_HEADER] = encode_header_value(name)
    return params, {"headers": headers}


async def _discover(
    wire: Outbound, voice: Voice, seconds: float, is_final: Callable[[Any], bool] | None, *, again: bool = False
) -> Hello | None:
    """The server's own description, or None where it knows no such thing.

    One that refuses the very revision it says it speaks is asked `again`.
    """
    method = "server/discover"
    params, options = stamped(LATEST_MODERN_VERSION, voice, method, {})
    options |= {"timeout": seconds, "cancel_on_abandon": False}
    try:
        found = await wire.send_raw_request(method, params, options)
    except MCPError as error:
        if is_closed(error) or (is_final is not None and is_final(error.data)):
            raise
        if error.code != UNSUPPORTED_PROTOCOL_VERSION:
            return None
        _check_versions(error.data)
        if again or LATEST_MODERN_VERSION not in _supported(error.data):
            return None
        return await _discover(wire, voice, seconds, is_final, again=True)
    versions = found.get("supportedVersions")
    if not isinstance(versions, list) or LATEST_MODERN_VERSION not in versions:
        return None
    meta = found.get("_meta")
    info = meta.get(SERVER_INFO_META_KEY) if isinstance(meta, dict) else None
    return Hello(
        protocol=LATEST_MODERN_VERSION,
        server=_server(info, found),
        capabilities=_object(found.get("capabilities")),
    )


async def _assumed(wire: Outbound, voice: Voice, seconds: float) -> Hello | None:
    """A server that describes itself in no way, and answers all the same: the stateless revision wants no more."""
    method = "tools/list"
    params, options = stamped(LATEST_MODERN_VERSION, voice, method, {})
    options |= {"timeout": seconds, "cancel_on_abandon": False}
    try:
        found = await wire.send_raw_request(method, params, options)
    except MCPError:
        return None
    if not isinstance(found.get("tools"), list):
        return None
    return Hello(protocol=LATEST_MODERN_VERSION, server={}, capabilities={})


def _supported(data: Any) -> list[Any]:
    supported = data.get("supported") if isinstance(data, dict) else None
    return supported if isinstance(supported, list) else []


def _check_versions(data: Any) -> None:
    supported = _supported(data)
    if supported and not any(
        version in HANDSHAKE_PROTOCOL_VERSIONS or version in MODERN_PROTOCOL_VERSIONS for version in supported
    ):
        raise _stranger(", ".join(map(str, supported)))


async def _initialize(wire: Outbound, voice: Voice) -> Hello:
    params = {
        "protocolVersion": LATEST_HANDSHAKE_VERSION,
        "capabilities": voice.capabilities,
        "clientInfo": voice.info,
    }
    found = await wire.send_raw_request("initialize", params, {"cancel_on_abandon": False})
    protocol = found.get("protocolVersion")
    if protocol not in HANDSHAKE_PROTOCOL_VERSIONS:
        raise _stranger(str(protocol), protocol)
    await wire.notify("notifications/initialized", None, {"headers": {MCP_PROTOCOL_VERSION_HEADER: str(protocol)}})
    return Hello(
        protocol=str(protocol),
        server=_server(found.get("serverInfo"), found),
        capabilities=_object(found.get("capabilities")),
    )


def _server(info: Any, found: dict[str, Any]) -> dict[str, Any]:
    server = dict(info) if isinstance(info, dict) else {}
    if isinstance(found.get("instructions"), str):
        server["instructions"] = found["instructions"]
    return server


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _stranger(versions: str, revision: Any = "") -> Problem:
    return Problem(
        Code.UNSUPPORTED,
        f"the server speaks MCP revision {versions[:100]}, which is none of ours",
        hints=(f"known are {', '.join((*HANDSHAKE_PROTOCOL_VERSIONS, *MODERN_PROTOCOL_VERSIONS))}",),
        details={"revision": revision},
    )
