"""What a conversation remembers of the handshake: its sites, and whether the manifest was read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from periplus.core.facing import conversation
from periplus.core.gateway import Gateway
from periplus.ports import Request

SLOT = "handshake"
MOST_SITES = 32
_MARKS = 24  # how often within its time a session that is only read is written as used


class State(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The slot of one session."""

    sites: tuple[str, ...] = ()  # connected ones, newest last; the catalog's is there without being connected
    active: str = ""  # empty: the catalog's site
    loaded: bool = False  # whether the manifest was read since the last connect
    seen: dict[str, int] = {}  # site -> the revision its last list was made from
    connecting: str = ""  # the address of a site that is still being read
    named: str = ""  # the site id that was asked for there
    used: float = 0.0  # when it was last used, to within a share of the time after which it ends

    def attached(self, site: str) -> State:
        """With this site connected and active; the oldest one goes when there are too many."""
        others = tuple(one for one in self.sites if one != site)
        return msgspec.structs.replace(self, sites=(*others, site)[-MOST_SITES:], active=site, connecting="", named="")


class Talk:
    """One session of one principal. Without a name nothing tells its caller from others, and nothing is kept."""

    def __init__(self, gateway: Gateway, request: Request, explicit: str, idle_hours: float = 24.0) -> None:
        self._gateway = gateway
        self._idle_s = idle_hours * 3600
        self._request = request
        self.name = conversation(explicit, request)
        self.minted = ""  # the handle that was made for a caller without one

    async def state(self) -> State:
        if not self.name:
            return State()
        session = await self._gateway.session(self.name, principal=self._request.principal)
        state = self._living(_read(session.slots.get(SLOT, {})))
        if state.used and self._gateway.clock.now() - state.used > self._idle_s / _MARKS:
            return await self.change(lambda now: now)
        return state

    async def change(self, edit: Callable[[State], State]) -> State:
        """Change it whatever others do meanwhile; `edit` may be asked more than once."""
        if not self.name:
            return edit(State())

        def write(slot: dict[str, Any]) -> dict[str, Any]:
            state = edit(self._living(_read(slot)))
            made: dict[str, Any] = msgspec.to_builtins(msgspec.structs.replace(state, used=self._gateway.clock.now()))
            return made

        session = await self._gateway.change(self.name, SLOT, write, principal=self._request.principal)
        return _read(session.slots.get(SLOT, {}))

    def _living(self, state: State) -> State:
        """What is remembered, unless nobody used it for too long (H-8)."""
        return state if self._gateway.clock.now() - state.used <= self._idle_s else State()

    def mint(self) -> None:
        """Go on in a new session, whose handle the answer has to tell (H-6, H-7)."""
        self.minted = f"s_{self._gateway.clock.token(12).hex()}"
        self.name = conversation(self.minted, self._request)

    def distinguish(self) -> None:
        """A handle where nothing else tells this caller from others: what it does next is to be remembered."""
        if not self.name:
            self.mint()


def _read(slot: dict[str, Any]) -> State:
    return msgspec.convert(slot, State)
