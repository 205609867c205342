"""Calls as text: what a page prints for its reader to call next works when it is copied."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec


def json_text(value: Any) -> str:
    """Compact JSON."""
    return msgspec.json.encode(value).decode()


def call_text(tool: str, arguments: Mapping[str, Any]) -> str:
    """`get_landmarks(_offset=100)`; only what was said stands in it."""
    said = (f"{name}={json_text(value)}" for name, value in arguments.items() if value is not None)
    return f"{tool}({', '.join(said)})"


def action_text(action: str, parameters: Mapping[str, Any], **more: Any) -> str:
    """`call_action(action='berths:reserve', parameters={"berth":"B4"})`."""
    rest = "".join(f", {name}={json_text(value)}" for name, value in more.items() if value is not None)
    return f"call_action(action='{action}', parameters={json_text(parameters)}{rest})"
