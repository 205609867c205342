"""Tools that are not what they were when first seen: marked, or hidden, until somebody accepts them (T-33)."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Any

import msgspec

from periplus.documents.canonical import canonical
from periplus.model import Schema, Tool
from periplus.ports import Row, encode_tool, stamp_tool

KEY = "pin"
"""Where a tool's metadata holds its pin, while it has one."""


class Accepted(msgspec.Struct, frozen=True, kw_only=True):
    """What a person, or the first reading, agreed to: all that a model or a policy goes by."""

    title: str = ""
    summary: str = ""
    description: str = ""
    effect: str = "write"
    requires_approval: bool = False
    args_schema: Schema = {}
    result_schema: Schema | None = None
    version: str = ""


class Pin(msgspec.Struct, frozen=True, kw_only=True):
    """That a tool changed, when, from what; and what its row needs once it is accepted."""

    quarantined: bool
    since: float
    accepted: Accepted
    hidden: bool  # as its source says
    names: tuple[str, ...] = ()
    definitions: tuple[str, ...] = ()


class Changed(msgspec.Struct, frozen=True, kw_only=True):
    """A pinned tool for its reader: what it was, what it is."""

    tool: str
    quarantined: bool
    since: float
    was: Accepted
    now: Accepted


def pin_of(tool: Tool) -> Pin | None:
    """The pin of a stored tool, if it has one."""
    said = tool.metadata.get(KEY)
    return msgspec.convert(said, Pin) if isinstance(said, dict) and "accepted" in said else None


def seen(tool: Tool) -> Accepted:
    """What of a tool is pinned. Its schemas must be self-contained."""
    return Accepted(
        title=tool.title,
        summary=tool.summary,
        description=tool.description,
        effect=tool.effect.word,
        requires_approval=tool.requires_approval,
        args_schema=tool.args_schema,
        result_schema=tool.result_schema,
        version=tool.version,
    )


def pinned_row(row: Row, old: Tool, new: Tool, full: Tool, *, quarantine: bool, now: float) -> Row:
    """The row of a changed tool with its pin; as it came where nothing that is pinned changed, or changed back."""
    before = pin_of(old)
    accepted = before.accepted if before else seen(old)
    if _digest(accepted) == _digest(seen(full)):
        return row
    pin = Pin(
        quarantined=quarantine,
        since=before.since if before else now,
        accepted=accepted,
        hidden=row.hidden,
        names=row.names,
        definitions=row.definitions,
    )
    metadata = new.metadata | {KEY: msgspec.to_builtins(pin)}
    body = msgspec.structs.replace(_bare(new), metadata=metadata, hidden=row.hidden or quarantine)
    return msgspec.structs.replace(row, hidden=row.hidden or quarantine, body=_stamped(body, row, new.schema_hash))


def accepted_row(tool: Tool, pin: Pin) -> Row:
    """The row of a pinned tool, as walked through a store, without its pin."""
    metadata = {name: value for name, value in tool.metadata.items() if name != KEY}
    body = msgspec.structs.replace(_bare(tool), metadata=metadata, hidden=pin.hidden)
    row = Row(
        path=tool.path,
        key=tool.key,
        fingerprint=tool.fingerprint,
        version=tool.version,
        summary=tool.summary,
        effect=tool.effect,
        hidden=pin.hidden,
        deprecated=bool(tool.deprecated),
        requires_approval=tool.requires_approval,
        tags=tool.tags,
        paths=tool.paths,
        names=pin.names,
        definitions=pin.definitions,
        body=b"",
    )
    return msgspec.structs.replace(row, body=_stamped(body, row, tool.schema_hash))


def without_pin(tool: Tool) -> Tool:
    """A tool as its readers get it: the pin is told in a note, what it was before is the operator's to see."""
    pin = pin_of(tool)
    if pin is None:
        return tool
    metadata = {name: value for name, value in tool.metadata.items() if name != KEY}
    note = "its description or schema has changed since it was first seen, and nobody has accepted that yet"
    return msgspec.structs.replace(tool, metadata=metadata, notes=(*tool.notes, note))


def changed(tools: Iterable[Tool]) -> list[Changed]:
    """Those of these tools that are pinned."""
    return [
        Changed(tool=str(tool.ref), quarantined=pin.quarantined, since=pin.since, was=pin.accepted, now=seen(tool))
        for tool in tools
        if (pin := pin_of(tool))
    ]


def _bare(tool: Tool) -> Tool:
    """A tool as a packed body holds it: without what its row settles."""
    return msgspec.structs.replace(tool, source="", path="", schema_hash="", fingerprint="", version="1.0.0")


def _stamped(tool: Tool, row: Row, schema_hash: str) -> bytes:
    return stamp_tool(
        encode_tool(tool), schema_hash=schema_hash, fingerprint=row.fingerprint, version=row.version, former=row.former
    )


def _digest(accepted: Accepted) -> str:
    told: dict[str, Any] = msgspec.to_builtins(accepted)
    told.pop("version")
    return hashlib.sha256(canonical(told)).hexdigest()
