"""What has arrived of a site so far, and where something is still missing."""

from __future__ import annotations

from collections import Counter

from periplus.documents.schemas import Findings
from periplus.model import Code, Problem
from periplus.ports import ReadLimits
from periplus.sources.native.pages import Entry, Page


def pieces(id_: str) -> tuple[str, ...]:
    """`berths:prices:quote` is `quote` in `prices` in `berths`."""
    return tuple(piece.strip() for piece in id_.split(":") if piece.strip())


class Harvest:
    """Landmarks by id, each taken the first time it comes."""

    def __init__(self, place: str, limits: ReadLimits, findings: Findings) -> None:
        self.actions: dict[str, bytes] = {}
        self.areas: dict[str, Entry] = {}
        self._place = place
        self._limit = limits.operations
        self._findings = findings
        self._below: Counter[tuple[str, ...]] = Counter()
        self._odd: set[str] = set()

    def take(self, page: Page) -> None:
        """Add what a page brings that is new."""
        self._tell(page)
        for entry in page.entries:
            self._add(entry)

    def check(self, count: int) -> None:
        """Refuse more landmarks of a kind than a source may have."""
        if count > self._limit:
            raise Problem(
                Code.OVER_LIMIT,
                f"{self._place} has {count:,} landmarks of a kind or more; the limit is {self._limit:,}",
                hints=("raise [limits] operations",),
            )

    def lacks(self, id_: str) -> bool:
        """Whether an area says that more lies directly below it than has come."""
        said = self.areas[id_].children
        return said is None or said > self._below[pieces(id_)]

    def short(self) -> list[tuple[str, int, int]]:
        """Areas of which less came than they say, with both numbers; some count all that lies below, some less."""
        low = [id_ for id_ in self.areas if self.areas[id_].children is not None and self.lacks(id_)]
        if not low:
            return []
        whole: Counter[tuple[str, ...]] = Counter()
        for id_ in self.actions:
            names = pieces(id_)
            whole.update(names[:end] for end in range(1, len(names)))
        counted = [(id_, self.areas[id_].children or 0, pieces(id_)) for id_ in low]
        return [
            (id_, said, max(whole[names], self._below[names]))
            for id_, said, names in counted
            if said > max(whole[names], self._below[names])
        ]

    def _add(self, entry: Entry) -> None:
        kept = self.actions if entry.is_action else self.areas
        if entry.id in kept:
            return
        if entry.is_action:
            self.actions[entry.id] = entry.raw
        else:
            self.areas[entry.id] = entry
        self._below[pieces(entry.id)[:-1]] += 1
        self.check(len(kept))

    def _tell(self, page: Page) -> None:
        for note in page.notes:
            self._findings.lenient(note)
        for odd in page.odd:
            if odd not in self._odd:  # the same page may come by two ways
                self._odd.add(odd)
                self._findings.skipped("/landmarks", "", f"a landmark without an id: {odd}")
