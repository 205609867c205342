"""What is kept for a while: results, conversations, and how full token buckets are."""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Sequence

import msgspec

from periplus.model import Code, Kept, Principal, Problem, Rate, Session
from periplus.stores.sqlite.queries import queries

_SQL = "ledger/values.sql"
_encode = msgspec.json.encode
_slots = msgspec.json.Decoder(dict[str, dict[str, object]]).decode


def keep(connection: sqlite3.Connection, kept: Kept) -> None:
    sql, values = queries(_SQL), msgspec.structs.asdict(kept)
    connection.execute(sql["keep"], values)
    connection.execute(sql["keep_value"], values)


def kept(connection: sqlite3.Connection, id_: str, now: float) -> Kept | None:
    sql, values = queries(_SQL), {"id": id_, "now": now}
    found = connection.execute(sql["kept"], values).fetchone()
    if found is None:
        return None
    connection.execute(sql["use_kept"], values)
    tenant, principal, tool, sealed, kept_at, ends_at = found
    return Kept(
        id=id_,
        tenant=tenant,
        principal=principal,
        tool=tool,
        sealed=sealed,
        kept_at=kept_at,
        used_at=now,
        ends_at=ends_at,
    )


def drop(connection: sqlite3.Connection, ids: Sequence[str]) -> None:
    sql = queries(_SQL)
    each = [{"id": id_} for id_ in ids]
    connection.executemany(sql["drop_value"], each)
    connection.executemany(sql["drop_one"], each)


def sweep(connection: sqlite3.Connection, now: float, idle_s: float) -> int:
    """Values that have ended or nobody used; buckets that have filled up are as good as none."""
    sql, values = queries(_SQL), {"now": now, "idle_since": now - idle_s}
    connection.execute(sql["drop_buckets"], values)
    connection.execute(sql["drop_values"], values)
    return connection.execute(sql["drop_kept"], values).rowcount


def session(
    connection: sqlite3.Connection, principal: Principal, id_: str, now: float, idle_s: float
) -> Session | None:
    sql = queries(_SQL)
    place = {"tenant": principal.tenant, "principal": principal.id, "id": id_}
    found = _live(connection, place, now, idle_s)
    if found is None:
        return None
    connection.execute(sql["use_session"], {**place, "now": now})
    version, slots, _ = found
    return Session(id=id_, principal=principal.id, tenant=principal.tenant, version=version, slots=_slots(slots))


def peek(
    connection: sqlite3.Connection, principal: Principal, id_: str, now: float, idle_s: float
) -> tuple[Session, float] | None:
    """The session, and when it was last used."""
    place = {"tenant": principal.tenant, "principal": principal.id, "id": id_}
    found = _live(connection, place, now, idle_s)
    if found is None:
        return None
    version, slots, used = found
    return Session(id=id_, principal=principal.id, tenant=principal.tenant, version=version, slots=_slots(slots)), used


def save(connection: sqlite3.Connection, session: Session, now: float, idle_s: float) -> Session:
    place = {"tenant": session.tenant, "principal": session.principal, "id": session.id}
    found = _live(connection, place, now, idle_s)
    if (found[0] if found else 0) != session.version:
        raise Problem(
            Code.CONFLICT,
            f"session {session.id[:60]!r} has changed meanwhile",
            hints=("read it again, then write",),
            retryable=True,
        )
    # Numbers of a conversation that was forgotten are not used again: nobody writes over the new one by mistake.
    before = connection.execute(queries(_SQL)["session"], place).fetchone()
    version = max(session.version, before[0] if before else 0) + 1
    connection.execute(
        queries(_SQL)["put_session"], {**place, "version": version, "now": now, "slots": _encode(session.slots)}
    )
    return msgspec.structs.replace(session, version=version)


def owner(connection: sqlite3.Connection, id_: str) -> Principal | None:
    found = connection.execute(queries(_SQL)["session_owner"], {"id": id_}).fetchone()
    return Principal(tenant=found[0], id=found[1]) if found else None


def recent(connection: sqlite3.Connection, principal: Principal | None, prefix: str, limit: int) -> list[Session]:
    values: dict[str, object] = {
        "tenant": principal.tenant if principal else None,
        "principal": principal.id if principal else None,
    }
    values |= {"prefix": prefix, "length": len(prefix), "limit": limit}
    rows = connection.execute(queries(_SQL)["recent_sessions"], values)
    return [
        Session(tenant=tenant, principal=owner_, id=id_, version=version, slots=_slots(slots))
        for tenant, owner_, id_, version, slots in rows
    ]


def end(connection: sqlite3.Connection, principal: Principal, id_: str) -> None:
    connection.execute(queries(_SQL)["end_session"], {"tenant": principal.tenant, "principal": principal.id, "id": id_})


def sweep_sessions(connection: sqlite3.Connection, now: float, idle_s: float) -> int:
    return connection.execute(queries(_SQL)["drop_sessions"], {"idle_since": now - idle_s}).rowcount


def draw(connection: sqlite3.Connection, bucket: str, rate: Rate, now: float) -> float:
    """A clock that was set back costs nobody a token."""
    if rate.capacity < 1:
        return math.inf
    sql = queries(_SQL)
    found = connection.execute(sql["bucket"], {"name": bucket}).fetchone()
    tokens, at = found or (rate.capacity, now)
    tokens = min(rate.capacity, tokens + max(0.0, now - at) * rate.per_second)
    if tokens < 1:
        return (1 - tokens) / rate.per_second if rate.per_second > 0 else math.inf
    left = tokens - 1
    full_at = now + (rate.capacity - left) / rate.per_second if rate.per_second > 0 else math.inf
    connection.execute(sql["put_bucket"], {"name": bucket, "tokens": left, "at": now, "full_at": full_at})
    return 0.0


def _live(
    connection: sqlite3.Connection, place: dict[str, str], now: float, idle_s: float
) -> tuple[int, bytes, float] | None:
    """Version, slots and last use of a session that was used lately enough."""
    found = connection.execute(queries(_SQL)["session"], place).fetchone()
    return (found[0], found[2], found[1]) if found and found[1] > now - idle_s else None
