"""Whether a serving gateway can answer, and what that rests on (T-10)."""

from __future__ import annotations

from periplus.core.gateway import Gateway
from periplus.model import Problem, SourceState


async def readiness(gateway: Gateway, *, told: bool) -> list[tuple[str, bool, str]]:
    """What readiness rests on; sources are `told` by name only where everybody may know them."""
    try:
        revision, records = await gateway.revision(), await gateway.sources()
    except Problem as problem:
        return [("store", False, problem.message)]
    tools = sum(record.tools for record in records)
    return [
        ("store", True, f"revision {revision}, {tools} tools"),
        await _index(gateway, revision, tools),
        (
            "sources",
            True,
            f"{sum(record.state is SourceState.OK for record in records)} of {len(records)} are as they should be",
        ),
        *((f"source {record.id}", True, record.state.value) for record in records if told),
    ]


async def _index(gateway: Gateway, revision: int, tools: int) -> tuple[str, bool, str]:
    """Searches can be answered; that the index is a little behind costs the next one some time, and no more."""
    try:
        indexed = await gateway.indexed()
    except Problem as problem:
        return ("index", False, problem.message)
    if indexed == revision or not tools:
        return ("index", True, f"revision {indexed}")
    return ("index", indexed > 0, f"revision {indexed} of {revision}; it is being brought up")
