"""Which area of work a tool belongs to, by its ref, its tags and its words."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

import msgspec

from periplus.core.words import singular, words
from periplus.model import OWN_TREE, Node, glob_matches, segment

CAPABILITIES = f"{OWN_TREE}capability"
"""Where the tree of areas of work begins."""

_REF, _TAG = 10.0, 4.0
_LEAF, _AREA, _SUMMARY = 3.0, 2.0, 1.0
_SOURCE, _SOURCE_MOST = 1.5, 4.5  # what the source is about says a little of each of its tools
_ENOUGH = 2.0
_TELLING = 3  # letters of a word in a title: VoIP is no address
_METHODS = {(method,) for method in ("get", "put", "post", "patch", "delete", "head", "options")}


class Area(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One area, and what belongs there: refs and tags as globs, words as they stand in names and summaries."""

    path: str
    summary: str = ""
    refs: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    words: tuple[str, ...] = ()


class Subject(msgspec.Struct, frozen=True, kw_only=True):
    """What of a tool is looked at."""

    ref: str
    leaf: str
    areas: tuple[str, ...]
    tags: tuple[str, ...]
    summary: str


class Taxonomy:
    """Areas in the order of their file; the first of equals is taken."""

    def __init__(self, areas: Sequence[Area]) -> None:
        self._areas = tuple(areas)
        self._by_word: defaultdict[str, list[int]] = defaultdict(list)
        for number, area in enumerate(self._areas):
            for word in dict.fromkeys(singular(piece) for text in area.words for piece in words(text)):
                self._by_word[word].append(number)
        self.version = hashlib.sha256(msgspec.json.encode(self._areas)).hexdigest()[:12]

    def leaning(self, *texts: str) -> dict[int, float]:
        """Towards which areas a source leans, from what it says of itself."""
        found = Counter(number for word in _words(texts) for number in self._by_word.get(word, ()))
        return {number: min(count * _SOURCE, _SOURCE_MOST) for number, count in found.items()}

    def called(self, title: str) -> int | None:
        """The area that a source is named after, where tools of it stand that say nothing themselves."""
        return _best(self.leaning(" ".join(word for word in words(title) if len(word) >= _TELLING)), 0)

    def place(self, subject: Subject, leaning: dict[int, float], otherwise: int | None = None) -> str:
        """The whole path of the node that lists the tool: its area, then its source."""
        source = subject.ref.partition("/")[0]
        scores: dict[int, float] = {}
        for texts, worth in (
            ((_without_method(subject.leaf),), _LEAF),
            ((*subject.areas, *subject.tags), _AREA),
            ((subject.summary,), _SUMMARY),
        ):
            for word in _words(texts):
                for number in self._by_word.get(word, ()):
                    scores[number] = scores.get(number, 0.0) + worth
        for number, area in enumerate(self._areas):
            if area.refs or area.tags:
                scores[number] = scores.get(number, 0.0) + _named(area, subject)
        best = _best({number: score + leaning.get(number, 0.0) for number, score in scores.items()}, _ENOUGH)
        best = otherwise if best is None else best
        if best is None:
            return f"{CAPABILITIES}/{source}"
        return f"{CAPABILITIES}/{_path(self._areas[best])}/{source}"

    def nodes(self) -> list[Node]:
        """What the areas say of themselves."""
        return [
            Node(path=f"{CAPABILITIES}/{_path(area)}", title=area.path.rpartition("/")[2], summary=area.summary)
            for area in self._areas
        ]


def _best(scores: dict[int, float], least: float) -> int | None:
    """The area with the highest score, the first of equals; None where even that is too low."""
    best = max(scores, key=lambda number: (scores[number], -number), default=None)
    return None if best is None or scores[best] < least else best


def _without_method(leaf: str) -> str:
    """A name without the HTTP method that it begins with: who posts a charge publishes nothing."""
    return " ".join(words(leaf)[words(leaf)[:1] in _METHODS :])


def _named(area: Area, subject: Subject) -> float:
    by_ref = any(glob_matches(glob, subject.ref) for glob in area.refs)
    by_tag = any(glob_matches(glob.casefold(), tag.casefold()) for glob in area.tags for tag in subject.tags)
    return _REF * by_ref + _TAG * by_tag


def _path(area: Area) -> str:
    return "/".join(segment(name) for name in area.path.split("/"))


def _words(texts: Iterable[str]) -> set[str]:
    return {singular(word) for text in texts for word in words(text)}
