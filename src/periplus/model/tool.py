"""What a tool is, once its names are settled; and what an adapter says of it before that."""

from __future__ import annotations

from enum import IntEnum
from typing import Any

import msgspec

from periplus.model.ref import ToolRef

Schema = dict[str, Any]  # JSON Schema 2020-12; `$ref`s point into "#/$defs/<name>"


class Effect(IntEnum):
    """What a call may do to the world, in rising order."""

    READ = 0
    WRITE = 1
    DESTROY = 2

    @property
    def word(self) -> str:
        return self.name.lower()

    @classmethod
    def of(cls, word: str) -> Effect | None:
        return {"read": cls.READ, "write": cls.WRITE, "destroy": cls.DESTROY, "delete": cls.DESTROY}.get(
            word.strip().lower()
        )


class Example(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A call worth imitating."""

    description: str = ""
    input: dict[str, Any] = {}
    expected_output: Any = None


class Link(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A result of this tool feeds that one."""

    to: str
    name: str = ""
    parameters: dict[str, Any] = {}


class Draft(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One operation as its source describes it; the core settles names, effect, summary and hashes.

    `key` is its identity inside the source (operationId, else `METHOD /path`): while it stays, the ref stays.
    `leaf` and `areas` are the raw texts; the first area is the primary place, `()` the source's own root.
    `method` tells colliding leaves apart and `origin` is the last resort (`GET /pets/{id}`).
    """

    key: str
    leaf: str
    origin: str
    method: str = ""
    areas: tuple[tuple[str, ...], ...] = ((),)
    title: str = ""
    summary: str = ""
    description: str = ""
    args_schema: Schema = msgspec.field(default_factory=lambda: {"type": "object", "properties": {}})
    result_schema: Schema | None = None
    written_args: Schema | None = None  # in the source's own form, where clients are shown that and it is another
    effect: Effect = Effect.WRITE  # the base of S-5's table, from the kind of source
    effect_declared: bool = False  # an annotation or extension said so: words neither raise nor review it
    effect_words: tuple[str, ...] = ()  # more texts judged by S-30 beside the leaf (last path segment)
    idempotent: bool = False
    requires_approval: bool = False
    hidden: bool = False
    deprecated: bool | str = False  # True, or the reason given
    tags: tuple[str, ...] = ()
    examples: tuple[Example, ...] = ()
    links: tuple[Link, ...] = ()
    aliases: tuple[str, ...] = ()
    version: str = ""  # only when the source declares one
    binding: dict[str, Any] = msgspec.field(default_factory=dict[str, Any])
    metadata: dict[str, Any] = msgspec.field(default_factory=dict[str, Any])
    notes: tuple[str, ...] = ()


class Tool(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One thing that can be called, complete: what `describe` gives and the store keeps."""

    source: str
    path: str
    key: str
    origin: str
    title: str = ""
    summary: str = ""
    description: str = ""
    args_schema: Schema = msgspec.field(default_factory=lambda: {"type": "object", "properties": {}})
    result_schema: Schema | None = None
    written_args: Schema | None = None  # `args_schema` in the source's own form, for clients that are shown that
    effect: Effect = Effect.WRITE
    idempotent: bool = False
    requires_approval: bool = False
    hidden: bool = False
    deprecated: bool | str = False
    tags: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()  # every node that lists it, primary first; "" is the source's root
    examples: tuple[Example, ...] = ()
    links: tuple[Link, ...] = ()
    aliases: tuple[str, ...] = ()
    version: str = "1.0.0"
    schema_hash: str = ""
    fingerprint: str = ""
    binding: dict[str, Any] = msgspec.field(default_factory=dict[str, Any])
    metadata: dict[str, Any] = msgspec.field(default_factory=dict[str, Any])
    notes: tuple[str, ...] = ()

    @property
    def ref(self) -> ToolRef:
        return ToolRef(self.source, self.path)


def placed_mark(fingerprint: str, places: tuple[str, ...]) -> str:
    """What changes whenever a tool does, or stands elsewhere."""
    return "\n".join((fingerprint, *sorted(places)))


class ToolLine(msgspec.Struct, frozen=True, kw_only=True):
    """A tool in a list: enough to choose by, without its schema."""

    ref: ToolRef
    summary: str
    effect: Effect
    tags: tuple[str, ...] = ()
    deprecated: bool = False
    requires_approval: bool = False


class Placed(msgspec.Struct, frozen=True, kw_only=True):
    """A tool in a list, and the whole paths of the nodes that list it, its own area first."""

    line: ToolLine
    places: tuple[str, ...]
