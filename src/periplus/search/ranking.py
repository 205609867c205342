"""One goal against the visible tools: every tool is scored, the best ones closely."""

from collections.abc import Sequence
from typing import NamedTuple, Self

import numpy as np
import numpy.typing as npt

from periplus.search.clauses import split, without_values
from periplus.search.fusion import Weights, best, fuse
from periplus.search.lexical import Floats, Matched, View, match
from periplus.search.semantic import Model, scan, unit
from periplus.search.text import terms

Ints = npt.NDArray[np.int64]
LONGEST_GOAL = 4_000  # characters read; the rest of a pasted document says nothing new
DEPTH = 512
_CLAUSE_DEPTH = 128


class Goal:
    """A goal as the ranking reads it."""

    def __init__(self, text: str, model: Model, value: float) -> None:
        self.text = text[:LONGEST_GOAL]
        bare = without_values(self.text)
        self.clauses = split(self.text)
        self.stems = dict.fromkeys(terms(bare), 1.0)
        for stem in terms(self.text):
            self.stems.setdefault(stem, value)
        several = self.clauses if len(self.clauses) > 1 else ()
        vectors = model.goals([self.text, bare, *several])
        self.vector: Floats = unit(vectors[0] + vectors[1])
        self.clause_vectors: Floats = vectors[2:]
        self.clause_stems = [dict.fromkeys(terms(without_values(clause)), 1.0) for clause in several]

    @classmethod
    def like(cls, text: str, vector: Floats) -> Self:
        """A goal that is a tool: its own words and its own vector."""
        goal = cls.__new__(cls)
        goal.text, goal.clauses = text, (text,)
        goal.stems = dict.fromkeys(terms(text), 1.0)
        goal.vector, goal.clause_vectors, goal.clause_stems = vector, np.zeros((0, len(vector)), np.float32), []
        return goal


class Ranking:
    """The best tools, highest score first; a place is the tool's number over all segments."""

    def __init__(self, places: Ints, score: Floats, words: Floats, meaning: Floats, by_clause: Floats) -> None:
        self.places = places
        self.score = score
        self.words = words  # 0..1: what share of the goal's weight the tool's words carry
        self.meaning = meaning  # cosine
        self.by_clause = by_clause  # one row per clause, empty when the goal has one intent
        self.matched: Matched | None = None


def rank(view: View, goal: Goal, weights: Weights, boosts: dict[int, float] | None = None) -> Ranking:
    """Score the visible tools for a goal; equal scores stand in order of segment and ref."""
    starts = np.cumsum([0, *(segment.count for segment in view.segments)])
    matched = match(view, goal.stems)
    parts = [match(view, stems) for stems in goal.clause_stems]
    top = max((float(score.max(initial=0)) for score in matched.scores), default=0.0)
    places: list[Ints] = []
    for number, segment in enumerate(view.segments):
        shown = view.shown[number]
        meaning = scan(goal.vector[None], segment.vectors, segment.factors)[0]
        fused = fuse(matched.scores[number], meaning, top, matched.ideal, weights)
        if shown is not None:
            fused[~shown] = 0
        found = [best(fused, DEPTH), *(best(part.scores[number], _CLAUSE_DEPTH) for part in parts)]
        if boosts:
            own = [place - int(starts[number]) for place in boosts if starts[number] <= place < starts[number + 1]]
            found.append(np.array(own, np.int64))
        places.append(np.unique(np.concatenate(found)) + starts[number])
    chosen = np.concatenate([*places, np.zeros(0, np.int64)])
    ranking = _closely(view, starts, chosen, _Asked(goal, matched, parts, weights, top))
    if boosts:
        ranking.score += np.array([boosts.get(int(place), 0.0) for place in ranking.places], np.float32)
    order = np.lexsort((ranking.places, -ranking.score))
    result = Ranking(
        ranking.places[order],
        ranking.score[order],
        ranking.words[order],
        ranking.meaning[order],
        ranking.by_clause[:, order],
    )
    result.matched = matched
    return result


class _Asked(NamedTuple):
    """A goal with what its words found: in all of it, and in each clause."""

    goal: Goal
    matched: Matched
    parts: Sequence[Matched]
    weights: Weights
    top: float


def _closely(view: View, starts: npt.NDArray[np.int_], chosen: Ints, asked: _Asked) -> Ranking:
    """The chosen tools with everything that is too slow to ask of all."""
    goal, matched, parts, weights, top = asked
    owner = np.searchsorted(starts, chosen, side="right") - 1
    words = np.zeros(len(chosen), np.float32)
    clause_words = np.zeros((len(parts), len(chosen)), np.float32)
    vectors = np.zeros((len(chosen), goal.vector.shape[-1]), np.float32)
    for number, segment in enumerate(view.segments):
        mine = np.flatnonzero(owner == number)
        inside = chosen[mine] - starts[number]
        words[mine] = matched.scores[number][inside]
        for row, part in enumerate(parts):
            clause_words[row, mine] = part.scores[number][inside]
        vectors[mine] = segment.vectors[inside] * segment.factors[inside, None]
    meaning = vectors @ goal.vector
    score = fuse(words, meaning, top, matched.ideal, weights)
    by_clause = np.zeros((len(parts), len(chosen)), np.float32)
    for row, part in enumerate(parts):
        highest = max((float(score_.max(initial=0)) for score_ in part.scores), default=0.0)
        by_clause[row] = fuse(clause_words[row], vectors @ goal.clause_vectors[row], highest, part.ideal, weights)
    if len(parts):
        score = (score + weights.clause * by_clause.max(axis=0)) / (1 + weights.clause)
    return Ranking(chosen, score, words / max(matched.ideal, 1e-6), meaning, by_clause)
