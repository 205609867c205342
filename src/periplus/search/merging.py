"""Several whole segments as one, without those of their tools that are gone: nothing is read or encoded again."""

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import chain, pairwise
from pathlib import Path

import numpy as np
import numpy.typing as npt

from periplus.search.sections import Array, Texts, offsets_of, pack_texts, write
from periplus.search.segment import Segment
from periplus.search.tables import listed, named

_GONE = -1
_SLICE = 4096  # terms whose postings are brought together at once


def merge(path: Path, segments: Sequence[Segment], dead: Sequence[Array]) -> int:
    """Write one segment with the living tools of several that the same model encoded; how many there are."""
    merged = _Merged(segments, dead)
    write(path, _resting(merged.sections(), segments), {"model": segments[0].model, "tools": merged.count})
    return merged.count


def _resting(sections: Iterator[tuple[str, Array]], segments: Sequence[Segment]) -> Iterator[tuple[str, Array]]:
    """All that is read here is read once: it would only take up memory beside what is made of it."""
    for section in sections:
        yield section
        for segment in segments:
            segment.rest()


class _Merged:
    """Tools of several segments in one order of ref."""

    def __init__(self, segments: Sequence[Segment], dead: Sequence[Array]) -> None:
        self._segments = segments
        starts = np.cumsum([0, *(segment.count for segment in segments)])
        alive = np.ones(starts[-1], np.bool_)
        refs: list[bytes] = []
        for first, segment, gone in zip(starts, segments, dead, strict=False):
            alive[first + gone.astype(np.int64)] = False
            refs += segment.refs.blob.tobytes().split(b"\n")[:-1]
        numbers = np.flatnonzero(alive)
        order = np.array(sorted(numbers.tolist(), key=refs.__getitem__), np.int64)
        self.count = len(order)
        self._owner = np.searchsorted(starts, order, side="right") - 1
        self._inside = order - starts[self._owner]
        places = np.full(starts[-1], _GONE, np.int64)
        places[order] = np.arange(len(order))
        self._places = np.split(places, starts[1:-1])  # for each segment, where each of its tools stands now

    def sections(self) -> Iterator[tuple[str, Array]]:
        """All of them, one at a time."""
        for name, offsets in (("refs", "ref_offsets"), ("summaries", "summary_offsets")):
            yield from self._texts(name, offsets)
        yield from self._texts("signatures", "signature_offsets")
        for name in ("effects", "hidden", "text_keys", "lengths", "vectors", "factors"):
            yield name, self._rows([getattr(segment, name) for segment in self._segments])
        yield from self._listed("tag", [(one.tags, one.tag_tools, one.tag_offsets) for one in self._segments])
        yield from self._listed("node", [(one.nodes, one.node_tools, one.node_offsets) for one in self._segments])
        yield from self._named()
        for name, offsets in (("ids", "id_offsets"), ("qualified", "qualified_offsets")):
            yield from self._texts(name, offsets)
        for name, offsets in (("told", "told_offsets"), ("texts", "text_offsets")):
            yield from self._texts(name, offsets)
        yield from self._examples()
        yield from _Postings(self._segments, self._places, self.count).sections()

    def _rows(self, arrays: Sequence[Array]) -> Array:
        made = np.empty((self.count, *arrays[0].shape[1:]), arrays[0].dtype)
        for number, array in enumerate(arrays):
            mine = self._owner == number
            made[mine] = array[self._inside[mine]]
        return made

    @cached_property
    def _runs(self) -> list[tuple[int, int, int]]:
        """Tools that stood beside one another and still do: their segment, the first and the one after the last."""
        breaks = np.flatnonzero((np.diff(self._owner) != 0) | (np.diff(self._inside) != 1)) + 1
        firsts = np.concatenate([np.zeros(1, np.int64), breaks])
        lasts = np.append(breaks, self.count)
        starts, owners = self._inside[firsts], self._owner[firsts]
        return list(zip(owners.tolist(), starts.tolist(), (starts + lasts - firsts).tolist(), strict=True))

    def _texts(self, name: str, offsets: str) -> Iterator[tuple[str, Array]]:
        texts: list[Texts] = [getattr(segment, name) for segment in self._segments]
        bounds = [one.offsets.astype(np.int64) for one in texts]
        pieces = [texts[owner].blob[bounds[owner][a] : bounds[owner][b]] for owner, a, b in self._runs if self.count]
        yield name, np.concatenate([np.zeros(0, np.uint8), *pieces])
        yield offsets, offsets_of(self._rows([np.diff(one) for one in bounds]))

    def _listed(self, kind: str, tables: Sequence[tuple[Texts, Array, Array]]) -> Iterator[tuple[str, Array]]:
        found: dict[str, list[Array]] = {}
        for places, (texts, tools, offsets) in zip(self._places, tables, strict=True):
            for number in range(len(texts)):
                mine = places[tools[offsets[number] : offsets[number + 1]]]
                found.setdefault(texts[number], []).append(mine[mine != _GONE])
        table = {text: np.sort(np.concatenate(several)).astype(np.uint32) for text, several in found.items()}
        return listed(kind, {text: tools for text, tools in table.items() if len(tools)})

    def _named(self) -> Iterator[tuple[str, Array]]:
        pairs = zip(self._places, self._segments, strict=True)
        tools = np.concatenate([places[segment.name_tools] for places, segment in pairs])
        keys = np.concatenate([segment.name_keys for segment in self._segments])
        return named(keys[tools != _GONE], tools[tools != _GONE].astype(np.uint32))

    def _examples(self) -> Iterator[tuple[str, Array]]:
        pairs = zip(self._places, self._segments, strict=True)
        tools = np.concatenate([places[segment.example_tools] for places, segment in pairs])
        order = np.argsort(tools, kind="stable")
        order = order[tools[order] != _GONE]
        yield "example_tools", tools[order].astype(np.uint32)
        for name in ("example_vectors", "example_factors"):
            yield name, np.concatenate([getattr(segment, name) for segment in self._segments])[order]


