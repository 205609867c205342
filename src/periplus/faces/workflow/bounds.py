"""How large arguments may be; what is larger is refused with its size before anything else looks at it (W-44)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from periplus.model import Code, Problem

_BYTES = {"transition_condition": 1024, "session_token": 16 << 10}
_CHARACTERS = {"agent_id": 128}
_MANIFESTS = ("step_manifest", "activity_manifest")
_ENTRIES, _MANIFEST_BYTES = 500, 64 << 10
_TRACES = 200


def check_bounds(arguments: Mapping[str, Any]) -> None:
    """Refuse an argument over its bound."""
    for name, most in _BYTES.items():
        if isinstance(arguments.get(name), str):
            _check(name, len(arguments[name].encode()), most, "bytes")
    for name, most in _CHARACTERS.items():
        if isinstance(arguments.get(name), str):
            _check(name, len(arguments[name]), most, "characters")
    for name in _MANIFESTS:
        if isinstance(arguments.get(name), list):
            _check(name, len(arguments[name]), _ENTRIES, "entries")
            _check(name, len(msgspec.json.encode(arguments[name])), _MANIFEST_BYTES, "bytes")
    if isinstance(arguments.get("trace_tokens"), list):
        _check("trace_tokens", len(arguments["trace_tokens"]), _TRACES, "tokens")


def _check(name: str, size: int, most: int, unit: str) -> None:
    if size > most:
        raise Problem(
            Code.TOO_LARGE, f"{name} has {size} {unit}; {most} are the most", hints=(f"send a shorter {name}",)
        )
