"""The part of the tour that only asks: a GraphQL service and a Python function, called in the same way."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.text import Text

if TYPE_CHECKING:
    from periplus.core.gateway import Gateway

_PIRAEUS, _CHANIA = {"latitude": 37.94, "longitude": 23.64}, {"latitude": 35.52, "longitude": 24.02}
_CALLS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("sailors", {"ship": "Argo", "_select": "nodes { name rank }, totalCount"}),
    ("sailor", {"id": "4", "_select": "{ name vessel { name mates: crew(rank: MASTER) { name } } }"}),
    ("plot_course", {"start": _PIRAEUS, "end": _CHANIA, "speed_kn": 7.5}),
)


async def ask_around(out: Console, gateway: Gateway) -> None:
    """Each call, and what came of it."""
    for tool, arguments in _CALLS:
        result = await gateway.call(tool, arguments)
        out.print(Text.assemble((tool, "cyan"), f" {json.dumps(arguments)}"), soft_wrap=True)
        out.print(Text(f"  {json.dumps(result.value)}", style="green"), soft_wrap=True)
