"""Periplus: from a goal to the right, validated, permitted, recorded call.

async with periplus.open("sqlite:///harbour") as gateway:
    await gateway.connect("https://api.example.com/openapi.json")
    listing = await gateway.browse()
    tool = await gateway.describe("listBerths")
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from periplus.app import open  # noqa: A004 - `periplus.open(...)` is how it is meant to read
    from periplus.app.evaluating import evaluate
    from periplus.core.gateway import Gateway
    from periplus.model import Problem, SourceSpec, Tool

__all__ = ["Gateway", "Problem", "SourceSpec", "Tool", "evaluate", "open"]

_HOMES = {
    "evaluate": "periplus.app.evaluating",
    "open": "periplus.app",
    "Gateway": "periplus.core.gateway",
    "Problem": "periplus.model",
    "SourceSpec": "periplus.model",
    "Tool": "periplus.model",
}


def __getattr__(name: str) -> Any:
    """Public names, imported when they are first used: `import periplus` alone stays instant."""
    if name not in _HOMES:
        raise AttributeError(f"module 'periplus' has no attribute {name!r}")
    import importlib  # noqa: PLC0415 - see above

    return getattr(importlib.import_module(_HOMES[name]), name)
