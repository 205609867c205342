"""A call: how it will be sent, what came back, and what its caller is shown."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

import msgspec

from periplus.model.ref import ToolRef


class Action(StrEnum):
    """What somebody wants to do with a tool."""

    DISCOVER = "discover"
    DESCRIBE = "describe"
    CALL = "call"
    CONNECT = "connect"


class Verdict(StrEnum):
    """What a policy says to it."""

    ALLOW = "allow"
    ASK = "ask"
    DENY = "deny"


class Decision(msgspec.Struct, frozen=True, kw_only=True):
    """A verdict, and the rule it comes from."""

    verdict: Verdict
    rule: str  # "rule 3", "default for destroy": what an operator looks for in the policy
    reason: str = ""


class Prepared(msgspec.Struct, frozen=True, kw_only=True):
    """A call as it will be sent, but for credentials. What policy judged is what goes out, byte for byte (S-61)."""

    method: str  # "GET", "tools/call", "python"
    origin: str  # "https://api.example.com", "mcp:tides", "python:periplus.demo.charts:plot_course"
    template: str = ""  # "/berths/{code}"; "mutation addShip"; a name
    path: str = ""  # the same with its values, encoded
    size: int = 0  # bytes of the body
    notes: tuple[str, ...] = ()
    wire: Any = None  # the transport's own form


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """What a transport brings back from a call that went well."""

    value: Any = None
    meta: dict[str, Any] = {}  # http_status, media_type, bytes, headers, next, poll
    notes: tuple[str, ...] = ()
    content: tuple[dict[str, Any], ...] = ()  # further MCP content: images, audio, links
    files: dict[str, bytes] = {}  # by sha256: what `{"$file": ...}` in the value stands for
    truncated: bool = False
    verbatim: bool = False  # a result of the caller's own protocol, to be given on as it is


class Result(msgspec.Struct, frozen=True, kw_only=True):
    """What a caller is given: the value, or the part of it that fits, and where the whole lies."""

    tool: ToolRef
    value: Any = None
    meta: dict[str, Any] = {}
    notes: tuple[str, ...] = ()
    content: tuple[dict[str, Any], ...] = ()
    handle: str = ""  # of the whole, when `value` is a part of it or names files
    truncated: bool = False
    run: str = ""  # a handle on what goes on upstream after this answer
    trace: str = ""
