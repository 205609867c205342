"""The trail: rows chained one to the next inside somebody else's transaction."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

import msgspec

from periplus.model import VERBS, Event, EventFilter, Recorded, chained, event_text
from periplus.stores.sqlite.queries import queries

_SQL = "ledger/audit.sql"
_LAST = (1 << 63) - 1
_AT_ONCE = 64  # rows in one statement: threads of one interpreter wait for each other at every statement
_decode = msgspec.json.Decoder(Event).decode


def record(connection: sqlite3.Connection, events: Sequence[Event]) -> list[Recorded]:
    """The transaction holds the file, so nobody else adds a row between reading the tip and moving it."""
    sql = queries(_SQL)
    last, previous = connection.execute(sql["tip"]).fetchone()
    rows = _chain(last, previous.hex(), events)
    for start in range(0, len(rows), _AT_ONCE):
        some = rows[start : start + _AT_ONCE]
        values = [value for row in some for value in _columns(row)]
        connection.execute(sql["add"] + ", (?, ?, ?, ?)" * (len(some) - 1), values)
    connection.execute(sql["move_tip"], (rows[-1].seq, bytes.fromhex(rows[-1].hash)))
    return rows


def _chain(last: int, previous: str, events: Sequence[Event]) -> list[Recorded]:
    rows: list[Recorded] = []
    for seq, event in enumerate(events, last + 1):
        hash_ = chained(seq, event_text(event), previous)
        rows.append(Recorded(seq=seq, event=event, previous=previous, hash=hash_))
        previous = hash_
    return rows


def _columns(row: Recorded) -> tuple[int, str, bytes, bytes]:
    return row.seq, event_text(row.event).decode(), bytes.fromhex(row.previous), bytes.fromhex(row.hash)


def tip(connection: sqlite3.Connection) -> tuple[int, str]:
    seq, hash_ = connection.execute(queries(_SQL)["tip"]).fetchone()
    return seq, hash_.hex()


def events(connection: sqlite3.Connection, which: EventFilter, after: int, limit: int) -> list[Recorded]:
    return _rows(connection, "events", which, {"after": after, "limit": limit})


def latest(connection: sqlite3.Connection, which: EventFilter, before: int | None, limit: int) -> list[Recorded]:
    return _rows(connection, "latest", which, {"before": _LAST if before is None else before, "limit": limit})


def _rows(connection: sqlite3.Connection, query: str, which: EventFilter, values: dict[str, object]) -> list[Recorded]:
    sql = queries(_SQL)
    names, asked = _conditions(which)
    condition = " AND ".join(sql[name] for name in names) or sql["by_nothing"]
    rows = connection.execute(sql[query].replace("$filter", condition), values | asked)
    return [
        Recorded(seq=seq, event=_read(text), previous=previous.hex(), hash=hash_.hex())
        for seq, text, previous, hash_ in rows
    ]


def _read(text: str) -> Event:
    """The event as it was written; where somebody wrote over it, one whose hash says so."""
    try:
        event = _decode(text)
        if event_text(event) == text.encode():
            return event
    except (msgspec.DecodeError, ValueError):
        pass
    return Event(verb=VERBS[0], at="", trace="", principal="", outcome="unreadable", detail={"text": text})


def _conditions(which: EventFilter) -> tuple[Sequence[str], dict[str, object]]:
    """The conditions a filter stands for, by name, and their values."""
    names: list[str] = []
    values: dict[str, object] = {}
    for member in ("session", "trace", "principal", "verb"):
        if value := getattr(which, member):
            names.append(f"by_{member}")
            values[member] = value
    if which.tenant is not None:
        names.append("by_tenant")
        values["tenant"] = which.tenant
    if which.subject.endswith("*"):
        start = which.subject[:-1]
        names.append("by_subject_start")
        values |= {"start": start, "length": len(start)}
    elif which.subject:
        names.append("by_subject")
        values["subject"] = which.subject
    if which.outcome:
        names.append("by_ok" if which.outcome == "ok" else "by_outcome")
        values["outcome"] = which.outcome
    return names, values
