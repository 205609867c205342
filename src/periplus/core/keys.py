"""API keys and the tokens they are exchanged for: made, recognised, taken back (T-21)."""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
from collections.abc import Iterable, Sequence

import msgspec

from periplus.core.seal import Seal
from periplus.model import ApiKey, Code, Principal, Problem
from periplus.ports import Clock, Keys

_MARK = "pk_"
_KEY = re.compile(r"pk_([0-9a-f]{12})_[A-Za-z0-9_-]{43}")
_ID_BYTES, _SECRET_BYTES = 6, 32
_SCOPE = re.compile(r"[\x21\x23-\x5B\x5D-\x7E]{1,100}")  # RFC 6749, appendix A.4
_NAME_MAX = 200
_PURPOSE, _LINK = "access token", "site link"
_TOKEN_S = 3600.0
_USE_S = 3600.0  # how exactly it is known when a key was last used


class Made(msgspec.Struct, frozen=True, kw_only=True):
    """A new key, shown this once."""

    key: str
    record: ApiKey


class Token(msgspec.Struct, frozen=True, kw_only=True):
    """What a client with a key gets to carry instead of it."""

    access_token: str
    expires_in: int
    scopes: tuple[str, ...]


class Link(msgspec.Struct, frozen=True, kw_only=True):
    """What stands in an address instead of a key, for clients that send none."""

    token: str
    record: ApiKey


