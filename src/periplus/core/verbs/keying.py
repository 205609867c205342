"""The verb grant, for keys: who may come in at all."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from periplus.core.keys import Link, Made, Token
from periplus.core.wired import Wired
from periplus.model import LOCAL, ApiKey, Principal


class KeyVerbs(Wired):
    """Keys of callers over HTTP."""

    async def issue_key(
        self, holder: Principal, *, principal: Principal = LOCAL, lasts_s: float | None = None, note: str = ""
    ) -> Made:
        """A new API key for somebody; only its digest is kept, so it is shown here and never again."""
        async with self._audit.event("grant", principal, holder.id) as audit:
            made = await self._keys.make(holder, principal, lasts_s=lasts_s, note=note)
            record = made.record
            audit.add(op="issue_key", id=record.id, for_tenant=record.tenant, scopes=list(record.scopes))
        return made

    async def keys(self, *, principal: Principal = LOCAL) -> Sequence[ApiKey]:
        """What is known of the keys that an administrator has a say in."""
        return await self._keys.listed(principal)

    async def revoke_key(self, id_: str, *, principal: Principal = LOCAL) -> ApiKey:
        """Take a key back: it and the tokens made from it are refused from now on, in every process."""
        async with self._audit.event("grant", principal) as audit:
            audit.add(op="revoke_key")
            key = await self._keys.revoke(id_, principal)
            audit.about(key.principal)
            audit.add(id=key.id)
        return key

    async def link_site(self, key: str, *, principal: Principal = LOCAL) -> Link:
        """An address for a client that sends no key of its own: whoever has it is the key's holder, until it ends."""
        async with self._audit.event("grant", principal) as audit:
            audit.add(op="link_site")
            link = await self._keys.link(key, principal)
            audit.about(link.record.principal)
            audit.add(id=link.record.id)
        return link

    async def holder_of_link(self, token: str) -> Principal:
        """Whose site an address is of; `unauthenticated` when it is unknown, or its key ended or was taken back."""
        return await self._keys.linked(token)

    async def holder_of(self, key_or_token: str) -> Principal:
        """Whoever shows this; `unauthenticated` when it is unknown, expired or revoked."""
        return await self._keys.holder(key_or_token)

    def is_own_key(self, key_or_token: str) -> bool:
        """Whether it is a key or token of this gateway: such are shown to nobody else."""
        return self._keys.is_own(key_or_token)

    async def exchange_key(self, client: str, secret: str, scopes: Iterable[str] = ()) -> Token:
        """A token for an hour to a client that shows its key's id and its key (OAuth client credentials)."""
        return await self._keys.exchanged(client, secret, scopes)
