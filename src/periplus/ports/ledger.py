"""What happened, what waits for a person, what was kept, how often: all that calls leave behind.

Apart from the catalog, so that a call never waits for a source that is being written.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from typing import Protocol

from periplus.model import Approval, ApprovalState, Event, EventFilter, Kept, Rate, Recorded


class Ledger(Protocol):
    """Every method is one transaction; what has returned outlives the process.

    Not here: what is allowed, what is redacted, what a token says. Those are the core's.
    """

    # --- audit: rows are only ever added, each chained to the one before (`chained`) ---------------------------

    async def record(self, event: Event) -> Recorded:
        """Add a row. Callers at the same time share one transaction."""
        ...

    async def events(self, which: EventFilter, after: int, limit: int) -> Sequence[Recorded]:
        """Rows after a number, oldest first."""
        ...

    async def latest(self, which: EventFilter, before: int | None, limit: int) -> Sequence[Recorded]:
        """Rows before a number (None: up to now), newest first."""
        ...

    async def tip(self) -> tuple[int, str]:
        """Number and hash of the last row, kept apart from it: a cut tail shows. `(0, START)` at first."""
        ...

    # --- approvals ------------------------------------------------------------------------------------------

    async def ask(self, approval: Approval) -> Approval:
        """Put a question; one with the same binding that is pending or granted, and not expired, is given back."""
        ...

    async def approval(self, id_: str) -> Approval | None: ...

    async def approvals(
        self, tenant: str | None, state: ApprovalState | None, after: str, limit: int
    ) -> Sequence[Approval]:
        """In order of `(asked_at, id)`, those after an id."""
        ...

    async def settle(self, approval: Approval) -> Approval:
        """Write the answer to a pending question. `conflict` when it is not pending any more; `not_found`."""
        ...

    async def spend(self, id_: str, binding: str, now: float) -> Approval:
        """Use a granted approval, once and for this binding alone; anything else is a `conflict` that says why."""
        ...

    # --- results --------------------------------------------------------------------------------------------

    async def keep(self, kept: Kept) -> None: ...

    async def kept(self, id_: str, now: float) -> Kept | None:
        """The value, which counts as a use; None when there is none or it has ended."""
        ...

    async def drop(self, ids: Sequence[str]) -> None:
        """Remove values before their time; those that are not there do not matter."""
        ...

    async def sweep(self, now: float, idle_s: float) -> int:
        """Remove values that have ended or were not used for so long, and expire old questions; how many."""
        ...

    # --- limits ---------------------------------------------------------------------------------------------

    async def draw(self, bucket: str, rate: Rate, now: float) -> float:
        """Take one token: 0.0, or the seconds until there is one."""
        ...

    async def close(self) -> None: ...


LedgerFactory = AbstractAsyncContextManager[Ledger]
