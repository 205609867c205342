"""Weighted-term BM25 over the segments, with statistics of exactly the tools a scope shows."""

import math
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import accumulate

import numpy as np
import numpy.typing as npt

from periplus.search.fine import FineVectors
from periplus.search.sections import Array
from periplus.search.segment import Segment
from periplus.search.semantic import scan
from periplus.search.visibility import Truths
from periplus.search.wording import WEIGHT_STEPS, shape_of

Floats = npt.NDArray[np.float32]
K1, B = 1.5, 0.75
_NEAR_SHORTEST = 4  # shorter unknown words have too many neighbours
_NEAR_MOST = 3
_STEM_SHORTEST, _ENDING = 5, 0.9
_SHORT = 6  # letters: a word below it has room for one slip
_NEAR_KEPT = 4_096
_SHARES_KEPT = 1 << 18
EXAMPLE_ALIKE, EXAMPLE_STRENGTH = 0.6, 0.35
_SHORTLIST = 40
_FEW_SHARED = 0.3


class View:
    """The visible part of an index generation, as the lexical side needs it."""

    def __init__(self, segments: Sequence[Segment], shown: Sequence[Truths | None], revision: int = 0) -> None:
        self.segments = segments
        self.shown = shown
        self.revision = revision
        self.fine: Sequence[FineVectors | None] = [None] * len(segments)
        self.starts = [0, *accumulate(segment.count for segment in segments)]
        self._near: dict[str, list[tuple[str, float]]] = {}
        self._shares: dict[str, list[tuple[Array, Floats]]] = {}
        self._kept = 0
        counts = [
            segment.count if truths is None else int(truths.sum())
            for segment, truths in zip(segments, shown, strict=True)
        ]
        # Tools whose words are still to be counted are no part of the statistics: names and patterns find them.
        self.count = sum(count for count, segment in zip(counts, segments, strict=True) if segment.is_whole)
        self.ready = self.count / max(sum(counts), 1) if self.count < sum(counts) else 1.0
        lengths = [
            segment.lengths if truths is None else segment.lengths[truths]
            for segment, truths in zip(segments, shown, strict=True)
        ]
        usual = max(sum(float(part.sum()) for part in lengths) / max(self.count, 1), 1e-6)
        # Counts are kept in halves, so the curve is stretched as they are.
        self.damping = [
            (WEIGHT_STEPS * K1 * (1 - B + B / usual * segment.lengths)).astype(np.float32) for segment in segments
        ]

    def shares(self, term: str) -> list[tuple[Array, Floats]]:
        """For each segment the visible tools with the term, and what share of the most it can say it says of them."""
        known = self._shares.get(term)
        if known is None:
            known = [self._shares_in(number, term) for number in range(len(self.segments))]
            self._kept += sum(len(tools) for tools, _ in known)
            if self._kept > _SHARES_KEPT or len(self._shares) > _NEAR_KEPT:
                self._shares, self._kept = {}, 0
            self._shares[term] = known
        return known

    def _shares_in(self, number: int, term: str) -> tuple[Array, Floats]:
        segment, truths = self.segments[number], self.shown[number]
        place = segment.place_of(term)
        start, end = segment.posting_offsets[place : place + 2] if place >= 0 else (0, 0)
        tools, counts = segment.posting_tools[start:end], segment.posting_weights[start:end]
        if truths is not None and len(tools):
            keep = truths[tools]
            tools, counts = tools[keep], counts[keep]
        said: Floats = counts.astype(np.float32)
        said /= said + self.damping[number][tools]
        return tools, said

    def at(self, place: int) -> tuple[Segment, int]:
        """The segment of a place, and the tool's number in it."""
        number = bisect_right(self.starts, place) - 1
        return self.segments[number], place - self.starts[number]

    def ref(self, place: int) -> str:
        segment, inside = self.at(place)
        return segment.refs[inside]

    def place(self, ref: str) -> int | None:
        """The place of a visible tool."""
        for start, segment, truths in zip(self.starts, self.segments, self.shown, strict=False):
            inside = segment.refs.find(ref)
            if inside >= 0 and (truths is None or truths[inside]):
                return start + inside
        return None

    def taught(self, goal: Floats, version: str) -> dict[int, float]:
        """Places of visible tools with an example goal like this one (its vector), and what that adds."""
        found: dict[int, float] = {}
        for start, segment, truths in zip(self.starts, self.segments, self.shown, strict=False):
            if len(segment.example_tools) and segment.model == version:
                alike = scan(goal[None], segment.example_vectors, segment.example_factors)[0]
                for one in np.flatnonzero(alike > EXAMPLE_ALIKE):
                    tool = int(segment.example_tools[one])
                    if truths is None or truths[tool]:
                        gained = EXAMPLE_STRENGTH * (float(alike[one]) - EXAMPLE_ALIKE) / (1 - EXAMPLE_ALIKE)
                        found[start + tool] = max(gained, found.get(start + tool, 0.0))
        return found

    def near(self, term: str) -> list[tuple[str, float]]:
        """Visible words spelled almost like an unknown one, with how alike they are."""
        known = self._near.get(term)
        if known is None:
            if len(self._near) > _NEAR_KEPT:
                self._near.clear()
            known = self._near[term] = self._spelled_like(term)
        return known

    @cached_property
    def _spoken(self) -> list[Truths]:
        """For each segment the words that a visible tool has: hidden ones take no place among near spellings."""
        return [_with_visible(segment, truths) for segment, truths in zip(self.segments, self.shown, strict=True)]

    def _spelled_like(self, term: str) -> list[tuple[str, float]]:
        if len(term) < _NEAR_SHORTEST and term.isascii():
            return []
        wanted = np.uint64(shape_of(term))
        bits = int(np.bitwise_count(wanted))
        best: dict[str, float] = {}
        for segment, spoken in zip(self.segments, self._spoken, strict=True):
            shared = np.bitwise_count(segment.shapes & wanted).astype(np.int16)
            extra = np.bitwise_count(segment.shapes & ~wanted).astype(np.int16)
            likely = np.flatnonzero((shared >= _FEW_SHARED * (bits + extra)) & spoken)
            closeness = shared[likely] / (bits + extra[likely])
            for place in likely[np.argsort(-closeness, kind="stable")[:_SHORTLIST]]:
                word = segment.lexicon[int(place)]
                alike = _as_written(term, word)
                if alike > 0 and alike > best.get(word, 0.0):
                    best[word] = alike
        seen = sorted(best.items(), key=lambda pair: (-pair[1], pair[0]))
        return [pair for pair in seen if pair[1] >= seen[0][1] - 0.15][:_NEAR_MOST]


