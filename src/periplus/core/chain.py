"""Whether a trail is whole: every row as it was written, none missing, none at the end cut off."""

from __future__ import annotations

import msgspec

from periplus.model import START, Recorded, chained, event_text

_TOLD = 20


class Fault(msgspec.Struct, frozen=True, kw_only=True):
    """One place where a trail is not as it was written."""

    seq: int
    what: str


class Checked(msgspec.Struct, frozen=True, kw_only=True):
    """A trail that was followed from its first row to its last."""

    rows: int
    first: int
    last: int
    hash: str  # of the last row: noted elsewhere, it proves later that nothing before it was rewritten
    faults: tuple[Fault, ...] = ()  # the first of them
    more: int = 0  # and how many beyond those


class Anchor(msgspec.Struct, frozen=True, kw_only=True):
    """What somebody noted of a trail: the hash one row had."""

    seq: int
    hash: str


class Chain:
    """Follows rows one by one. The first may be any: what comes before it is not judged."""

    def __init__(self, anchor: Anchor | None = None) -> None:
        self._anchor = anchor
        self._rows = 0
        self._first = 0
        self._last = 0
        self._hash = START
        self._faults: list[Fault] = []

    def begin(self, first: Recorded) -> None:
        """Start at a row in the middle, as an export of the newer rows does."""
        self._last, self._hash = first.seq - 1, first.previous

    def take(self, row: Recorded) -> None:
        """The next row."""
        if row.seq != self._last + 1:
            self._say(row.seq, _gap(self._last + 1, row.seq - 1))
        elif row.previous != self._hash:
            self._say(row.seq, f"row {row.seq} does not follow row {self._last} as that is now")
        if row.hash != chained(row.seq, event_text(row.event), row.previous):
            self._say(row.seq, f"row {row.seq} was changed")
        if self._anchor and row.seq == self._anchor.seq and row.hash != self._anchor.hash:
            self._say(row.seq, f"row {row.seq} is not the one that was noted")
        self._first = self._first or row.seq
        self._rows, self._last, self._hash = self._rows + 1, row.seq, row.hash

    def unreadable(self, number: int) -> None:
        """A line that is no row as it was exported."""
        self._say(self._last + 1, f"line {number} was changed")

    def end(self, tip: tuple[int, str] | None) -> Checked:
        """What was found; `tip` is what the trail says of its own end."""
        if tip is None:
            self._say(self._last, "the end is missing")
        elif tip[0] > self._last:
            self._say(tip[0], _gap(self._last + 1, tip[0]))
        elif tip != (self._last, self._hash):
            self._say(self._last, f"row {self._last} is not where the trail ended")
        if self._anchor and self._anchor.seq > self._last:
            self._say(self._anchor.seq, f"row {self._anchor.seq}, which was noted, is not there")
        told = tuple(self._faults[:_TOLD])
        return Checked(
            rows=self._rows,
            first=self._first,
            last=self._last,
            hash=self._hash,
            faults=told,
            more=len(self._faults) - len(told),
        )

    def _say(self, seq: int, what: str) -> None:
        self._faults.append(Fault(seq=seq, what=what))


def _gap(first: int, last: int) -> str:
    if last < first:
        return f"row {first} stands in the wrong place"
    return f"row {first} is missing" if first == last else f"rows {first} to {last} are missing"
