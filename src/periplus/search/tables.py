"""What a page, a scope, a name or a pattern needs of tools: everything but what their words say and mean."""

import hashlib
from collections.abc import Iterator, Sequence

import msgspec
import numpy as np

from periplus.model import place_of
from periplus.search.records import Record, fields_of
from periplus.search.sections import Array, offsets_of, pack_texts
from periplus.search.text import name_key

LONGEST_FIELD = 4_000  # characters read of one text
_encode = msgspec.msgpack.encode


class Said(msgspec.Struct, frozen=True, array_like=True):
    """What a tool says of itself, by field, and the goals it is known to answer."""

    fields: tuple[str, ...]
    examples: tuple[str, ...] = ()


def said_of(record: Record) -> Said:
    """The texts of a record, as far as they are read."""
    return Said(tuple(text[:LONGEST_FIELD] for text in fields_of(record)), record.examples)


def packed(several: Sequence[Said]) -> Iterator[tuple[str, Array]]:
    """What tools say, kept until somebody counts and encodes it."""
    yield from _texts("said", "said_offsets", [_encode(said) for said in several])


def tables(records: Sequence[Record]) -> Iterator[tuple[str, Array]]:
    """Everything but words and vectors, of tools in order of ref."""
    yield from _texts("refs", "ref_offsets", [record.ref for record in records], b"\n")
    yield from _texts("summaries", "summary_offsets", [record.summary for record in records])
    yield from _texts("signatures", "signature_offsets", [record.signature for record in records])
    yield "effects", np.array([int(record.effect) for record in records], np.uint8)
    yield "hidden", np.array([record.hidden for record in records], np.bool_)
    yield "text_keys", np.array([int(record.mark, 16) for record in records], np.uint64)
    tags: dict[str, list[int]] = {}
    nodes: dict[str, list[int]] = {}
    for number, record in enumerate(records):
        for tag in dict.fromkeys(record.tags):
            tags.setdefault(tag, []).append(number)
        for node in dict.fromkeys(record.nodes):
            nodes.setdefault(place_of(record.source, node), []).append(number)
    for kind, table in (("tag", tags), ("node", nodes)):
        yield from listed(kind, {text: np.array(found, np.uint32) for text, found in table.items()})
    yield from _names(records)
    yield from _lines(records)


def listed(kind: str, table: dict[str, Array]) -> Iterator[tuple[str, Array]]:
    """Texts in order, and for each of them the tools that have it."""
    ordered = sorted(table)
    yield from _texts(f"{kind}s", f"{kind}_text_offsets", ordered)
    yield f"{kind}_tools", np.concatenate([np.zeros(0, np.uint32), *(table[text] for text in ordered)])
    yield f"{kind}_offsets", offsets_of(np.array([len(table[text]) for text in ordered], np.int64))


def key_of(name: str) -> int:
    """A name's place in the table of names: equal for spellings that differ in case or separators only."""
    return int.from_bytes(_digest(name_key(name)), "little")


def named(keys: Array, tools: Array) -> Iterator[tuple[str, Array]]:
    """The table of names: keys in order, and which tool has each."""
    order = np.lexsort((tools, keys))
    keys, tools = keys[order], tools[order]
    first = np.ones(len(keys), np.bool_)
    first[1:] = (keys[1:] != keys[:-1]) | (tools[1:] != tools[:-1])
    yield "name_keys", keys[first]
    yield "name_tools", tools[first]


def _digest(key: str) -> bytes:
    return hashlib.blake2b(key.encode(), digest_size=8).digest()


def _names(records: Sequence[Record]) -> Iterator[tuple[str, Array]]:
    digests: list[bytes] = []
    sizes: list[int] = []
    for record in records:
        spelled = {record.path.rpartition("/")[2], record.path, record.ref, *record.names}
        keys = {name_key(name) for name in spelled}
        digests += map(_digest, keys)
        sizes.append(len(keys))
    owners = np.repeat(np.arange(len(records), dtype=np.uint32), sizes)
    yield from named(np.frombuffer(b"".join(digests), "<u8"), owners)


def _lines(records: Sequence[Record]) -> Iterator[tuple[str, Array]]:
    """What patterns look at, in lower case, each thing on a line of its own: ids, parameters and tags, texts."""
    for name, offsets, lines in (
        ("ids", "id_offsets", [_spelled(record.path) for record in records]),
        ("qualified", "qualified_offsets", [_spelled(record.ref) for record in records]),
        ("told", "told_offsets", [(*dict.fromkeys(name for name, _ in one.parameters), *one.tags) for one in records]),
        ("texts", "text_offsets", [(one.summary, one.description[:LONGEST_FIELD]) for one in records]),
    ):
        texts = ["".join([f"{' '.join(line.lower().split())}\n" for line in some if line]) for some in lines]
        yield from _texts(name, offsets, texts)


def _spelled(path: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys((path.replace("/", ":"), path.replace("/", "_"), path.rpartition("/")[2])))


def _texts(name: str, offsets: str, texts: Sequence[str | bytes], end: bytes = b"") -> Iterator[tuple[str, Array]]:
    yield from zip((name, offsets), pack_texts(texts, end), strict=True)
