"""What conversations remember, where any replica finds it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from periplus.model import Event, Principal, Session


class Sessions(Protocol):
    """Sessions of principals; one principal's are another's as little as if they did not exist."""

    async def session(self, principal: Principal, id_: str, now: float, idle_s: float) -> Session | None:
        """The session, or None when there is none or nobody used it for so long.

        This counts as a use, to within a hundredth of `idle_s`.
        """
        ...

    async def peek(self, principal: Principal, id_: str, now: float, idle_s: float) -> Session | None:
        """The same, which does not count as a use: for whoever writes it next."""
        ...

    async def save(self, session: Session, now: float, idle_s: float) -> Session:
        """Write it if the stored version is the one it was read at; then one higher. Else `conflict`.

        Version 0 is a session that is not stored yet, or was idle for so long.
        """
        ...

    async def advance(self, session: Session, event: Event, now: float, idle_s: float) -> Session:
        """Write it as `save` does, and the row of the trail that tells why, in one transaction: both or neither."""
        ...

    async def owner(self, id_: str) -> Principal | None:
        """Whose session that is, whoever asks; one that was idle for long counts too."""
        ...

    async def recent(self, principal: Principal | None, prefix: str, limit: int) -> Sequence[Session]:
        """Sessions whose id begins so, the last used first; None: everybody's."""
        ...

    async def end(self, principal: Principal, id_: str) -> None:
        """Forget it."""
        ...

    async def sweep_sessions(self, now: float, idle_s: float) -> int:
        """Forget all that nobody used for so long; how many."""
        ...
