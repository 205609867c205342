"""The tide gauge: an MCP server over stdio (`python -m periplus.demo.tides`)."""

from __future__ import annotations

import math
from typing import Annotated, Literal

from mcp.server import MCPServer
from mcp_types import ToolAnnotations
from pydantic import Field

server = MCPServer("Tide gauge", version="1.2.0", instructions="Heights are metres above chart datum.")
_PERIOD_H = 12.42

Station = Annotated[Literal["harbour", "bar", "roads"], Field(description="Where the gauge stands")]


@server.tool(annotations=ToolAnnotations(read_only_hint=True), title="Tide height")
def tide_height(
    station: Station, hour: Annotated[float, Field(ge=0, le=240, description="Hours from now")] = 0
) -> float:
    """Predict the height of the tide at a station."""
    phase = {"harbour": 0.0, "bar": 0.6, "roads": 1.1}[station]
    return round(2.1 + 1.7 * math.cos(2 * math.pi * (hour / _PERIOD_H) + phase), 2)


@server.tool(annotations=ToolAnnotations(read_only_hint=True))
def next_high_water(station: Station) -> dict[str, float]:
    """Tell when the next high water comes, and how high it is."""
    hours = min((hour / 10 for hour in range(130)), key=lambda hour: -tide_height(station, hour))
    return {"in_hours": hours, "height_m": tide_height(station, hours)}


@server.tool(annotations=ToolAnnotations(destructive_hint=True, idempotent_hint=True))
def reset_gauge(station: Station) -> str:
    """Erase a gauge's log and start it again."""
    return f"{station}: log erased, gauge restarted"


@server.tool()
def report_sounding(station: Station, depth_m: Annotated[float, Field(gt=0)]) -> str:
    """Report a depth measured by hand."""
    return f"{station}: {depth_m:g} m noted"


if __name__ == "__main__":
    server.run()
