"""The search engine: a goal and a scope become ranked, explained, calibrated hits, from files every process shares."""

from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from pathlib import Path

import msgspec
import numpy as np

from periplus.model import Code, Effect, Problem, Scope, Selector, ToolRef
from periplus.search import names, patterns
from periplus.search.areas import areas_of
from periplus.search.calibration import Fitted, features_of
from periplus.search.encoder import Encoder
from periplus.search.explain import words_found
from periplus.search.fusion import share_page
from periplus.search.hits import Found, Hit, Matches, NodeHit, Resolved, Why
from periplus.search.index import Index
from periplus.search.lexical import Floats, View
from periplus.search.ranking import Goal, Ranking, rank
from periplus.search.records import Record, mark_of
from periplus.search.refining import Refining
from periplus.search.segment import Segment
from periplus.search.semantic import Model
from periplus.search.text import terms
from periplus.search.visibility import visible

MOST_HITS = 1_000
_ROOM = 10  # places within which every clause of a goal shows
_SCOPES = 64
_NEAR_NAMES = 5
_NEAR_POOL = 200
_AREA_HITS = 100
_TOLD, _TOLD_MOST = 2.5, 0.9  # what a remembered call or an example adds to a chance
_NAME_SCORE = 2.0
_SERVED = 0.5  # the score from which a clause is served
_NAMED = 0.99  # a goal that is a tool's name means that tool
EVERYTHING = Scope()


