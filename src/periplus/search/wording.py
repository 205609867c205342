"""What tools say, counted and encoded: postings of their words, and a vector for what each of them means."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice, pairwise

import numpy as np

from periplus.search.sections import Array, offsets_of, pack_texts
from periplus.search.semantic import FIELD_ROWS, Model, quantise
from periplus.search.tables import Said
from periplus.search.text import chunks, terms_of

# How much one occurrence counts by field: name, category, summary, description, parameters, their texts, examples.
FIELD_WEIGHTS = (3.0, 2.0, 1.0, 1.0, 1.0, 0.5, 2.0)
WEIGHT_STEPS = 2  # postings keep weighted counts in halves
_FIELDS = len(FIELD_WEIGHTS)
_BATCH = 256  # tools encoded at once: neighbours say alike things, and a product is the smaller the fewer words it has
_KEPT = 2048  # texts of a field that are remembered: parameters are called the same everywhere


def worded(said: Iterable[Said], model: Model) -> Iterator[tuple[str, Array]]:
    """The sections of words and vectors, of tools in order of ref."""
    reader, stream = _Reader(model), iter(said)
    vectors: list[Array] = []
    factors: list[Array] = []
    examples: list[tuple[int, str]] = []
    while batch := list(islice(stream, _BATCH)):
        first = reader.tools
        examples += [(first + place, text) for place, one in enumerate(batch) for text in one.examples]
        small, factor = quantise(model.tools(*reader.read(batch)))
        vectors.append(small)
        factors.append(factor)
    yield "vectors", np.concatenate([*vectors, np.zeros((0, model.width), np.int8)])
    yield "factors", np.concatenate([*factors, np.zeros(0, np.float32)])
    yield from reader.postings()
    small, factor = quantise(model.goals([text for _, text in examples]))
    yield "example_vectors", small
    yield "example_factors", factor
    yield "example_tools", np.array([number for number, _ in examples], np.uint32)


def shape_of(term: str) -> int:
    """Sixty-four bits that two words share more of the more letter pairs they share."""
    bits = 0
    for first, second in pairwise(f"^{term}$"):
        bits |= 1 << ((ord(first) * 31 + ord(second)) * 0x9E3779B1 >> 7 & 63)
    return bits


class _Terms(dict[str, tuple[int, ...]]):
    """Unbroken runs of characters, and the numbers of the terms that are in them."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}

    def __missing__(self, chunk: str) -> tuple[int, ...]:
        numbers = self.numbers
        found = self[chunk] = tuple([numbers.setdefault(term, len(numbers)) for term in terms_of([chunk])])
        return found


class _Reader:
    """Reads tools, each text once for its words and its meaning."""

    def __init__(self, model: Model) -> None:
        self._rows_of = model.pieces.rows_of
        self._terms = _Terms()
        self._known: list[dict[str, tuple[list[int], list[int]]]] = [{} for _ in FIELD_WEIGHTS]
        self._found: list[Array] = []  # numbers of terms, one batch after the other
        self._counts: list[Array] = []  # for each tool and field how many there are
        self.tools = 0

    def read(self, batch: Sequence[Said]) -> tuple[Array, Array]:
        """Count the words of some more tools; the table rows of their texts, and how many each field has."""
        found: list[int] = []
        rows: list[int] = []
        counts: list[int] = []
        sizes: list[int] = []
        for said in batch:
            for field, text in enumerate(said.fields):
                terms, meaning = self._known[field].get(text) or self._learn(field, text)
                found += terms
                rows += meaning
                counts.append(len(terms))
                sizes.append(len(meaning))
        self.tools += len(batch)
        self._found.append(np.array(found, np.uint32))
        self._counts.append(np.array(counts, np.int64).reshape(-1, _FIELDS))
        return np.array(rows, np.int64), np.array(sizes, np.int64).reshape(-1, _FIELDS)

    def _learn(self, field: int, text: str) -> tuple[list[int], list[int]]:
        runs = chunks(text) if text else []
        terms: list[int] = []
        for run in runs:
            terms += self._terms[run]
        known = self._known[field]
        if len(known) >= _KEPT:
            known.clear()
        entry = known[text] = (terms, self._rows_of(runs, FIELD_ROWS[field]))
        return entry

    def postings(self) -> Iterator[tuple[str, Array]]:
        """Lexicon in order, and for each of its terms the tools with how much the term says of them."""
        numbers = self._terms.numbers
        spelled = {term.encode("utf-8", "surrogatepass"): (number, term) for term, number in numbers.items()}
        ordered = sorted(spelled)
        place = np.zeros(len(ordered), np.int64)
        place[[spelled[raw][0] for raw in ordered]] = np.arange(len(ordered))
        counts = np.concatenate([*self._counts, np.zeros((0, _FIELDS), np.int64)])
        weight = np.array(FIELD_WEIGHTS, np.float32)
        terms = place[np.concatenate([*self._found, np.zeros(0, np.uint32)])]
        tools = np.repeat(np.arange(len(counts)), counts.sum(axis=1))
        weights = np.repeat(np.tile(weight, len(counts)), counts.reshape(-1))
        keys = terms * max(len(counts), 1) + tools
        order = np.argsort(keys, kind="stable")
        keys = keys[order]
        first = np.flatnonzero(np.append(np.ones(min(len(keys), 1), np.bool_), keys[1:] != keys[:-1]))
        summed = np.add.reduceat(weights[order], first) if len(first) else np.zeros(0, np.float32)
        yield from zip(("lexicon", "lexicon_offsets"), pack_texts(ordered), strict=True)
        yield "shapes", np.array([shape_of(spelled[raw][1]) for raw in ordered], np.uint64)
        yield "posting_tools", tools[order][first].astype(np.uint32)
        yield "posting_weights", steps_of(summed)
        yield "posting_offsets", offsets_of(np.bincount(terms[order][first], minlength=len(ordered)))
        yield "lengths", (counts @ weight.astype(np.float64)).astype(np.float32)


def steps_of(weights: Array) -> Array:
    """Weighted counts as postings keep them."""
    steps: Array = np.rint(weights * WEIGHT_STEPS).clip(1, 255).astype(np.uint8)
    return steps
