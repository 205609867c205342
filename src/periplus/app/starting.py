"""How soon a serving process gives its first answer."""

from __future__ import annotations

import gc
import importlib

from periplus.hosts.sparing import without


def hurry() -> None:
    """Spend nothing on what only an HTTP server needs: the SDK takes uvicorn where it finds one."""
    with without("uvicorn"):
        importlib.import_module("mcp.server.lowlevel.server")


def hurried() -> None:
    """Collect garbage from now on, and only among what comes from now on; what was imported stays anyway."""
    gc.freeze()
    gc.enable()
