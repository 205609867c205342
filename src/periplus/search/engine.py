"""The search engine: a goal and a scope become ranked, explained, calibrated hits, from files every process shares."""

from collections import OrderedDict
from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec
import numpy as np

from periplus.model import Code, Effect, Problem, Scope, Selector, ToolRef
from periplus.search.calibration import Calibration, features_of
from periplus.search.clauses import split, without_values
from periplus.search.fusion import Weights, best, fuse, share_page
from periplus.search.hits import Found, Hit, Why
from periplus.search.index import Generation, Index
from periplus.search.lexical import Floats, Matched, View, match
from periplus.search.records import Record
from periplus.search.segment import Segment, key_of
from periplus.search.semantic import Model, scan
from periplus.search.text import terms
from periplus.search.visibility import Truths, visible

MOST_HITS = 1_000
LONGEST_GOAL = 4_000  # characters read; the rest of a pasted document says nothing new
_DEPTH = 256
_ROOM = 10  # places within which every clause of a goal shows
_SCOPES = 64
EVERYTHING = Scope()


class Engine:
    """Search over one catalog's index. Reads are plain functions and may run in threads."""

    def __init__(self, folder: Path, model: Model | None = None) -> None:
        self.model = model or Model()
        self.index = Index(folder, self.model)
        self.weights = msgspec.convert(self.model.settings.get("weights", {}), Weights)
        self.calibration = Calibration.of(self.model.settings)
        self._views: OrderedDict[tuple[int, Scope, Selector | None], View] = OrderedDict()

    @property
    def revision(self) -> int:
        """The catalog revision that searches see."""
        return self.index.current.revision

    def rebuild(self, revision: int, records: Iterable[Record]) -> None:
        """Index exactly these tools."""
        self.index.rebuild(revision, records)

    def update(self, revision: int, changed: Iterable[Record], removed: Iterable[str] = ()) -> None:
        """Index what changed."""
        self.index.update(revision, changed, removed)

    def view(self, scope: Scope = EVERYTHING, within: Selector | None = None) -> View:
        """The visible tools, remembered while the index stays as it is."""
        now = self.index.current
        key = (id(now), scope, within)
        view = self._views.get(key)
        if view is None:
            pairs = zip(now.segments, now.dead, strict=True)
            view = View(now.segments, [visible(segment, scope, within, gone) for segment, gone in pairs])
            view.generation = now
            self._views[key] = view
            while len(self._views) > _SCOPES:
                self._views.popitem(last=False)
        return view
