"""Keys that callers show. What changes lies in columns; the rest is as it was made."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import Any

import msgspec

from periplus.model import ApiKey, Code, Problem
from periplus.stores.sqlite.queries import queries

_SQL = "ledger/keys.sql"
_encode = msgspec.json.encode
_decode = msgspec.json.Decoder(ApiKey).decode


def add(connection: sqlite3.Connection, key: ApiKey) -> None:
    values = {name: getattr(key, name) for name in ("id", "tenant", "made_at", "revoked_at", "used_at")}
    if not connection.execute(queries(_SQL)["add"], values | {"body": _encode(key)}).rowcount:
        raise Problem(Code.CONFLICT, f"there is a key {key.id[:60]!r} already")


def get(connection: sqlite3.Connection, id_: str) -> ApiKey | None:
    found = connection.execute(queries(_SQL)["get"], {"id": id_}).fetchone()
    return _key(found) if found else None


def listed(connection: sqlite3.Connection, tenant: str | None) -> Sequence[ApiKey]:
    return [_key(row) for row in connection.execute(queries(_SQL)["list"], {"tenant": tenant})]


def revoke(connection: sqlite3.Connection, id_: str, now: float) -> ApiKey | None:
    connection.execute(queries(_SQL)["revoke"], {"id": id_, "now": now})
    return get(connection, id_)


def use(connection: sqlite3.Connection, id_: str, now: float) -> None:
    connection.execute(queries(_SQL)["use"], {"id": id_, "now": now})


def _key(row: Sequence[Any]) -> ApiKey:
    body, revoked_at, used_at = row
    return msgspec.structs.replace(_decode(body), revoked_at=revoked_at, used_at=used_at)
