"""One goal against the visible tools: every tool is scored, the best ones closely."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, Self

import numpy as np
import numpy.typing as npt
import simsimd

from periplus.search.clauses import split, without_values
from periplus.search.encoder import Encoder
from periplus.search.fine import FineVectors
from periplus.search.fusion import Weights, best, fuse
from periplus.search.lexical import Floats, Matched, View, match
from periplus.search.segment import Segment
from periplus.search.semantic import Model, scan, unit
from periplus.search.text import stem, terms, terms_in, words

Ints = npt.NDArray[np.int64]
LONGEST_GOAL = 4_000  # characters read; the rest of a pasted document says nothing new
DEPTH = 512
_CLAUSE_DEPTH = 128
_TOLD, _ALIKE = 48, 0.6  # tools whose summary is held against the goal, and how alike they have to be to gain by it
_ENDINGS = ("", "e", "s", "ion", "es")


class Goal:
    """A goal as the ranking reads it."""

    def __init__(self, text: str, model: Model, value: float, encoder: Encoder | None = None) -> None:
        self.version = model.version
        self.text = text[:LONGEST_GOAL]
        bare = without_values(self.text)
        self.clauses = split(self.text)
        self.stems = dict.fromkeys(terms(bare), 1.0)
        for said in terms(self.text):
            self.stems.setdefault(said, value)
        several = self.clauses if len(self.clauses) > 1 else ()
        self._model, self._spoken = model, (self.text, bare, *several)
        self.vector: Floats
        self.clause_vectors: Floats
        self.mean({})
        self.fine = encoder.goals([bare]) if encoder else None  # a clause more would cost as much again as all of it
        self.clause_stems = [dict.fromkeys(terms(without_values(clause)), 1.0) for clause in several]

    def mean(self, read_as: Mapping[str, str]) -> None:
        """Take what it means from its words; a stem that is a slip is read as another one."""
        spoken = [_corrected(text, read_as, self._model) for text in self._spoken] if read_as else self._spoken
        vectors = self._model.goals(spoken)
        self.vector = unit(vectors[0] + vectors[1])
        self.clause_vectors = vectors[2:]

    @property
    def length(self) -> int:
        """How many words it has."""
        return len(self.text.split())

    @classmethod
    def like(cls, text: str, vector: Floats, version: str) -> Self:
        """A goal that is a tool: its own words and its own vector."""
        goal = cls.__new__(cls)
        goal.text, goal.clauses, goal.version, goal.fine = text, (text,), version, None
        goal.stems = dict.fromkeys(terms(text), 1.0)
        goal.vector, goal.clause_vectors, goal.clause_stems = vector, np.zeros((0, len(vector)), np.float32), []
        return goal


def _corrected(text: str, read_as: Mapping[str, str], model: Model) -> str:
    """The text with slips read as what was found; a word that the model knows is none, whatever was found."""
    return " ".join(
        word if model.knows(word) or stem(word) not in read_as else _whole(read_as[stem(word)], model)
        for word in words(text)
    )


def _whole(root: str, model: Model) -> str:
    """A word that the model knows with this stem."""
    longer = [root + ending for ending in _ENDINGS] + [f"{root[:-1]}y"]
    return next((word for word in longer if model.knows(word)), root)


class Ranking:
    """The best tools, highest score first; a place is the tool's number over all segments."""

    def __init__(self, places: Ints, score: Floats, words: Floats, meaning: Floats, by_clause: Floats) -> None:
        self.places = places
        self.score = score
        self.words = words  # 0..1: what share of the goal's weight the tool's words carry
        self.meaning = meaning  # cosine
        self.by_clause = by_clause  # one row per clause, empty when the goal has one intent
        self.matched: Matched | None = None

    def without(self, place: int) -> Ranking:
        """The same, one tool left out: what it is like says nothing about itself."""
        kept = self.places != place
        if kept.all():
            return self
        rest = Ranking(
            self.places[kept], self.score[kept], self.words[kept], self.meaning[kept], self.by_clause[:, kept]
        )
        rest.matched = self.matched
        return rest


