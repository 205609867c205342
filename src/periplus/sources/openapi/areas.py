"""Where operations stand: their tags as a hierarchy, else what their path tells (S-24 to S-27)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from periplus.model import FindingCode, NodeDraft, Severity
from periplus.sources.openapi.report import Report

Area = tuple[str, ...]
GENERAL: Area = ("general",)
SHARED = 0.95  # a prefix that so many paths share tells nothing apart
DEEPEST = 200  # no place lies deeper: a tag of a million colons is one name
_SEPARATOR = re.compile(r"\s+[/>]\s+|\s*::?\s*")
_SILENT = re.compile(r"apis?|rest|v\d+(?:[._-]?(?:\d+|alpha|beta|rc))*|\d+(?:\.\d+)+", re.IGNORECASE)


class Areas:
    """The places of one document. Each place that is asked for becomes a node, with all its ancestors."""

    def __init__(
        self,
        root: Mapping[str, Any],
        report: Report,
        nodes: list[NodeDraft],
        tags_in_use: Iterable[str],
    ) -> None:
        self._report = report
        self._nodes = nodes
        self._declared = _declared(root.get("tags"))
        self._slashed = _shared_prefixes((*self._declared, *tags_in_use))
        self._parents: dict[str, str] = {}
        self._by_tag: dict[str, Area] = {}
        for name in self._declared:
            self._of_tag(name)
        self._texts = {area: self._declared[tag] for tag, area in reversed(self._by_tag.items())}
        self._order = _in_order(self._by_tag.values())
        self._groups = self._grouped(root.get("x-tagGroups"))
        self._known: set[Area] = set()
        self._places: dict[tuple[str, ...], tuple[Area, ...]] = {}

    def of_tags(self, tags: Sequence[str]) -> tuple[Area, ...]:
        """All places of an operation with these tags, primary first."""
        key = tuple(tags)
        if key not in self._places:
            first = next((tag for tag in key if tag in self._declared), key[0])
            ordered = (first, *(tag for tag in key if tag != first))
            own = [self._of_tag(tag) for tag in ordered]
            grouped = [area for tag in ordered for area in self._groups.get(tag, ())]
            self._places[key] = self.places(*own, *grouped)
        return self._places[key]

    def places(self, *areas: Area) -> tuple[Area, ...]:
        """These places, each once; what they are in becomes nodes too."""
        for area in areas:
            for depth in range(1, len(area) + 1):
                self._enter(area[:depth])
        return tuple(dict.fromkeys(areas))

    def _enter(self, area: Area) -> None:
        if area in self._known:
            return
        self._known.add(area)
        tag = self._texts.get(area, {})
        description, shown = _text(tag.get("description")), _text(tag.get("x-displayName"))
        summary = _text(tag.get("summary")) or ("" if description else shown)
        place = self._order.get(area, 0)
        self._nodes.append(NodeDraft(path=area, title=shown, summary=summary, description=description, place=place))

    def _of_tag(self, tag: str) -> Area:
        """The area of a tag: under its declared `parent`, else as its separators say."""
        chain = self._ancestry(tag)
        for name in reversed(chain):
            area, above = self._split(name), self._by_tag.get(self._parents.get(name, ""), ())
            under = area if area[: len(above)] == above and len(area) > len(above) else (*above, *area)
            self._by_tag[name] = under if len(under) <= DEEPEST else self._split(name)
        return self._by_tag[tag]

    def _ancestry(self, tag: str) -> list[str]:
        """The tag and those above it whose areas are not known yet; parents that cannot hold it are dropped."""
        chain: list[str] = []
        while tag not in self._by_tag:
            chain.append(tag)
            parent = self._declared.get(tag, {}).get("parent")
            if not isinstance(parent, str) or not parent.strip():
                break
            tag, child = parent.strip(), tag
            if tag not in self._declared:
                self._orphan(child, tag, FindingCode.MISSING_MEMBER, "is not declared")
                break
            if tag in chain:
                for name in chain[chain.index(tag) :]:
                    self._parents.pop(name, None)
                    self._orphan(name, self._declared[name]["parent"], FindingCode.REF_CYCLE, "leads back to it")
                break
            self._parents[child] = tag
        return chain

    def _orphan(self, tag: str, parent: str, code: FindingCode, what: str) -> None:
        self._report.add(
            Severity.WARNING,
            code,
            "/tags",
            f"tag {tag!r}: its parent {parent!r} {what}; the tag stands at the root",
        )

    def _split(self, tag: str) -> Area:
        pieces = [piece.strip() for piece in _SEPARATOR.split(tag)]
        if len(pieces) == 1 and "/" in tag:
            pieces, start = [], 0
            for found in re.finditer("/", tag):
                if self._slashed[tag[: found.start()]] > 1:
                    pieces.append(tag[start : found.start()].strip())
                    start = found.end()
            pieces.append(tag[start:].strip())
        area = tuple(piece for piece in pieces if piece)
        return area if 0 < len(area) <= DEEPEST else (tag,)

    def _grouped(self, groups: object) -> dict[str, tuple[Area, ...]]:
        """Tag -> its places under `x-tagGroups`."""
        found: dict[str, tuple[Area, ...]] = {}
        for group in groups if isinstance(groups, list) else ():
            name = _text(group.get("name")) if isinstance(group, dict) else ""
            for tag in _strings(group.get("tags")) if name else ():
                found[tag] = (*found.get(tag, ()), (name, *self._of_tag(tag)))
        return found


def _in_order(areas: Iterable[Area]) -> dict[Area, int]:
    """Areas as their tags are declared; what they are in stands where the first of them does."""
    order: dict[Area, int] = {}
    for place, area in enumerate(areas, 1):
        for depth in range(1, len(area) + 1):
            order.setdefault(area[:depth], place)
    return order


class PathAreas:
    """The place of an operation without tags: the first segment of its path that tells operations apart."""

    def __init__(self, keys: Iterable[str]) -> None:
        self._prefix = _common_prefix([_segments(key) for key in keys])

    def of(self, key: str) -> Area:
        rest = _segments(key)
        for piece in self._prefix:
            if rest[:1] != [piece]:
                break
            rest = _after_silent(rest[1:])
        return (rest[0],) if rest else GENERAL


def tags_of(operation: Mapping[str, Any]) -> tuple[str, ...]:
    """The tags of an operation; null, an empty list and what is not text are no tags."""
    tags = operation.get("tags")
    if isinstance(tags, str):
        tags = [tags]
    return tuple(dict.fromkeys(_strings(tags)))


def area_of_text(text: str) -> Area:
    """The area an author writes out: `billing/invoices`."""
    return tuple(piece.strip() for piece in text.split("/") if piece.strip())


def _strings(value: object) -> list[str]:
    """The texts in a list; surrogates that no file can hold and blank ones are not texts."""
    if not isinstance(value, list):
        return []
    return [item.strip() for item in value if isinstance(item, str) and item.strip()]


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _declared(tags: object) -> dict[str, dict[str, Any]]:
    """Tag name -> its declaration; the first of two with one name counts."""
    found: dict[str, dict[str, Any]] = {}
    for tag in tags if isinstance(tags, list) else ():
        declaration = {"name": tag} if isinstance(tag, str) else tag
        name = declaration.get("name") if isinstance(declaration, dict) else None
        if isinstance(name, str) and name.strip():
            found.setdefault(name.strip(), declaration)
    return found


def _shared_prefixes(tags: Iterable[str]) -> Counter[str]:
    """How many tags have each text before one of their slashes."""
    return Counter(tag[: found.start()] for tag in set(tags) if "/" in tag for found in re.finditer("/", tag))


def _segments(key: str) -> list[str]:
    """The static segments of a path, without those that say nothing at its start."""
    path = key.partition("#")[0].partition("?")[0] if "?" in key or "#" in key else key
    return _after_silent([piece for piece in path.split("/") if piece and "{" not in piece])


def _after_silent(pieces: list[str]) -> list[str]:
    start = 0
    while start < len(pieces) and _SILENT.fullmatch(pieces[start]):
        start += 1
    return pieces[start:] if start else pieces


def _common_prefix(paths: list[list[str]]) -> list[str]:
    """The leading segments that nearly all paths share."""
    prefix: list[str] = []
    rest = paths
    while rest:
        best, times = next(iter(Counter(path[0] for path in rest if path).most_common(1)), ("", 0))
        if not times or times < SHARED * len(paths):
            break
        prefix.append(best)
        rest = [_after_silent(path[1:]) for path in rest if path and path[0] == best]
    return prefix
