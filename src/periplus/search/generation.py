"""One state of the index: what a search reads from beginning to end, whatever is written meanwhile."""

from collections.abc import Sequence
from itertools import count

from periplus.search.sections import Array
from periplus.search.segment import Segment

_numbers = count(1)


class Generation:
    """Segments of one revision of the catalog, and which of their tools are gone."""

    def __init__(self, revision: int, segments: Sequence[Segment], dead: Sequence[Array]) -> None:
        self.number = next(_numbers)
        self.revision = revision
        self.segments = tuple(segments)
        self.dead = tuple(dead)
        living = [segment.count - len(gone) for segment, gone in zip(self.segments, self.dead, strict=True)]
        self.size = sum(living)  # living tools, hidden ones included
        self.lacking = sum(
            alive for alive, segment in zip(living, self.segments, strict=True) if not segment.is_whole
        )  # those of them that names and patterns alone find

    def find(self, ref: str) -> tuple[int, int] | None:
        """Which segment has the living tool, and where in it."""
        for number, (segment, gone) in enumerate(zip(self.segments, self.dead, strict=True)):
            place = segment.refs.find(ref)
            if place >= 0 and place not in gone:
                return number, place
        return None

    def marks(self, source: str) -> dict[str, int]:
        """Path -> mark of the living tools of a source."""
        found: dict[str, int] = {}
        prefix = f"{source}/".encode()
        for segment, gone in zip(self.segments, self.dead, strict=True):
            start, end = segment.refs.lower_bound(prefix), segment.refs.lower_bound(prefix + b"\xff")
            dead = set(map(int, gone))
            for place in range(start, end):
                if place not in dead:
                    found[segment.refs[place][len(source) + 1 :]] = int(segment.text_keys[place])
        return found

    def sources(self) -> set[str]:
        """The sources that have tools here, dead ones included."""
        found: set[str] = set()
        for segment in self.segments:
            place = 0
            while place < segment.count:
                source = segment.refs[place].partition("/")[0]
                found.add(source)
                place = segment.refs.lower_bound(f"{source}/".encode() + b"\xff")
        return found
