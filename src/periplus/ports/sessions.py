"""What conversations remember, where any replica finds it."""

from __future__ import annotations

from typing import Protocol

from periplus.model import Principal, Session


class Sessions(Protocol):
    """Sessions of principals; one principal's are another's as little as if they did not exist."""

    async def session(self, principal: Principal, id_: str, now: float, idle_s: float) -> Session | None:
        """The session, which counts as a use; None when there is none or nobody used it for so long."""
        ...

    async def save(self, session: Session, now: float, idle_s: float) -> Session:
        """Write it if the stored version is the one it was read at; then one higher. Else `conflict`.

        Version 0 is a session that is not stored yet, or was idle for so long.
        """
        ...

    async def end(self, principal: Principal, id_: str) -> None:
        """Forget it."""
        ...

    async def sweep_sessions(self, now: float, idle_s: float) -> int:
        """Forget all that nobody used for so long; how many."""
        ...
