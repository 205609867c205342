"""Text as rows of the embedding table: whole words, word pieces, and frequent two-word phrases."""

from collections.abc import Sequence

from periplus.search.text import chunks, split_chunk

_PIECE = "##"
_LONGEST_PIECE = 20


class Pieces:
    """The vocabulary of a table: `word`, `##continuation` and `two words`, each at its row."""

    def __init__(self, vocabulary: Sequence[str]) -> None:
        self._rows = {entry: row for row, entry in enumerate(vocabulary)}
        self._words: dict[str, tuple[int, ...]] = {}
        self._phrases = {
            (first, second): row
            for entry, row in self._rows.items()
            for first, gap, second in (entry.partition(" "),)
            if gap
        }

    def rows(self, text: str, limit: int) -> list[int]:
        """The table rows of the text's first `limit` words and phrases, in order, repeated as they occur."""
        found: list[int] = []
        before = ""
        for chunk in chunks(text):
            joined, parts = split_chunk(chunk)
            for word in (joined,) if joined and joined in self._rows else parts:
                found += self._word(word)
                phrase = self._phrases.get((before, word))
                if phrase is not None:
                    found.append(phrase)
                before = word
            if len(found) >= limit:
                return found[:limit]
        return found

    def _word(self, word: str) -> tuple[int, ...]:
        known = self._words.get(word)
        if known is None:
            if len(self._words) > 1 << 17:
                self._words.clear()
            known = self._words[word] = self._spell(word)
        return known

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