def _with_visible(segment: Segment, truths: Truths | None) -> Truths:
    if truths is None:
        return np.ones(len(segment.lexicon), np.bool_)
    counted = np.zeros(len(segment.posting_tools) + 1, np.int64)
    np.cumsum(truths[segment.posting_tools], out=counted[1:])
    return counted[segment.posting_offsets[1:]] > counted[segment.posting_offsets[:-1]]


def _as_written(term: str, word: str) -> float:
    """How alike an unknown word and a stem are; a slip may have kept an ending from being taken off."""
    alike = likeness(term, word)
    if len(word) >= _STEM_SHORTEST and len(term) > len(word) + 1:
        alike = max(alike, *(_ENDING * likeness(term[: len(word) + more], word) for more in (-1, 0, 1)))
    return alike


def likeness(one: str, other: str) -> float:
    """One less the share of letters that differ; zero when the words are too different to be a slip."""
    longest = max(len(one), len(other))
    most = 1 if longest < _SHORT else 2 if longest < 10 else 3
    if abs(len(one) - len(other)) > most:
        return 0.0
    if longest < _SHORT and other[:1] not in one[:2]:  # few slips are in the first letter, and `take` is no `cake`
        return 0.0
    letters, others = set(one), set(other)
    if len(letters - others) > most or len(others - letters) > most:
        return 0.0
    distance = _distance(one, other, most)
    return 1 - distance / longest if distance <= most else 0.0


def _distance(one: str, other: str, most: int) -> int:
    """Letters to insert, drop, change or swap with their neighbour; more than `most` where it is more than that."""
    start = 0
    while start < min(len(one), len(other)) and one[start] == other[start]:
        start += 1
    one, other = one[start:], other[start:]
    while one and other and one[-1] == other[-1]:
        one, other = one[:-1], other[:-1]
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, a in enumerate(one, 1):
        earlier, before, row = before, row, [i]
        for j, b in enumerate(other, 1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (a != b))
            if i > 1 and j > 1 and a == other[j - 2] and one[i - 2] == b:
                cost = min(cost, earlier[j - 2] + 1)
            row.append(cost)
        if min(row) > most and min(before) > most:
            return most + 1
    return row[-1]


class Matched:
    """What the words of a goal found: scores by segment, and the most a tool could have reached."""

    def __init__(self, scores: list[Floats], ideal: float, stems: dict[str, float], slips: dict[str, str]) -> None:
        self.scores = scores
        self.ideal = ideal
        self.stems = stems  # stem -> its weight
        self.slips = slips  # found spelling -> as written


def match(view: View, stems: Mapping[str, float]) -> Matched:
    """Score every visible tool by the goal's stems, each counted once and for the share it is given."""
    scores = [np.zeros(segment.count, np.float32) for segment in view.segments]
    weights: dict[str, float] = {}
    slips: dict[str, str] = {}
    ideal = 0.0
    for stem, part in stems.items():
        spelled = [(stem, 1.0, view.shares(stem))]
        if not any(len(tools) for tools, _ in spelled[0][2]):
            spelled = [(word, alike * alike, view.shares(word)) for word, alike in view.near(stem)]
            slips |= {word: stem for word, _, _ in spelled}
        best = _rarity(view.count, 0)
        for word, share, found in spelled:
            rarity = _rarity(view.count, sum(len(tools) for tools, _ in found))
            weight = part * share * rarity
            weights[word] = max(weight, weights.get(word, 0.0))
            best = min(best, rarity)
            step = np.float32(weight * (K1 + 1))
            for score, (tools, said) in zip(scores, found, strict=True):
                if len(tools):
                    np.add.at(score, tools, said * step)
        ideal += part * best
    return Matched(scores, ideal * (K1 + 1), weights, slips)


def _rarity(count: int, holding: int) -> float:
    """How much a word says that `holding` of `count` tools have."""
    return math.log(1 + (count - holding + 0.5) / (holding + 0.5))
