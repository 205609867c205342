"""Whether a server speaks Tool Discovery & Expansion as it is specified: any server, whatever its catalog (E-42).

    outcomes = await conformance(ask)

`ask(operation, body)` sends a request and gives the HTTP status and the decoded answer. Nothing is called that could do
anything: calls are made unread, or with arguments that no schema takes.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator

import msgspec

from periplus.testing.expansion_errors import ERRORS
from periplus.testing.expansion_finding import FINDING
from periplus.testing.expansion_reading import READING
from periplus.testing.expansion_server import Ask, Deviation, Server

Check = Callable[[Server], Awaitable[None]]


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """One promise of the protocol, and how the server broke it; nothing where it kept it."""

    promise: str
    deviation: str = ""
    skipped: str = ""  # why this catalog cannot show it

    @property
    def is_kept(self) -> bool:
        return not self.deviation


def checks() -> Iterator[tuple[str, Check]]:
    """Every promise that is checked, in the order of the specification."""
    for check in (*FINDING, *READING, *ERRORS):
        yield (check.__doc__ or check.__name__).strip().removesuffix("."), check


async def conformance(ask: Ask) -> list[Outcome]:
    """Check every promise; one that is broken ends none of the others."""
    server = Server(ask)
    outcomes: list[Outcome] = []
    for promise, check in checks():
        try:
            await check(server)
            outcomes.append(Outcome(promise=promise))
        except Deviation as deviation:
            outcomes.append(Outcome(promise=promise, deviation=str(deviation)))
        except LookupError as reason:
            outcomes.append(Outcome(promise=promise, skipped=str(reason.args[0])))
    return outcomes


__all__ = ["Ask", "Deviation", "Outcome", "checks", "conformance"]