class _Postings:
    """Postings of several segments by the terms of all of them."""

    def __init__(self, segments: Sequence[Segment], places: Sequence[Array], count: int) -> None:
        self._segments, self._places, self._count = segments, places, count
        spelled = [_spelled(segment.lexicon) for segment in segments]
        self._terms = sorted(set(chain.from_iterable(spelled)))
        rank = {term: number for number, term in enumerate(self._terms)}
        # Lexicons are in order, so the ranks of each segment's terms rise, and a slice of them is a slice of postings.
        self._ranks = [np.array([rank[term] for term in terms], np.int64) for terms in spelled]

    def sections(self) -> Iterator[tuple[str, Array]]:
        """Terms of living tools alone."""
        parts = [self._slice(first) for first in range(0, len(self._terms), _SLICE)]
        counts = np.concatenate([np.zeros(0, np.int64), *(part[2] for part in parts)])
        kept = np.flatnonzero(counts)
        shapes = np.zeros(len(self._terms), np.uint64)
        for ranks, segment in zip(self._ranks, self._segments, strict=True):
            shapes[ranks] = segment.shapes
        terms = [self._terms[number] for number in kept.tolist()]
        yield from zip(("lexicon", "lexicon_offsets"), pack_texts(terms), strict=True)
        yield "shapes", shapes[kept]
        yield "posting_tools", np.concatenate([np.zeros(0, np.uint32), *(part[0] for part in parts)])
        yield "posting_weights", np.concatenate([np.zeros(0, np.uint8), *(part[1] for part in parts)])
        yield "posting_offsets", offsets_of(counts[kept])

    def _slice(self, first: int) -> tuple[Array, Array, npt.NDArray[np.int64]]:
        """Tools and weights of some terms, and how many tools each of them has."""
        keys: list[Array] = []
        weights: list[Array] = []
        for segment, places, ranks in zip(self._segments, self._places, self._ranks, strict=True):
            low, high = np.searchsorted(ranks, (first, first + _SLICE))
            bounds = segment.posting_offsets[low : high + 1].astype(np.int64)
            tools = places[segment.posting_tools[bounds[0] : bounds[-1]]]
            terms = np.repeat(ranks[low:high] - first, np.diff(bounds))
            keys.append((terms * self._count + tools)[tools != _GONE])
            weights.append(segment.posting_weights[bounds[0] : bounds[-1]][tools != _GONE])
        joined = np.concatenate(keys)
        order = np.argsort(joined, kind="stable")
        terms, tools = np.divmod(joined[order], max(self._count, 1))
        counts = np.bincount(terms, minlength=min(_SLICE, len(self._terms) - first))
        return tools.astype(np.uint32), np.concatenate(weights)[order], counts


def _spelled(lexicon: Texts) -> list[bytes]:
    blob, bounds = lexicon.blob.tobytes(), lexicon.offsets.tolist()
    return [blob[start:end] for start, end in pairwise(bounds)]
