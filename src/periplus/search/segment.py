"""A segment: up to 131,072 tools in one file that is never changed again, with or without what their words mean."""

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import numpy as np

from periplus.search.records import Record
from periplus.search.sections import Array, Sections, Texts, write
from periplus.search.semantic import Model
from periplus.search.tables import Said, packed, said_of, tables
from periplus.search.wording import worded

MOST_TOOLS = 1 << 17
_KEPT = 16
_HEAD = 8
Made = TypeVar("Made")
_said = msgspec.msgpack.Decoder(Said)
_LISTED = (  # what every segment has
    *("refs", "ref_offsets", "summaries", "summary_offsets", "signatures", "signature_offsets"),
    *("effects", "hidden", "text_keys", "tags", "tag_text_offsets", "tag_tools", "tag_offsets"),
    *("nodes", "node_text_offsets", "node_tools", "node_offsets", "name_keys", "name_tools"),
    *("ids", "id_offsets", "qualified", "qualified_offsets", "told", "told_offsets", "texts", "text_offsets"),
)


class Segment:
    """An open segment; arrays are views of the file."""

    def __init__(self, path: Path) -> None:
        sections = Sections(path)
        array: Callable[[str], Array] = sections.array
        self.name = path.name
        self.path = path
        self.model: str = sections.notes["model"]  # nothing where nobody has encoded it yet
        self.refs = Texts(array("refs"), array("ref_offsets"), end=1)
        self.count = len(self.refs)
        self.summaries = Texts(array("summaries"), array("summary_offsets"))
        self.signatures = Texts(array("signatures"), array("signature_offsets"))
        self.effects, self.hidden = array("effects"), array("hidden")
        self.text_keys = array("text_keys")
        self.tags = Texts(array("tags"), array("tag_text_offsets"))
        self.tag_tools, self.tag_offsets = array("tag_tools"), array("tag_offsets")
        self.nodes = Texts(array("nodes"), array("node_text_offsets"))
        self.node_tools, self.node_offsets = array("node_tools"), array("node_offsets")
        self.name_keys, self.name_tools = array("name_keys"), array("name_tools")
        self.ids = Texts(array("ids"), array("id_offsets"))
        self.qualified = Texts(array("qualified"), array("qualified_offsets"))
        self.told = Texts(array("told"), array("told_offsets"))
        self.texts = Texts(array("texts"), array("text_offsets"))
        self._sections, self.rest = sections, sections.rest
        self._made: dict[Hashable, Any] = {}
        if not self.model:
            array = _unsaid(self.count).__getitem__
        self.lexicon = Texts(array("lexicon"), array("lexicon_offsets"))
        self.shapes = array("shapes")
        self.posting_tools, self.posting_weights = array("posting_tools"), array("posting_weights")
        self.lengths = array("lengths")
        self.posting_offsets = array("posting_offsets")
        self.vectors, self.factors = array("vectors"), array("factors")
        self.example_vectors, self.example_factors = array("example_vectors"), array("example_factors")
        self.example_tools = array("example_tools")

    @property
    def is_whole(self) -> bool:
        """Its words are counted and it was encoded; otherwise names and patterns alone find its tools."""
        return bool(self.model)

    def once(self, what: Hashable, make: Callable[[], Made]) -> Made:
        """What is made of these tools, which never change: kept with them for whoever reads on page by page."""
        made: Made | None = self._made.get(what)
        if made is None:
            kept = self._made if len(self._made) < _KEPT else {}
            made = make()
            self._made = kept | {what: made}
        return made

    def place_of(self, term: str) -> int:
        """Where a term is in the lexicon, or -1."""
        wanted = term.encode("utf-8", "surrogatepass")
        heads, head = self._heads, np.uint64(int.from_bytes(wanted[:_HEAD].ljust(_HEAD, b"\0"), "big"))
        low, high = np.searchsorted(heads, head, "left"), np.searchsorted(heads, head, "right")
        place = self.lexicon.lower_bound(wanted, int(low), int(high))
        return place if place < high and self.lexicon.raw(place) == wanted else -1

    @cached_property
    def _heads(self) -> Array:
        return _heads(self.lexicon)

    def said(self) -> Iterator[Said]:
        """What its tools say, where that is still to be counted and encoded."""
        texts = Texts(self._sections.array("said"), self._sections.array("said_offsets"))
        return (_said.decode(texts.raw(place)) for place in range(self.count))

    def listed(self) -> Iterator[tuple[str, Array]]:
        """Its sections without words and vectors."""
        return ((name, self._sections.array(name)) for name in _LISTED)


def _heads(texts: Texts) -> Array:
    """The first bytes of sorted texts as numbers, which are in the same order: a search among them is compiled."""
    starts = texts.offsets[:-1].astype(np.int64)
    sizes = np.diff(texts.offsets.astype(np.int64))
    heads = np.zeros(len(starts), np.uint64)
    for at in range(_HEAD):
        inside = np.flatnonzero(sizes > at)
        heads[inside] |= texts.blob[starts[inside] + at].astype(np.uint64) << np.uint64(8 * (_HEAD - 1 - at))
    return heads


def _unsaid(count: int) -> Mapping[str, Array]:
    """The sections of words and vectors where nothing is known of them."""
    none, start = np.zeros(0, np.uint32), np.zeros(1, np.uint32)
    return {
        **dict.fromkeys(("lexicon", "posting_tools", "posting_weights", "example_tools"), none),
        **dict.fromkeys(("vectors", "factors", "example_vectors", "example_factors"), none),
        **dict.fromkeys(("lexicon_offsets", "posting_offsets"), start),
        "shapes": np.zeros(0, np.uint64),
        "lengths": np.zeros(count, np.float32),
    }


def build(path: Path, records: Iterable[Record], model: Model | None) -> None:
    """Write one segment, whole where there is a model; the same records in any order give the same bytes."""
    ordered = sorted(records, key=lambda record: record.ref.encode("utf-8", "surrogatepass"))
    said = [said_of(record) for record in ordered]
    _write(path, chain(tables(ordered), worded(said, model) if model else packed(said)), len(ordered), model)


def complete(path: Path, segment: Segment, model: Model) -> None:
    """Write a segment again, with the words and vectors that it lacks."""
    _write(path, chain(segment.listed(), worded(segment.said(), model)), segment.count, model)


def _write(path: Path, sections: Iterable[tuple[str, Array]], count: int, model: Model | None) -> None:
    write(path, sections, {"model": model.version if model else "", "tools": count})