class Engine:
    """Search over one catalog's index. Reads are plain functions that share nothing mutable but a cache."""

    def __init__(self, folder: Path, model: Model | None = None, encoder: Encoder | None = None) -> None:
        self.model = model or Model()
        self.index = Index(folder, self.model)
        settings = self.model.settings
        self.plain, self.finer = Fitted.of(settings), Fitted.of(settings | settings.get("quality", {}))
        self.refining = Refining(self.index, encoder) if encoder else None
        self._views: OrderedDict[tuple[int, Scope, Selector | None], View] = OrderedDict()

    @property
    def revision(self) -> int:
        """The catalog revision that searches see; 0 when there is no usable index yet."""
        return self.index.current.revision

    @property
    def damage(self) -> str:
        """Why the files that were found cannot be used, or nothing."""
        return self.index.damage

    @property
    def outdated(self) -> bool:
        """The index was written with another version of the model: rebuild when idle."""
        return self.index.outdated

    @property
    def scattered(self) -> bool:
        """So many small segments or forgotten tools that `settle` makes searching faster."""
        return self.index.scattered

    @property
    def lacking(self) -> int:
        """How many tools only names and patterns find by now."""
        return self.index.current.lacking

    def settle(self) -> bool:
        """A step towards an index that is whole and quick; False when there is nothing left to do."""
        return self.index.settle()

    def refresh(self) -> bool:
        """Take over an index another process wrote."""
        return self.index.refresh()

    def rebuild(self, revision: int, records: Iterable[Record]) -> None:
        """Index exactly these tools."""
        self.index.rebuild(revision, records)

    def update(
        self, revision: int, changed: Iterable[Record], removed: Iterable[str] = (), *, anew: bool = False
    ) -> None:
        """Take in new and changed tools, forget removed refs; `anew`: everything that was there before."""
        self.index.enroll(revision, changed, removed, anew=anew)

    def stale(self, source: str, wanted: Mapping[str, str]) -> tuple[set[str], set[str]]:
        """Paths of a source to index (path -> fingerprint is what there should be), and refs to forget."""
        have = self.index.current.marks(source)
        changed = {path for path, fingerprint in wanted.items() if have.get(path) != int(mark_of(fingerprint), 16)}
        return changed, {f"{source}/{path}" for path in have.keys() - wanted.keys()}

    def sources(self) -> set[str]:
        """The sources that have tools in the index."""
        return self.index.current.sources()

    def view(self, scope: Scope = EVERYTHING, within: Selector | None = None) -> View:
        """The visible tools, remembered while the index stays as it is."""
        now = self.index.current
        key = (now.number, scope, within)
        view = self._views.get(key)
        if view is None:
            if any(number != now.number for number, _, _ in self._views):
                self._views = OrderedDict()  # what was is not looked at again, and its files can be let go
            pairs = zip(now.segments, now.dead, strict=True)
            view = View(now.segments, [visible(segment, scope, within, gone) for segment, gone in pairs], now.revision)
            self._views[key] = view
            while len(self._views) > _SCOPES:
                self._views.popitem(last=False)
        if self.refining:
            view.fine = self.refining.vectors(view.segments)
        return view

    def read(self, goal: str, view: View) -> tuple[Goal, Fitted]:
        """A goal as this view is to be asked, and what was fitted for that."""
        if self.refining and self.refining.mostly(view.fine):
            return Goal(goal, self.model, self.finer.weights.value, self.refining.encoder), self.finer
        return Goal(goal, self.model, self.plain.weights.value), self.plain

    def search(
        self,
        goal: str,
        scope: Scope = EVERYTHING,
        *,
        limit: int = 10,
        start: int = 0,
        within: Selector | None = None,
        boosts: Mapping[str, float] | None = None,
    ) -> Found:
        """Tools for a goal, from the `start`-th on; `boosts` is what memory says of refs."""
        _check(goal, limit, start)
        view = self.view(scope, within)
        read, fitted = self.read(goal, view)
        ranked = self._rank(view, read, fitted, boosts)
        if not ranked.ranking.places.size:
            return Found(hits=(), clauses=read.clauses, revision=view.revision, ready=view.ready)
        shown = ranked.shown[:MOST_HITS]
        if not shown:
            best, scores = ranked.ranking.places[:_ROOM], ranked.ranking.score[:_ROOM]
            nearest = areas_of(view, best, scores, fitted.calibration)
            near = nearest[0].path if nearest else ""
            return Found(hits=(), nearest=near, clauses=read.clauses, revision=view.revision, ready=view.ready)
        page = shown[start : start + limit]
        hits = tuple(self._hit(view, read, ranked, place, boosts or {}) for place in page)
        more = len(shown) > start + limit
        return Found(hits=hits, more=more, clauses=read.clauses, revision=view.revision, ready=view.ready)

    def chances(
        self, goal: str, scope: Scope = EVERYTHING, *, boosts: Mapping[str, float] | None = None
    ) -> tuple[tuple[ToolRef, float], ...]:
        """Every tool that may be shown with its probability, likeliest first, equal ones in order of ref."""
        _check(goal, 1, 0)
        view = self.view(scope)
        ranked = self._rank(view, *self.read(goal, view), boosts)
        found = (
            (view.ref(int(ranked.ranking.places[one])), round(float(ranked.chance[one]), 4)) for one in ranked.shown
        )
        ordered = sorted(found, key=lambda pair: (-pair[1], pair[0]))[:MOST_HITS]
        return tuple((ToolRef(*ref.split("/", 1)), chance) for ref, chance in ordered)

    def together(self, chances: Sequence[float], missed: float, share: float) -> float:
        """What the calibration says of several hits at one place."""
        fitted = self.finer if self.refining and self.refining.mostly(self.view().fine) else self.plain
        return fitted.calibration.together(chances, missed, share)

    def search_nodes(
        self, goal: str, scope: Scope = EVERYTHING, *, limit: int = 10, within: Selector | None = None
    ) -> tuple[NodeHit, ...]:
        """Areas whose tools serve the goal."""
        _check(goal, limit, 0)
        view = self.view(scope, within)
        read, fitted = self.read(goal, view)
        ranked = self._rank(view, read, fitted, None)
        kept = ranked.shown[:_AREA_HITS]
        chance = np.array([ranked.chance[place] for place in kept], np.float32)
        return areas_of(view, ranked.ranking.places[kept], chance, fitted.calibration)[:limit]

    def similar(self, ref: ToolRef, scope: Scope = EVERYTHING, *, limit: int = 10) -> Found:
        """Tools that could stand in for a visible one."""
        view = self.view(scope)
        place = self._visible_place(view, str(ref))
        segment, inside = view.at(place)
        text = f"{ref.leaf} {segment.summaries[inside]}"
        meant = segment.vectors[inside] * segment.factors[inside] if segment.is_whole else self.model.goals([text])[0]
        goal = Goal.like(text, meant, self.model.version)
        ranked = self._rank(view, goal, self.plain, None, itself=place)
        shown = ranked.shown[:limit]
        return Found(
            hits=tuple(self._hit(view, goal, ranked, one, {}) for one in shown),
            more=len(ranked.shown) > limit,
            revision=view.revision,
            ready=view.ready,
        )

    def match(self, pattern: str, scope: Scope = EVERYTHING, *, limit: int = 100, after: str = "") -> Matches:
        """Tools whose ref a regular expression finds, in order of ref, those after a ref."""
        _check_limit(limit)
        view = self.view(scope)
        taken = list(islice(patterns.matching(view, pattern, after), limit + 1))
        return Matches(hits=tuple(_plain(view, place) for _, place in taken[:limit]), more=len(taken) > limit)

    def resolve(self, name: str, scope: Scope = EVERYTHING) -> Resolved:
        """Visible tools that have this name, else those whose name is near."""
        view = self.view(scope)
        exact = tuple(ToolRef(*view.ref(place).split("/", 1)) for place in names.exact(view, name))
        if exact or not terms(name):
            return Resolved(exact=exact)
        ranking = rank(view, Goal(name, self.model, 1.0), self.plain.weights)
        pool = [view.ref(int(place)) for place in ranking.places[:_NEAR_POOL]]
        near = names.by_likeness(name, pool, _NEAR_NAMES)
        return Resolved(exact=(), near=tuple(ToolRef(*ref.split("/", 1)) for ref in near))

    def _visible_place(self, view: View, ref: str) -> int:
        start = 0
        for segment, shown in zip(view.segments, view.shown, strict=True):
            place = segment.refs.find(ref)
            if place >= 0 and (shown is None or shown[place]):
                return start + place
            start += segment.count
        raise Problem(Code.TOOL_NOT_FOUND, f"no such tool: {ref!r}", hints=("search for what it does",))

    def _rank(
        self, view: View, goal: Goal, fitted: Fitted, boosts: Mapping[str, float] | None, *, itself: int = -1
    ) -> "_Ranked":
        exact = names.exact(view, goal.text) if itself < 0 else []
        told: dict[int, float] = {}  # what is known of tools from elsewhere than their texts
        for ref, gained in (boosts or {}).items():
            place = view.place(ref)
            if place is not None:
                told[place] = gained
        for place, gained in view.taught(goal.vector, goal.version).items():
            told[place] = max(told.get(place, 0.0), gained)
        extra = told | {place: _NAME_SCORE + told.get(place, 0.0) for place in exact}
        ranking = rank(view, goal, fitted.weights, extra).without(itself)
        features = features_of(np.clip(ranking.score, 0, 1), ranking.words, ranking.meaning, view.count, goal.length)
        chance = fitted.calibration.probabilities(features)
        for one, place in enumerate(ranking.places.tolist()):
            if place in told:
                chance[one] = 1 - (1 - chance[one]) * (1 - min(_TOLD * told[place], _TOLD_MOST))
            if place in exact:
                chance[one] = max(chance[one], _NAMED)
        for row in ranking.by_clause if ranking.places.size else ():
            best = int(np.argmax(row))
            if row[best] >= _SERVED:  # it serves its clause, however small its part of the whole goal is
                chance[best] = max(chance[best], fitted.calibration.least)
        first = np.argsort(-chance, kind="stable").tolist()
        by_clause = [np.argsort(-row, kind="stable")[:2].tolist() for row in ranking.by_clause if ranking.places.size]
        order = share_page(first, by_clause, _ROOM)
        shown = [one for one in order if chance[one] >= fitted.calibration.least]
        return _Ranked(ranking, chance, shown if fitted.calibration.answers(chance) else [], set(exact))

    def _hit(self, view: View, goal: Goal, ranked: "_Ranked", one: int, boosts: Mapping[str, float]) -> Hit:
        place = int(ranked.ranking.places[one])
        plain = _plain(view, place)
        matched = ranked.ranking.matched
        clause = ""
        if len(ranked.ranking.by_clause):
            clause = goal.clauses[int(np.argmax(ranked.ranking.by_clause[:, one]))]
        ref = str(plain.ref)
        why = Why(
            words=words_found(matched.stems if matched else (), ref, plain.summary, plain.signature),
            spelled={written: found for found, written in (matched.slips if matched else {}).items()},
            meaning=round(float(ranked.ranking.meaning[one]), 3),
            exact=place in ranked.named,
            used=round(boosts.get(ref, 0.0), 3),
            clause=clause,
        )
        return msgspec.structs.replace(plain, score=round(float(ranked.chance[one]), 4), why=why)


