"""Quality mode beside an index: which tools lack the network's vectors, and giving them theirs."""

from collections.abc import Sequence

from periplus.model import Tool
from periplus.search.encoder import Encoder, text_of
from periplus.search.fine import FineVectors, leftover
from periplus.search.index import Index
from periplus.search.segment import Segment

_MOSTLY = 0.5  # from this share of tools on, answers are those of quality mode


class Refining:
    """Vectors of the network for the segments of one index. One process at a time fills them in; all read them."""

    def __init__(self, index: Index, encoder: Encoder) -> None:
        self._index = index
        self.encoder = encoder
        self._open: dict[str, FineVectors] = {}

    def vectors(self, segments: Sequence[Segment]) -> list[FineVectors | None]:
        """What there is by now, for each segment."""
        self._open = {name: self._open[name] for name in self._open.keys() & {segment.name for segment in segments}}
        return [self._of(segment) for segment in segments]

    def mostly(self, fine: Sequence[FineVectors | None]) -> bool:
        """Whether most of the tools have theirs."""
        total = sum(segment.count for segment in self._index.current.segments)
        return total > 0 and sum(int(one.known.sum()) for one in fine if one) >= _MOSTLY * total

    def lacking(self, most: int) -> list[str]:
        """Refs of living tools without vectors, the first of them; unchanged tools take theirs along."""
        self._make()
        found: list[str] = []
        current = self._index.current
        for segment, gone in zip(current.segments, current.dead, strict=True):
            fine, dead = self._of(segment), set(map(int, gone))
            for place in [] if fine is None else (~fine.known).nonzero()[0].tolist():
                if place not in dead:
                    found.append(segment.refs[place])
                if len(found) == most:
                    return found
        return found

    def refine(self, tools: Sequence[Tool]) -> int:
        """Encode these tools, as far as they are the ones that are indexed; how many were."""
        current = self._index.current
        placed = [(place, tool) for tool in tools if (place := current.find(str(tool.ref)))]
        for number, segment in enumerate(current.segments):
            mine = [(inside, tool) for (owner, inside), tool in placed if owner == number]
            fine = self._of(segment)
            if mine and fine is not None:
                fine.encoded([inside for inside, _ in mine], self.encoder.tools([text_of(tool) for _, tool in mine]))
        return len(placed)

    def _of(self, segment: Segment) -> FineVectors | None:
        known = self._open.get(segment.name)
        if known is not None:
            known.look()
            return known
        try:
            known = FineVectors(segment)
        except FileNotFoundError:
            return None
        self._open[segment.name] = known
        return known

    def _make(self) -> None:
        """Files for segments that have none, filled with what is known of their tools."""
        segments = [segment for segment in self._index.current.segments if segment.is_whole]
        for segment in segments:
            if self._of(segment) is None:
                made = FineVectors(segment, make=True)
                made.adopt(self._index.folder)
                self._open[segment.name] = made
        self._index.tidy(leftover(self._index.folder, [segment.name for segment in segments]))
