"""Text as rows of the embedding table: whole words, word pieces, and frequent two-word phrases."""

from collections.abc import Sequence

from periplus.search.text import chunks, split_chunk

_PIECE = "##"
_LONGEST_PIECE = 20


class Pieces:
    """The vocabulary of a table: `word`, `##continuation` and `two words`, each at its row."""

    def __init__(self, vocabulary: Sequence[str]) -> None:
        self._entries = vocabulary
        self._rows = {entry: row for row, entry in enumerate(vocabulary)}
        self._known: dict[str, tuple[tuple[int, ...], str, str]] = {}
        self._phrases = {
            (first, second): row
            for entry, row in self._rows.items()
            for first, gap, second in (entry.partition(" "),)
            if gap
        }
        self._begin = {first for first, _ in self._phrases}
        self._end = {second for _, second in self._phrases}

    def row(self, word: str) -> int | None:
        """The row of a word that has one of its own."""
        return self._rows.get(word)

    def word(self, row: int) -> str:
        """What a row is for."""
        return self._entries[row]

    def has(self, word: str) -> bool:
        """Whether a word has a row of its own."""
        return word in self._rows

    def rows(self, text: str, limit: int) -> list[int]:
        """The table rows of the text's first words and phrases, in order, repeated as they occur."""
        return self.rows_of(chunks(text), limit)

    def rows_of(self, runs: list[str], limit: int) -> list[int]:
        """`rows` of a text that is already in chunks."""
        found: list[int] = []
        known, phrases = self._known, self._phrases
        before = ""
        for run in runs[:limit]:
            entry = known.get(run)
            if entry is None:
                entry = self._learn(run)
            rows, first, last = entry
            if before and first and (before, first) in phrases:
                found.append(phrases[before, first])
            found += rows
            before = last
        return found[:limit]

    def _learn(self, run: str) -> tuple[tuple[int, ...], str, str]:
        """The rows of one chunk, and its first and last word as far as phrases end and begin with them."""
        if len(self._known) > 1 << 16:
            self._known.clear()
        joined, parts = split_chunk(run)
        spoken = (joined,) if joined and joined in self._rows else parts
        found: list[int] = []
        for place, word in enumerate(spoken):
            phrase = self._phrases.get((spoken[place - 1], word)) if place else None
            if phrase is not None:
                found.append(phrase)
            found += self._spell(word)
        first, last = (spoken[0], spoken[-1]) if spoken else ("", "")
        entry = (tuple(found), first if first in self._end else "", last if last in self._begin else "")
        self._known[run] = entry
        return entry

    def _spell(self, word: str) -> tuple[int, ...]:
        """The word itself, else the longest pieces from the left; a word that cannot be spelled has no rows."""
        found: list[int] = []
        start, lead = 0, ""
        while start < len(word):
            for end in range(min(len(word), start + _LONGEST_PIECE), start, -1):
                row = self._rows.get(lead + word[start:end])
                if row is not None:
                    break
            else:
                return ()
            found.append(row)
            start, lead = end, _PIECE
        return tuple(found)
