"""Why a tool was found: which words of the goal stand where in what a reader sees of it."""

from collections.abc import Iterable

from periplus.search.text import chunks, split_chunk, stem

_MOST_WORDS = 8


def words_found(stems: Iterable[str], ref: str, summary: str, signature: str) -> dict[str, tuple[str, ...]]:
    """The goal's words by the field they stand in; those found only in unseen text are left out."""
    wanted = set(stems)
    area, _, leaf = ref.rpartition("/")
    found: dict[str, tuple[str, ...]] = {}
    for field, text in (("name", leaf), ("path", area), ("summary", summary), ("parameters", signature)):
        met = tuple(dict.fromkeys(word for word in _spoken(text) if stem(word) in wanted))[:_MOST_WORDS]
        if met:
            found[field] = met
    return found


def _spoken(text: str) -> Iterable[str]:
    for run in chunks(text[:500]):
        joined, parts = split_chunk(run)
        if joined:
            yield joined
        yield from parts