class _Ranked:
    """A ranking with probabilities, and what of it is shown in which order: nothing when nothing fits."""

    def __init__(self, ranking: Ranking, chance: Floats, shown: Sequence[int], named: set[int]) -> None:
        self.ranking, self.chance, self.shown, self.named = ranking, chance, shown, named


def _plain(view: View, place: int) -> Hit:
    segment, inside = view.at(place)
    return Hit(
        ref=ToolRef(*segment.refs[inside].split("/", 1)),
        summary=segment.summaries[inside],
        signature=segment.signatures[inside],
        effect=Effect(int(segment.effects[inside])),
        score=1.0,
        why=Why(),
    )


def _check(goal: str, limit: int, start: int) -> None:
    if not goal.strip():
        raise Problem(Code.BAD_INPUT, "the goal is empty", hints=("say in a few words what you want to do",))
    _check_limit(limit)
    if start < 0:
        raise Problem(Code.BAD_INPUT, f"a page cannot start at {start}", hints=("start at 0",))


def _check_limit(limit: int) -> None:
    if not 1 <= limit <= MOST_HITS:
        raise Problem(
            Code.BAD_INPUT, f"limit is {limit}, not 1 to {MOST_HITS}", hints=("ask for fewer and use the next page",)
        )


__all__ = ["EVERYTHING", "MOST_HITS", "Engine", "Segment"]