def rank(view: View, goal: Goal, weights: Weights, boosts: dict[int, float] | None = None) -> Ranking:
    """Score the visible tools for a goal; equal scores stand in order of segment and ref."""
    starts = np.cumsum([0, *(segment.count for segment in view.segments)])
    matched = match(view, goal.stems)
    if matched.slips:
        goal.mean({written: found for found, written in reversed(matched.slips.items())})
    parts = [match(view, stems) for stems in goal.clause_stems]
    top = max((float(score.max(initial=0)) for score in matched.scores), default=0.0)
    places: list[Ints] = []
    for number, segment in enumerate(view.segments):
        shown = view.shown[number]
        meaning = _meaning(goal, segment, view.fine[number], weights.fine)
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
    _as_told(view, ranking, goal, weights)
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


def _as_told(view: View, ranking: Ranking, goal: Goal, weights: Weights) -> None:
    """Raise the tools whose summary says the goal and little else: what is said beside it is another purpose."""
    wanted = set(goal.stems)
    for one in np.argsort(-ranking.score, kind="stable")[:_TOLD].tolist():
        segment, inside = view.at(int(ranking.places[one]))
        said = terms_in(segment.summaries[inside])
        if both := len(said & wanted):
            alike = 2 * both / (len(said) + len(wanted))
            ranking.score[one] += weights.told * max(0.0, (alike - _ALIKE) / (1 - _ALIKE)) ** 2


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
    worded = np.zeros(len(chosen), np.float32)
    clause_words = np.zeros((len(parts), len(chosen)), np.float32)
    meanings = np.zeros((1 + len(parts), len(chosen)), np.float32)
    for number, segment in enumerate(view.segments):
        mine = np.flatnonzero(owner == number)
        inside = chosen[mine] - starts[number]
        worded[mine] = matched.scores[number][inside]
        for row, part in enumerate(parts):
            clause_words[row, mine] = part.scores[number][inside]
        meanings[:, mine] = _closer(goal, segment, view.fine[number], weights.fine, inside)
    meaning = meanings[0]
    score = fuse(worded, meaning, top, matched.ideal, weights)
    by_clause = np.zeros((len(parts), len(chosen)), np.float32)
    for row, part in enumerate(parts):
        highest = max((float(score_.max(initial=0)) for score_ in part.scores), default=0.0)
        by_clause[row] = fuse(clause_words[row], meanings[1 + row], highest, part.ideal, weights)
    if len(parts):
        score = (score + weights.clause * by_clause.max(axis=0)) / (1 + weights.clause)
    return Ranking(chosen, score, worded / max(matched.ideal, 1e-6), meaning, by_clause)


def _meaning(goal: Goal, segment: Segment, fine: FineVectors | None, share: float) -> Floats:
    """How near every tool of a segment is; nothing where another version of the model encoded it."""
    if segment.model != goal.version:
        return np.zeros(segment.count, np.float32)
    near: Floats = scan(goal.vector[None], segment.vectors, segment.factors)[0]
    if fine is None or goal.fine is None:
        return near
    finer = scan(goal.fine[:1], fine.vectors, fine.factors)[0]
    mixed: Floats = np.where(fine.known, (1 - share) * near + share * finer, near).astype(np.float32)
    return mixed


def _closer(goal: Goal, segment: Segment, fine: FineVectors | None, share: float, inside: Ints) -> Floats:
    """The same of a few tools, the goal not rounded: a row for all of it, and one for each clause by the table."""
    goals = np.concatenate([goal.vector[None], goal.clause_vectors])
    if segment.model != goal.version:
        return np.zeros((len(goals), len(inside)), np.float32)
    near = _products(goals, segment.vectors[inside] * segment.factors[inside, None])
    if fine is None or goal.fine is None:
        return near
    finer = _products(goal.fine, (fine.vectors[inside] * fine.factors[inside, None]).astype(np.float32))
    near[:1] = np.where(fine.known[inside], (1 - share) * near[:1] + share * finer, near[:1])
    return near


def _products(goals: Floats, tools: Floats) -> Floats:
    """Every goal with every tool. numpy would wake a thread for each core, which costs more than the work itself."""
    if not len(tools):
        return np.zeros((len(goals), 0), np.float32)
    found: Floats = np.asarray(simsimd.cdist(goals, tools, metric="dot", out_dtype="float32"), np.float32)
    return found
