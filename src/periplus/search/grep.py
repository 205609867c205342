"""Tools and areas by regular expression over all that is said of them, ranked by where it was found (RE2: linear)."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
import re2

from periplus.model import Grepped, Lines, ToolRef
from periplus.ports import Grep
from periplus.search.lexical import View, match
from periplus.search.literals import Truths, having, literal_of, numbers_of, only, starts_of, whole_lines
from periplus.search.patterns import compile_pattern
from periplus.search.sections import Array, Texts
from periplus.search.segment import Segment
from periplus.search.text import terms

WHOLE, NAMED, PARAMETER, TEXT, NOWHERE = 0, 1, 2, 3, 255
_PLACED = re.compile(r"\\[bBAz]|[\^$]")  # what looks at where in a line a match stands
_VISIBLE = range(ord("!"), ord("~") + 1)
_LETTERS = slice(ord("a"), ord("z") + 1)
_MOST_ALTERNATIVES = 32
_FEW = 5000

Ranks = npt.NDArray[np.uint8]


def alternatives(pattern: str) -> list[str]:
    """The pattern at its outermost `|`; one that makes no sense in pieces stays whole."""
    pieces, depth, start, at, in_class = [], 0, 0, 0, False
    while at < len(pattern):
        char = pattern[at]
        if char == "\\":
            at += 1
        elif in_class:
            in_class = char != "]"
        elif char == "[":
            in_class = True
            at += 1 if pattern[at + 1 : at + 2] in ("]", "^") else 0
        elif char in "()":
            depth += 1 if char == "(" else -1
        elif char == "|" and not depth:
            pieces.append(pattern[start:at])
            start = at + 1
        at += 1
    pieces.append(pattern[start:])
    kept = list(dict.fromkeys(piece for piece in pieces if piece))
    whole = len(kept) > _MOST_ALTERNATIVES or pattern.startswith("(?") or "\\Q" in pattern
    return [pattern] if whole or not kept else kept


def grep(view: View, pattern: str, ask: Grep) -> Grepped:
    """The page of what a pattern finds: tools first, best rank first, alternatives in turn; then areas."""
    pieces = alternatives(pattern)
    compiled = [_whole_rest(piece) for piece in (pattern, *pieces)][1:]
    start, limit = ask.start, ask.limit
    shown = view if ask.tools else View((), ())
    ranks = [_tool_ranks(shown, piece, qualified=ask.qualified) for piece in pieces]
    order, best = _in_turn([_ordered(shown, row, piece) for row, piece in zip(ranks, pieces, strict=True)], ranks)
    found = _area_matches(ask.areas, compiled, pieces)
    page = order[start : start + limit]
    left = limit - len(page)
    after = max(start - len(order), 0)
    return Grepped(
        refs=tuple(ToolRef(*view.ref(int(place)).split("/", 1)) for place in page),
        ranks=tuple(int(best[place]) for place in page),
        tools=len(order),
        areas=tuple(found[after : after + left]) if left else (),
        area_total=len(found),
        by_area=_by_area(view, order, ask.below) if len(order) + len(found) > limit else {},
        first=ToolRef(*view.ref(int(order[0])).split("/", 1)) if len(order) else None,
        revision=view.revision,
    )


def _whole_rest(pattern: str) -> Any:
    """A match takes the rest of its line, so that there is one at most in each."""
    return compile_pattern(f"(?:{pattern}).*")


def _tool_ranks(view: View, pattern: str, *, qualified: bool) -> Ranks:
    """Where in each visible tool a pattern is found, the best place counting."""
    ranks = np.full(view.starts[-1], NOWHERE, np.uint8)
    for first, segment in zip(view.starts, view.segments, strict=False):
        made = segment.once(
            ("ranks", pattern, qualified), partial(_segment_ranks, segment, pattern, qualified=qualified)
        )
        ranks[first : first + segment.count] = made
    for first, truths in zip(view.starts, view.shown, strict=False):
        if truths is not None:
            ranks[first : first + len(truths)][~truths] = NOWHERE
    return ranks


def _segment_ranks(segment: Segment, pattern: str, *, qualified: bool) -> Ranks:
    """The same for one segment; places that say less never undo what was found in better ones."""
    ranks, compiled = np.full(segment.count, NOWHERE, np.uint8), _whole_rest(pattern)
    literal, single = literal_of(pattern), _single(compiled, pattern)
    for texts, rank in _places(segment, qualified=qualified):
        undecided = ranks > rank
        if literal:
            starts = starts_of(texts, literal)
            found = numbers_of(texts, starts)
            ranks[found] = np.minimum(ranks[found], rank)
            if rank == NAMED and len(found):
                ranks[numbers_of(texts, whole_lines(texts, starts, len(literal)))] = WHOLE
        elif undecided.any():
            found = _found(texts, compiled, single, undecided)
            ranks[found] = rank
            if rank == NAMED and len(found) and not single[_LETTERS].all():
                ranks[_numbers(texts, compile_pattern(f"^(?:{pattern})$"))] = WHOLE
    return ranks


def _places(segment: Segment, *, qualified: bool) -> Iterator[tuple[Texts, int]]:
    yield segment.ids, NAMED
    if qualified:
        yield segment.qualified, NAMED
    yield segment.told, PARAMETER
    yield segment.texts, TEXT


def _single(compiled: Any, pattern: str) -> Truths:
    """The bytes that it finds all by themselves: what has one of them need not be looked at."""
    single = np.zeros(256, np.bool_)
    if not _PLACED.search(pattern):
        for byte in _VISIBLE:
            single[byte] = compiled.search(bytes([byte])) is not None
    return single


def _found(texts: Texts, compiled: Any, single: Truths, undecided: Truths) -> Array:
    """Which of the undecided texts it is found in."""
    found = np.zeros(len(texts), np.bool_)
    if single.any():
        found = having(texts, single)
    found &= undecided
    left = undecided & ~found
    if 2 * np.count_nonzero(left) > len(left):  # so few are out of question that leaving them out would cost more
        found[_numbers(texts, compiled)] = True
        found &= undecided
    elif left.any():
        found[np.flatnonzero(left)[_numbers(only(texts, left), compiled)]] = True
    return np.flatnonzero(found)


def _numbers(texts: Texts, compiled: Any) -> Array:
    """Which texts a pattern is found in: after each it goes on at the next one."""
    data, ends, search = texts.blob.data, texts.offsets[1:].tolist(), compiled.search
    numbers: list[int] = []
    at, number = 0, -1
    while (hit := search(data, at)) is not None:
        number = bisect_right(ends, hit.start(), number + 1)
        if number == len(ends):
            break
        numbers.append(number)
        at = ends[number]
    return np.array(numbers, np.int64)


def _ordered(view: View, ranks: Ranks, pattern: str) -> Array:
    """Places of the matches: by rank, then by how much the pattern's words say of them, then by ref."""
    places = np.flatnonzero(ranks != NOWHERE)
    if not len(places):
        return places
    stems = terms(re.sub(r"\\[a-zA-Z]", " ", pattern))
    scores = np.zeros(view.starts[-1], np.float32)
    if stems:
        scores = np.concatenate([*match(view, dict.fromkeys(stems, 1.0)).scores, np.zeros(0, np.float32)])
    # Inside a segment refs are in order; with several, the order is by segment, which is stable for one index.
    return places[np.lexsort((places, -scores[places], ranks[places]))]


