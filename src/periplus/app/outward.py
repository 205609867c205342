# ruff: noqa: ARG002 - what is refused needs no arguments
"""A way out that is not built yet: it says so."""

from __future__ import annotations

from typing import Any

from periplus.model import Code, Problem, SourceSpec
from periplus.ports import Calling


class NoMcp:
    """Calls to MCP servers, before there are any."""

    async def call(self, spec: SourceSpec, method: str, params: dict[str, Any], calling: Calling) -> dict[str, Any]:
        raise Problem(Code.UNSUPPORTED, f"{spec.id}: {method}: calls to MCP servers come soon")
