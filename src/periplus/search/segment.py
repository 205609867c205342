"""A segment: up to 131,072 tools read, counted and encoded into one file that is never changed again."""

import hashlib
import itertools
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from periplus.model import place_of
from periplus.search.records import Record, fields_of
from periplus.search.sections import Array, Sections, Texts, pack_lists, pack_texts, write
from periplus.search.semantic import Model, quantise
from periplus.search.text import chunks, name_key, terms_of

MOST_TOOLS = 1 << 17
LONGEST_FIELD = 4_000  # characters read of one text
_BATCH = 1024
# How much one occurrence counts by field: name, category, summary, description, parameters, their texts, examples.
FIELD_WEIGHTS = (3.0, 2.0, 1.0, 1.0, 1.0, 0.5, 2.0)
WEIGHT_STEPS = 2  # postings keep weighted counts in halves


class Segment:
    """An open segment; arrays are views of the file."""

    def __init__(self, path: Path) -> None:
        sections = Sections(path)
        array = sections.array
        self.name = path.name
        self.path = path
        self.model: str = sections.notes["model"]
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
        self.lexicon = Texts(array("lexicon"), array("lexicon_offsets"))
        self.shapes = array("shapes")
        self.posting_tools, self.posting_weights = array("posting_tools"), array("posting_weights")
        self.lengths = array("lengths")
        self.posting_offsets = array("posting_offsets")
        self.ids = Texts(array("ids"), array("id_offsets"))
        self.qualified = Texts(array("qualified"), array("qualified_offsets"))
        self.told = Texts(array("told"), array("told_offsets"))
        self.texts = Texts(array("texts"), array("text_offsets"))
        self.vectors, self.factors = array("vectors"), array("factors")
        self.example_vectors, self.example_factors = array("example_vectors"), array("example_factors")
        self.example_tools = array("example_tools")


def key_of(name: str) -> int:
    """A name's place in the table of names: equal for spellings that differ in case or separators only."""
    return int.from_bytes(hashlib.blake2b(name_key(name).encode(), digest_size=8).digest(), "little")


def shape_of(term: str) -> int:
    """Sixty-four bits that two words share more of the more letter pairs they share."""
    bits = 0
    padded = f"^{term}$"
    for first, second in itertools.pairwise(padded):
        bits |= 1 << ((ord(first) * 31 + ord(second)) * 0x9E3779B1 >> 7 & 63)
    return bits


def build(path: Path, records: Sequence[Record], model: Model) -> None:
    """Write one segment; the same records in any order give the same bytes."""
    records = sorted(records, key=lambda record: record.ref.encode("utf-8", "surrogatepass"))
    words = _Words()
    arrays: dict[str, Array] = {}
    vectors: list[Array] = []
    for start in range(0, len(records), _BATCH):
        rows: list[list[list[int]]] = []
        for record in records[start : start + _BATCH]:
            runs = [chunks(text[:LONGEST_FIELD]) if text else [] for text in fields_of(record)]
            words.add(runs)
            rows.append(model.rows_of(runs))
        vectors.append(model.tools(rows))
    arrays["vectors"], arrays["factors"] = quantise(np.concatenate([*vectors, np.zeros((0, model.width), np.float32)]))
    arrays |= words.arrays()
    arrays |= _tables(records)
    arrays |= _lines(records)
    arrays |= _examples(records, model)
    write(path, arrays, {"model": model.version, "tools": len(records)})


