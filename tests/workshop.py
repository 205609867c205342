"""From a module's text to its tools, through the gateway."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import Any

from periplus.core.gateway import Gateway
from periplus.model import LoadReport, SourceSpec, Tool

IMPORTS = """
    from __future__ import annotations
    import dataclasses, datetime as dt, decimal, enum, pathlib, uuid
    from collections.abc import AsyncIterator, Iterator, Sequence
    from dataclasses import dataclass, field
    from typing import Annotated, Any, Generic, Literal, NamedTuple, NewType, NotRequired, Optional, TypedDict, TypeVar
    import msgspec
    import pydantic
    from periplus.provider import CallContext, Example, Registry, ToolError, tool
"""


class Workshop:
    """A gateway, and the directory in which modules are written for it."""

    def __init__(self, gateway: Gateway, directory: Path) -> None:
        self.gateway = gateway
        self.directory = directory
        self.report: LoadReport

    def write(self, text: str, name: str = "shop.py") -> Path:
        file = self.directory / name
        file.write_text(textwrap.dedent(IMPORTS) + textwrap.dedent(text))
        return file

    async def read(self, text: str, target: str = "", **more: Any) -> dict[str, Tool]:
        """The tools of a module of this text, by leaf."""
        file = self.write(text)
        return await self.connect(f"{file}:{target}" if target else str(file), **more)

    async def connect(self, url: str, **more: Any) -> dict[str, Tool]:
        spec = SourceSpec(id="shop", kind="python", url=url, cwd=str(self.directory), **more)
        self.report = await self.gateway.connect(spec)
        return await self.tools()

    async def tools(self) -> dict[str, Tool]:
        page = await self.gateway.browse("shop", deep=True, limit=500)
        return {line.ref.leaf: await self.gateway.describe(str(line.ref)) for line in page.tools}

    async def argument(self, hint: str, before: str = "") -> dict[str, Any]:
        """The schema of one argument of this hint, with the definitions it reaches."""
        tools = await self.read(f"{textwrap.dedent(before)}\ndef take(it: {hint}) -> None: ...\n")
        schema = tools["take"].args_schema
        assert schema["required"] == ["it"]
        assert schema["additionalProperties"] is False
        found: dict[str, Any] = schema["properties"]["it"]
        return found | ({"$defs": schema["$defs"]} if "$defs" in schema else {})

    def said(self) -> list[tuple[str, str, str]]:
        """The findings of the last read: code, operation, message."""
        return [(each.code.value, each.operation, each.message) for each in self.report.problems]
