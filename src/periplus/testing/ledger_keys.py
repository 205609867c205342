"""What keys promise: kept as they were made, revoked once and for good, and a tenant's are its own."""
# ruff: noqa: S101 - assert is how pytest speaks; a test's name says what it shows

from __future__ import annotations

import msgspec
import pytest

from periplus.model import ApiKey, Code, Problem
from periplus.ports import Keys


def make_key(id_: str = "k1", tenant: str = "", made_at: float = 1.0) -> ApiKey:
    """A key with everything in it that a test did not say."""
    return ApiKey(
        id=id_,
        digest=f"of {id_}",
        principal="ann",
        tenant=tenant,
        scopes=("admin",),
        note="mine",
        made_by="bea",
        made_at=made_at,
        expires_at=100.0,
    )


class LedgerKeys:
    """`add_key`, `key`, `keys`, `revoke_key`, `use_key`."""

    async def test_a_key_is_kept_as_it_was_made(self, ledger: Keys) -> None:
        """T-21."""
        await ledger.add_key(make_key())
        assert await ledger.key("k1") == make_key()
        assert await ledger.key("k2") is None
        with pytest.raises(Problem) as caught:
            await ledger.add_key(make_key())
        assert caught.value.code is Code.CONFLICT

    async def test_keys_are_listed_in_order_and_by_tenant(self, ledger: Keys) -> None:
        """T-22."""
        for id_, tenant, at in (("b", "red", 2.0), ("a", "blue", 3.0), ("c", "", 1.0)):
            await ledger.add_key(make_key(id_, tenant, at))
        assert [key.id for key in await ledger.keys(None)] == ["c", "b", "a"]
        assert [key.id for key in await ledger.keys("red")] == ["b"]
        assert not await ledger.keys("green")

    async def test_a_key_is_revoked_once_and_for_good(self, ledger: Keys) -> None:
        """T-21."""
        await ledger.add_key(make_key())
        assert await ledger.revoke_key("k1", 5.0) == msgspec.structs.replace(make_key(), revoked_at=5.0)
        again = await ledger.revoke_key("k1", 9.0)
        assert again is not None
        assert again.revoked_at == 5.0
        assert await ledger.revoke_key("k2", 9.0) is None

    async def test_the_last_use_of_a_key_is_known(self, ledger: Keys) -> None:
        await ledger.add_key(make_key())
        await ledger.use_key("k1", 7.0)
        await ledger.use_key("k1", 6.0)
        await ledger.use_key("k2", 6.0)
        found = await ledger.key("k1")
        assert found is not None
        assert found.used_at == 7.0
