"""Text as the numbers a BERT reads: words without case and accents, and the longest pieces they are made of."""

import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

VOCABULARY = Path(__file__).parent / "model" / "wordpieces.txt"
_LONGEST_WORD = 100
_LONGEST_TEXT = 4_000


class WordPieces:
    """The vocabulary of BERT, uncased."""

    def __init__(self, path: Path = VOCABULARY) -> None:
        lines = path.read_text(encoding="utf-8").split("\n")
        self._ids = {piece: number for number, piece in enumerate(lines) if piece}
        self._unknown = self._ids["[UNK]"]
        self._first, self._last = self._ids["[CLS]"], self._ids["[SEP]"]
        self._spelled = lru_cache(1 << 16)(self._spell)

    def ids(self, text: str, most: int) -> list[int]:
        """The pieces of a text between the marks of its beginning and end, `most` of them with the marks."""
        found = [self._first]
        for word in _words(text[:_LONGEST_TEXT]):
            found += self._spelled(word)
            if len(found) >= most:
                break
        return [*found[: most - 1], self._last]

    def _spell(self, word: str) -> tuple[int, ...]:
        if len(word) > _LONGEST_WORD:
            return (self._unknown,)
        found: list[int] = []
        start, lead = 0, ""
        while start < len(word):
            for end in range(len(word), start, -1):
                number = self._ids.get(lead + word[start:end])
                if number is not None:
                    break
            else:
                return (self._unknown,)
            found.append(number)
            start, lead = end, "##"
        return tuple(found)


def _words(text: str) -> Iterator[str]:
    """Runs of letters and digits; each mark and each ideograph is a word of its own."""
    run: list[str] = []
    for char in unicodedata.normalize("NFD", text.lower()):
        kind = unicodedata.category(char)
        if kind == "Mn":
            continue
        alone = _is_mark(char, kind) or _is_ideograph(char)
        if alone or char.isspace() or kind[0] == "C":
            if run:
                yield "".join(run)
                run = []
            if alone:
                yield char
        else:
            run.append(char)
    if run:
        yield "".join(run)


def _is_mark(char: str, kind: str) -> bool:
    return kind[0] == "P" or (char.isascii() and char.isprintable() and not char.isalnum() and not char.isspace())


def _is_ideograph(char: str) -> bool:
    return (
        "\u3400" <= char <= "\u4dbf"
        or "\u4e00" <= char <= "\u9fff"
        or "\uf900" <= char <= "\ufaff"
        or char >= "\U00020000"
    )
