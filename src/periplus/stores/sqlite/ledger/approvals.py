"""Questions put to a person, each of which is answered once and spent once."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

import msgspec

from periplus.model import Approval, ApprovalState, Code, Problem
from periplus.stores.sqlite.queries import queries

_SQL = "ledger/approvals.sql"
_encode = msgspec.json.encode
_decode = msgspec.json.Decoder(Approval).decode


def ask(connection: sqlite3.Connection, approval: Approval) -> Approval:
    sql = queries(_SQL)
    same = connection.execute(sql["same"], {"binding": approval.binding, "now": approval.asked_at}).fetchone()
    if same:
        return _decode(same[0])
    values = {name: getattr(approval, name) for name in ("id", "binding", "tenant", "asked_at", "expires_at")}
    values |= {"state": approval.state.value, "body": _encode(approval)}
    if not connection.execute(sql["add"], values).rowcount:
        raise Problem(Code.CONFLICT, f"there is an approval {approval.id[:60]!r} already")
    return approval


def get(connection: sqlite3.Connection, id_: str) -> Approval | None:
    found = connection.execute(queries(_SQL)["get"], {"id": id_}).fetchone()
    return _decode(found[0]) if found else None


def listed(
    connection: sqlite3.Connection, tenant: str | None, state: ApprovalState | None, after: str, limit: int
) -> Sequence[Approval]:
    values = {"tenant": tenant, "state": state and state.value, "after": after, "limit": limit}
    return [_decode(body) for (body,) in connection.execute(queries(_SQL)["list"], values)]


def settle(connection: sqlite3.Connection, approval: Approval) -> Approval:
    """Only what the answer says is taken over: the question stays as it was asked."""
    stored = get(connection, approval.id)
    if stored is None:
        raise Problem(
            Code.NOT_FOUND,
            f"there is no approval {approval.id[:60]!r}",
            hints=("`periplus approvals` lists those that wait",),
        )
    if fault := _unsettleable(stored, approval.settled_at):
        raise Problem(Code.CONFLICT, f"approval {approval.id} {fault}", hints=("ask again with the same call",))
    said = {name: getattr(approval, name) for name in ("state", "settled_by", "settled_at", "settled_why", "grant")}
    return _change(connection, msgspec.structs.replace(stored, **said))


def spend(connection: sqlite3.Connection, id_: str, binding: str, now: float) -> Approval:
    stored = get(connection, id_)
    fault = _unspendable(stored, binding, now) if stored else "is not known here"
    if stored is None or fault:
        raise Problem(Code.CONFLICT, f"approval {id_[:60]} {fault}", hints=("call without it to ask anew",))
    return _change(connection, msgspec.structs.replace(stored, state=ApprovalState.SPENT))


def expire(connection: sqlite3.Connection, now: float) -> int:
    bodies = connection.execute(queries(_SQL)["overdue"], {"now": now}).fetchall()
    for (body,) in bodies:
        _change(connection, msgspec.structs.replace(_decode(body), state=ApprovalState.EXPIRED))
    return len(bodies)


def _change(connection: sqlite3.Connection, approval: Approval) -> Approval:
    values = {"id": approval.id, "state": approval.state.value, "body": _encode(approval)}
    connection.execute(queries(_SQL)["change"], values)
    return approval


def _unsettleable(stored: Approval, now: float) -> str:
    if stored.state is not ApprovalState.PENDING:
        return f"is {stored.state.value} already"
    return "has expired" if stored.expires_at <= now else ""


def _unspendable(stored: Approval, binding: str, now: float) -> str:
    """Why an approval cannot be used for this; nothing if it can."""
    if stored.binding != binding:
        return "was given for another call: other arguments, tool, policy or principal"
    if stored.state is ApprovalState.SPENT:
        return "was used already"
    if stored.state is not ApprovalState.GRANTED:
        return f"is {stored.state.value}, not granted"
    return "has expired" if stored.expires_at <= now else ""
