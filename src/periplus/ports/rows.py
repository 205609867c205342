"""A tool on its way into a store and out again: columns for queries, the rest packed."""

from __future__ import annotations

from typing import Any

import msgspec

from periplus.model import Effect, Tool


class Row(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One new or changed tool on its way into a store: what queries need as columns, the rest packed.

    `body` is the tool in MessagePack without `source` and `path` (`pack_tool`); a store gives them back from its
    columns (`unpack_tool`), so naming never makes a body be encoded again.
    """

    path: str
    key: str
    fingerprint: str
    version: str
    summary: str
    effect: Effect
    hidden: bool
    deprecated: bool
    requires_approval: bool
    tags: tuple[str, ...]
    paths: tuple[str, ...]
    names: tuple[str, ...]  # normalised spellings it answers to
    definitions: tuple[str, ...]  # what its schemas refer to directly
    body: bytes
    former: tuple[str, ...] = ()  # paths it had before: they stay aliases for good (S-21)


class _Packed(msgspec.Struct, frozen=True, array_like=True):
    """A tool and what was settled after it was encoded."""

    tool: Tool
    schema_hash: str
    fingerprint: str
    version: str
    former: tuple[str, ...] = ()
    paths: tuple[str, ...] | None = None  # where it stands, if not where its draft says


class _Packing(msgspec.Struct, frozen=True, array_like=True):
    tool: msgspec.Raw
    schema_hash: str
    fingerprint: str
    version: str
    former: tuple[str, ...] = ()
    paths: tuple[str, ...] | None = None


_LARGE = 1  # the extension type of an integer beyond 64 bits: its digits
_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(_Packed, ext_hook=lambda _code, digits: int(bytes(digits)))


def encode_tool(tool: Tool) -> bytes:
    """The part of a packed tool that depends on its draft alone."""
    try:
        return _encoder.encode(tool)
    except OverflowError:
        return _encoder.encode(_with_large(tool))


def _with_large(value: Any) -> Any:
    """The value with integers that MessagePack does not have as extensions."""
    if isinstance(value, msgspec.Struct):
        return msgspec.structs.replace(
            value, **{name: _with_large(getattr(value, name)) for name in value.__struct_fields__}
        )
    if isinstance(value, dict):
        return {key: _with_large(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(_with_large(item) for item in value)
    large = value.__class__ is int and not -(1 << 63) <= value < 1 << 64
    return msgspec.msgpack.Ext(_LARGE, str(value).encode()) if large else value


def stamp_tool(
    encoded: bytes,
    *,
    schema_hash: str,
    fingerprint: str,
    version: str,
    former: tuple[str, ...] = (),
    paths: tuple[str, ...] | None = None,
) -> bytes:
    """A row's body: the encoded draft with what was settled since, without encoding it again."""
    return _encoder.encode(_Packing(msgspec.Raw(encoded), schema_hash, fingerprint, version, former, paths))


def pack_tool(tool: Tool) -> bytes:
    """A settled tool as the body of its row."""
    return stamp_tool(
        encode_tool(tool), schema_hash=tool.schema_hash, fingerprint=tool.fingerprint, version=tool.version
    )


def unpack_tool(source: str, path: str, body: bytes) -> Tool:
    """The tool in a row's body, under the name that the row's columns give it."""
    packed = _decoder.decode(body)
    tool = packed.tool
    return msgspec.structs.replace(
        tool,
        source=source,
        path=path,
        schema_hash=packed.schema_hash,
        fingerprint=packed.fingerprint,
        version=packed.version,
        paths=tool.paths if packed.paths is None else packed.paths,
        aliases=(*tool.aliases, *packed.former),
    )