def _in_turn(orders: Sequence[Array], ranks: Sequence[Ranks]) -> tuple[Array, Ranks]:
    """One order out of several: each gives its first, then each its second; nothing comes twice."""
    best: Ranks = np.minimum.reduce(list(ranks))
    if len(orders) == 1:
        return orders[0], best
    turns = np.full(len(best), np.iinfo(np.int64).max, np.int64)
    for number, order in enumerate(orders):
        mine = np.arange(len(order), dtype=np.int64) * len(orders) + number
        turns[order] = np.minimum(turns[order], mine)
    places = np.flatnonzero(best != NOWHERE)
    return places[np.argsort(turns[places], kind="stable")], best


def _area_matches(areas: Lines, compiled: Sequence[Any], pieces: Sequence[str]) -> list[int]:
    if not areas.ends:
        return []
    texts = Texts(np.frombuffer(areas.blob, np.uint8), np.array([0, *areas.ends], np.int64))
    undecided = np.ones(len(texts), np.bool_)
    for one, piece in zip(compiled, pieces, strict=True):
        undecided[_found(texts, one, _single(one, piece), undecided)] = False
    found: list[int] = np.flatnonzero(~undecided).tolist()
    return found


def _by_area(view: View, order: Array, below: str) -> dict[str, int]:
    """How many matches there are in each area right below a node."""
    start = len(below) + 1 if below else 0
    counts: Counter[str] = Counter()
    if len(order) <= _FEW:
        for place in order:
            head, mark, _ = view.ref(int(place))[start:].partition("/")
            if mark:
                counts[head] += 1
    else:
        _count_ranges(view, order, below, counts)
    return {f"{below}/{head}" if below else head: count for head, count in counts.items()}


def _count_ranges(view: View, order: Array, below: str, counts: Counter[str]) -> None:
    """The same for very many: refs are in order, so each area is one range of places."""
    matched = np.zeros(view.starts[-1] + 1, np.int64)
    matched[1:][order] = 1
    sums = np.cumsum(matched)
    for first, segment in zip(view.starts, view.segments, strict=False):
        prefix = f"{below}/" if below else ""
        for head, start, end in segment.once(("ranges", prefix), partial(_ranges, segment, prefix)):
            if count := int(sums[first + end] - sums[first + start]):
                counts[head] += count


def _ranges(segment: Segment, prefix: str) -> tuple[tuple[str, int, int], ...]:
    """The areas right below a node, and the places of their tools."""
    made: list[tuple[str, int, int]] = []
    at = segment.refs.lower_bound(prefix.encode())
    while at < segment.count and (ref := segment.refs[at]).startswith(prefix):
        head, mark, _ = ref[len(prefix) :].partition("/")
        end = segment.refs.lower_bound(f"{prefix}{head}/".encode() + b"\xff") if mark else at + 1
        if mark:
            made.append((head, at, end))
        at = max(end, at + 1)
    return tuple(made)


def as_literal(pattern: str) -> str:
    """The pattern that finds these words as they stand, whatever blanks are between them."""
    return r"\s+".join(re2.escape(word) for word in pattern.split())
