"""One request to one of the nine tools, in its conversation: what every one of them starts from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from periplus.core.gateway import Gateway
from periplus.faces.handshake.errors import refusal, violation
from periplus.faces.handshake.session import State, Talk
from periplus.faces.handshake.sites import ALL, CATALOG, Site
from periplus.model import Code, Principal, Problem, SourceRecord
from periplus.ports import Request
from periplus.settings import HandshakeSettings

CONNECT_EXAMPLE = 'connect_to_site(url="https://api.example.com")'


class Turn:
    """Who asks for what, and the state of their session as it was when they asked."""

    def __init__(
        self, gateway: Gateway, settings: HandshakeSettings, request: Request, talk: Talk, given: dict[str, Any]
    ) -> None:
        self.gateway = gateway
        self.settings = settings
        self.request = request
        self.talk = talk
        self.given = given  # the arguments, decoded and checked; `session` is not among them
        self.notes: list[str] = []
        self.state = State()

    @property
    def principal(self) -> Principal:
        return self.request.principal

    async def begin(self) -> Turn:
        """Read the session."""
        self.state = await self.talk.state()
        return self

    def gate(self) -> None:
        """Refuse whoever acts before the manifest was read; the first check of all (H-10, H-41)."""
        if not self.state.loaded:
            raise violation()

    async def authorize(self, site: Site) -> None:
        """The manifest is being answered: from now on this session may act."""
        if not self.talk.name and self.talk.minted == "":
            self.talk.distinguish()
        before = self.state.seen.get(site.id)
        if self.state.loaded and before == site.revision:
            return

        def edit(state: State) -> State:
            return msgspec.structs.replace(state, loaded=True, seen=state.seen | {site.id: site.revision})

        self.state = await self.talk.change(edit)

    async def paged(self, site: Site) -> None:
        """Say so when pages of one list come from different revisions (H-37)."""
        before = self.state.seen.get(site.id)
        if self.given.get("_offset", 0) and before is not None and before != site.revision:
            self.notes.append("the site has changed since the previous page; start again with _offset=0")
        if before != site.revision and self.talk.name:
            seen = {site.id: site.revision}
            self.state = await self.talk.change(lambda state: msgspec.structs.replace(state, seen=state.seen | seen))

    # --- sites ------------------------------------------------------------------------------------------------

    async def site(self) -> Site:
        """The site this request is about: as it says, else the active one (H-12, H-15)."""
        wanted = str(self.given.get("site") or "")
        if not wanted or wanted == "*":
            active = self.state.active or CATALOG
            if (found := await self.open(active)) is not None:
                return found
            raise self.disconnected()
        return await self._named(wanted)

    async def sites(self) -> Sequence[Site]:
        """All sites of the session, the active one first."""
        names = dict.fromkeys((self.state.active or CATALOG, CATALOG, *reversed(self.state.sites)))
        return [site for name in names if (site := await self.open(name)) is not None]

    async def all_sites(self) -> Site:
        """Everything the session has, as one site."""
        members = {record.id: (record, chart) for site in await self.sites() for record, chart in site.members}
        if not members:
            raise self.disconnected()
        return Site(ALL, tuple(members.values()))

    async def open(self, name: str) -> Site | None:
        """A site by its id, if the session has it and something of it is visible."""
        if name == CATALOG:
            members = await self.gateway.charts(_is_configured, principal=self.principal)
            return Site(CATALOG, members) if members else None
        members = await self.gateway.charts(lambda record: record.id == name, principal=self.principal)
        return Site(name, members) if members else None

    async def at(self, wanted: str) -> Site:
        """The site that a step names."""
        return await self._named(wanted)

    async def _named(self, wanted: str) -> Site:
        sites = await self.sites()
        if found := next((site for site in sites if site.answers_to(wanted)), None):
            return found
        hosts = [site for site in sites if site.is_at(wanted)]
        if len(hosts) == 1:
            return hosts[0]
        inside = next((site for site in sites if site.is_catalog and wanted in site.sources), None)
        if inside and (found := await self.open(wanted)) is not None:
            return found
        known = [site.id for site in sites]
        raise refusal(
            Code.SOURCE_NOT_FOUND,
            f"This session has no site {wanted[:120]!r}.",
            f"Use one of its sites: {', '.join(known)}." if known else f"Connect it: {CONNECT_EXAMPLE}.",
            valid_options=known,
        )

    def disconnected(self) -> Problem:
        """Nothing is connected and nothing configured (H-15)."""
        return refusal(
            Code.NOT_CONNECTED,
            "This session is not connected to any site.",
            "Call 'connect_to_site' first.",
            example=CONNECT_EXAMPLE,
            then=("connect_to_site", {"url": "https://api.example.com"}),
        )


def _is_configured(record: SourceRecord) -> bool:
    return record.spec.trusted and not record.spec.guests