class ApiKeys:
    """Keys by what is kept of them. A key is 256 random bits, so that its plain SHA-256 gives nothing away."""

    def __init__(self, keys: Keys, clock: Clock, seal: Seal) -> None:
        self._keys = keys
        self._clock = clock
        self._seal = seal

    async def make(self, holder: Principal, by: Principal, *, lasts_s: float | None, note: str) -> Made:
        """A new key for somebody; its maker is an administrator, of this tenant or of all."""
        _check_maker(by, holder.tenant)
        _check_holder(holder)
        now = self._clock.now()
        id_ = self._clock.token(_ID_BYTES).hex()
        secret = base64.urlsafe_b64encode(self._clock.token(_SECRET_BYTES)).rstrip(b"=").decode()
        key = f"{_MARK}{id_}_{secret}"
        record = ApiKey(
            id=id_,
            digest=_digest(key),
            principal=holder.id,
            tenant=holder.tenant,
            scopes=tuple(sorted(holder.scopes)),
            note=note[:_NAME_MAX],
            made_by=by.id,
            made_at=now,
            expires_at=now + lasts_s if lasts_s else 0.0,
        )
        await self._keys.add_key(record)
        return Made(key=key, record=record)

    async def listed(self, by: Principal) -> Sequence[ApiKey]:
        """The keys an administrator has a say in."""
        _check_maker(by, by.tenant)
        return await self._keys.keys(by.tenant or None)

    async def revoke(self, id_: str, by: Principal) -> ApiKey:
        """Take a key back, and with it the tokens that were made from it."""
        _check_maker(by, by.tenant)
        wanted = found[1] if (found := _KEY.fullmatch(id_)) else id_.removeprefix(_MARK)
        key = await self._keys.key(wanted)
        if key is None or (by.tenant and key.tenant != by.tenant):
            raise Problem(Code.NOT_FOUND, f"there is no key {wanted[:40]!r}", hints=("periplus keys list shows them",))
        return await self._keys.revoke_key(wanted, self._clock.now()) or key

    async def holder(self, shown: str) -> Principal:
        """Whoever shows this key, or a token made from one."""
        if not shown.startswith(_MARK):
            return await self._bearer(shown)
        return (await self._recognised(shown)).holder

    def is_own(self, shown: str) -> bool:
        """Whether this has the form of a key, or is a token that was made from one."""
        if shown.startswith(_MARK):
            return True
        try:
            self._seal.open(_PURPOSE, shown)
        except Problem:
            return False
        return True

    async def exchanged(self, client: str, secret: str, scopes: Iterable[str]) -> Token:
        """A token for a client: its id is that of its key, its secret the key; no scopes means all of its own."""
        key = await self._recognised(secret)
        if client.removeprefix(_MARK) != key.id:
            raise _unknown("the client id is not that of the key")
        wanted = tuple(sorted(set(scopes))) or key.scopes
        if not set(wanted) <= set(key.scopes):
            raise Problem(
                Code.FORBIDDEN, f"this client may not have the scope {' '.join(set(wanted) - set(key.scopes))[:200]!r}"
            )
        token = self._seal.seal(_PURPOSE, [key.id, list(wanted)], _TOKEN_S)
        return Token(access_token=token, expires_in=int(_TOKEN_S), scopes=wanted)

    async def link(self, id_: str, by: Principal) -> Link:
        """A word for the address of a site that is one key's alone; it ends with the key."""
        _check_maker(by, by.tenant)
        key = await self._keys.key(id_.removeprefix(_MARK)[:40])
        if key is None or (by.tenant and key.tenant != by.tenant):
            raise Problem(Code.NOT_FOUND, f"there is no key {id_[:40]!r}", hints=("periplus keys list shows them",))
        key = await self._live(key)
        lasts = key.expires_at - self._clock.now() if key.expires_at else None
        return Link(token=self._seal.seal(_LINK, [key.id], lasts), record=key)

    async def linked(self, token: str) -> Principal:
        """Whose site an address is of."""
        try:
            (id_,) = self._seal.open(_LINK, token)
        except Problem as problem:
            raise Problem(
                Code.UNAUTHENTICATED,
                "this address leads nowhere, or no longer",
                hints=("ask its operator for another",),
            ) from problem
        key = await self._keys.key(id_)
        if key is None:
            raise _unknown("its key is gone")
        return (await self._live(key)).holder

    async def _recognised(self, shown: str) -> ApiKey:
        found = _KEY.fullmatch(shown)
        key = await self._keys.key(found[1]) if found else None
        if key is None or not hmac.compare_digest(key.digest, _digest(shown)):
            raise _unknown("it is not known here")
        return await self._live(key)

    async def _bearer(self, token: str) -> Principal:
        try:
            id_, scopes = self._seal.open(_PURPOSE, token)
        except Problem as problem:
            raise _unknown(problem.message) from problem
        key = await self._keys.key(id_)
        if key is None:
            raise _unknown("its key is gone")
        holder = (await self._live(key)).holder
        return msgspec.structs.replace(holder, scopes=frozenset(scopes))

    async def _live(self, key: ApiKey) -> ApiKey:
        now = self._clock.now()
        state = key.state(now)
        if state != "active":
            raise _unknown(f"it has been {state}" if state == "revoked" else "it has expired")
        if now - key.used_at > _USE_S:
            await self._keys.use_key(key.id, now)
        return key


def _digest(key: str) -> str:
    return hashlib.sha256(key.encode()).hexdigest()


def _unknown(why: str) -> Problem:
    return Problem(
        Code.UNAUTHENTICATED,
        f"the key or token is not accepted: {why}",
        hints=("an administrator makes keys with: periplus keys add",),
    )


def _check_maker(by: Principal, tenant: str) -> None:
    if not by.is_admin or (by.tenant and by.tenant != tenant):
        raise Problem(Code.FORBIDDEN, f"{by.id} may not manage these keys", hints=('it takes the scope "admin"',))


def _check_holder(holder: Principal) -> None:
    for what, text in (("principal", holder.id), ("tenant", holder.tenant)):
        if len(text) > _NAME_MAX or not text.isprintable() or (what == "principal" and not text.strip()):
            raise Problem(Code.BAD_INPUT, f"{text[:60]!r} is no name of a {what}", hints=("use a short plain word",))
    for scope in holder.scopes:
        if not _SCOPE.fullmatch(scope):
            raise Problem(Code.BAD_INPUT, f"{scope[:60]!r} is no scope", hints=("a scope is one word without quotes",))