class _Words:
    """Counts terms and turns them into postings."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._terms: list[int] = []
        self._weights: list[float] = []
        self._sizes: list[int] = []
        self._lengths: list[float] = []

    def add(self, fields: Sequence[list[str]]) -> None:
        """Count one tool's words, given in chunks by field."""
        counted: dict[str, float] = {}
        length = 0.0
        for runs, weight in zip(fields, FIELD_WEIGHTS, strict=True):
            if runs:
                found = terms_of(runs)
                length += weight * len(found)
                for term in found:
                    counted[term] = counted.get(term, 0.0) + weight
        numbers = self._numbers
        self._terms += [numbers.setdefault(term, len(numbers)) for term in counted]
        self._weights += counted.values()
        self._sizes.append(len(counted))
        self._lengths.append(length)

    def arrays(self) -> dict[str, Array]:
        """Lexicon in order, and for each of its terms the tools with how much the term says of them."""
        ordered = sorted(self._numbers, key=lambda term: term.encode("utf-8", "surrogatepass"))
        place = np.zeros(len(ordered), np.uint32)
        place[[self._numbers[term] for term in ordered]] = np.arange(len(ordered), dtype=np.uint32)
        tools = np.repeat(np.arange(len(self._sizes), dtype=np.uint32), self._sizes)
        weights = np.array(self._weights, np.float32)
        term = place[np.array(self._terms, np.int64)] if len(self._terms) else np.zeros(0, np.uint32)
        order = np.argsort(term, kind="stable")
        offsets = np.zeros(len(ordered) + 1, np.uint32)
        np.cumsum(np.bincount(term, minlength=len(ordered)), out=offsets[1:])
        lexicon, lexicon_offsets = pack_texts(ordered)
        return {
            "lexicon": lexicon,
            "lexicon_offsets": lexicon_offsets,
            "shapes": np.array([shape_of(text) for text in ordered], np.uint64),
            "posting_tools": tools[order],
            "posting_weights": np.rint(weights[order] * WEIGHT_STEPS).clip(1, 255).astype(np.uint8),
            "lengths": np.array(self._lengths, np.float32),
            "posting_offsets": offsets,
        }


def _tables(records: Sequence[Record]) -> dict[str, Array]:
    """Everything a page, a scope or a name lookup needs."""
    arrays: dict[str, Array] = {}
    arrays["refs"], arrays["ref_offsets"] = pack_texts([record.ref for record in records], b"\n")
    arrays["summaries"], arrays["summary_offsets"] = pack_texts([record.summary for record in records])
    arrays["signatures"], arrays["signature_offsets"] = pack_texts([record.signature for record in records])
    arrays["effects"] = np.array([int(record.effect) for record in records], np.uint8)
    arrays["hidden"] = np.array([record.hidden for record in records], np.bool_)
    arrays["text_keys"] = np.array([int(record.mark, 16) for record in records], np.uint64)
    tags: dict[str, list[int]] = {}
    nodes: dict[str, list[int]] = {}
    names: dict[int, set[int]] = {}
    for number, record in enumerate(records):
        for tag in dict.fromkeys(record.tags):
            tags.setdefault(tag, []).append(number)
        for node in dict.fromkeys(record.nodes):
            nodes.setdefault(place_of(record.source, node), []).append(number)
        for name in {record.path.rpartition("/")[2], record.path, record.ref, *record.names}:
            names.setdefault(key_of(name), set()).add(number)
    for kind, table in (("tag", tags), ("node", nodes)):
        ordered = sorted(table)
        arrays[f"{kind}s"], arrays[f"{kind}_text_offsets"] = pack_texts(ordered)
        arrays[f"{kind}_tools"], arrays[f"{kind}_offsets"] = pack_lists([table[text] for text in ordered], np.uint32)
    pairs = sorted((key, number) for key, numbers in names.items() for number in numbers)
    arrays["name_keys"] = np.array([key for key, _ in pairs], np.uint64)
    arrays["name_tools"] = np.array([number for _, number in pairs], np.uint32)
    return arrays


def _lines(records: Sequence[Record]) -> dict[str, Array]:
    """What patterns look at, in lower case, each thing on a line of its own: ids, parameters and tags, texts."""
    arrays: dict[str, Array] = {}
    for name, offsets, lines in (
        ("ids", "id_offsets", [_spelled(record.path) for record in records]),
        ("qualified", "qualified_offsets", [_spelled(record.ref) for record in records]),
        ("told", "told_offsets", [(*dict.fromkeys(name for name, _ in one.parameters), *one.tags) for one in records]),
        ("texts", "text_offsets", [(one.summary, one.description[:LONGEST_FIELD]) for one in records]),
    ):
        texts = ["".join(f"{' '.join(line.lower().split())}\n" for line in some if line) for some in lines]
        arrays[name], arrays[offsets] = pack_texts(texts)
    return arrays


def _spelled(path: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys((path.replace("/", ":"), path.replace("/", "_"), path.rpartition("/")[2])))


def _examples(records: Sequence[Record], model: Model) -> dict[str, Array]:
    """The goals that tools are known to answer, as goals."""
    pairs = [(number, text) for number, record in enumerate(records) for text in record.examples]
    vectors, factors = quantise(model.goals([text for _, text in pairs]))
    return {
        "example_vectors": vectors,
        "example_factors": factors,
        "example_tools": np.array([number for number, _ in pairs], np.uint32),
    }
