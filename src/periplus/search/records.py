"""What the index reads of a tool: plain texts, where it stands, and what a page shows of it."""

import hashlib
from collections.abc import Iterable
from typing import Any

import msgspec

from periplus.model import OWN_TREE, Effect, Tool, placed_mark
from periplus.search.text import name_key

_LONGEST_PARAMETERS = 64
_DEEPEST = 3
FIELDS = ("name", "category", "summary", "description", "parameters", "parameter texts", "examples")


class Record(msgspec.Struct, frozen=True, kw_only=True):
    """One tool as the search sees it; `ref` is `source/path`, everything else may be empty."""

    source: str
    path: str
    fingerprint: str = ""
    effect: Effect = Effect.WRITE
    hidden: bool = False
    names: tuple[str, ...] = ()  # every other spelling: aliases, operationId, `METHOD /path`, title
    nodes: tuple[str, ...] = ()  # paths of the nodes that list it, without the source
    tags: tuple[str, ...] = ()
    summary: str = ""
    description: str = ""
    parameters: tuple[tuple[str, str], ...] = ()  # name and description
    examples: tuple[str, ...] = ()  # goals this tool is known to answer
    signature: str = ""  # shown, not searched

    @property
    def ref(self) -> str:
        return f"{self.source}/{self.path}"

    @property
    def mark(self) -> str:
        """Changes whenever the tool does; a tool with an unchanged mark is not read again."""
        if self.fingerprint:
            return mark_of(self.fingerprint)
        return hashlib.blake2b(msgspec.msgpack.encode(self), digest_size=8).hexdigest()


def mark_of(fingerprint: str) -> str:
    """Sixteen hex digits that stand for a tool's fingerprint."""
    return hashlib.blake2b(fingerprint.encode(), digest_size=8).hexdigest()


def record_of(tool: Tool, signature: str = "") -> Record:
    """The record of a catalog tool."""
    return Record(
        source=tool.source,
        path=tool.path,
        fingerprint=placed_mark(tool.fingerprint, tool.paths),
        effect=tool.effect,
        hidden=tool.hidden,
        names=tuple(dict.fromkeys(name for name in (tool.key, tool.origin, tool.title, *tool.aliases) if name)),
        nodes=tool.paths,
        tags=tool.tags,
        summary=tool.summary,
        description=tool.description,
        parameters=tuple(_parameters(tool.args_schema)),
        examples=tuple(example.description for example in tool.examples if example.description),
        signature=signature,
    )


def _parameters(schema: Any, depth: int = 0) -> Iterable[tuple[str, str]]:
    """Names and descriptions of a schema's properties, those of nested objects after their own."""
    properties = schema.get("properties") if isinstance(schema, dict) else None
    if not isinstance(properties, dict) or depth >= _DEEPEST:
        return
    for count, (name, inner) in enumerate(properties.items()):
        if count >= _LONGEST_PARAMETERS:
            return
        described = inner.get("description") if isinstance(inner, dict) else None
        yield str(name), described if isinstance(described, str) else ""
        yield from _parameters(inner, depth + 1)


def fields_of(record: Record) -> tuple[str, str, str, str, str, str, str]:
    """A record's texts by how much a word in them says, in the order of `FIELDS`.

    The last path segment is the name, the ones before it say where the tool stands.
    """
    area, _, leaf = record.path.rpartition("/")
    said = {name_key(leaf)}
    spoken = [leaf]
    for name in record.names:
        key = name_key(name)
        if key not in said:
            said.add(key)
            spoken.append(name)
    # What an area is divided into, and areas of work, say nothing that the tool does not say itself.
    nodes = [node for node in record.nodes if node != area and not node.startswith((f"{area}/", OWN_TREE))]
    return (
        " ".join(spoken),
        " ".join((record.source, area, *nodes, *record.tags)),
        record.summary,
        record.description,
        " ".join(name for name, _ in record.parameters),
        " ".join(text for _, text in record.parameters if text),
        " . ".join(record.examples),
    )
