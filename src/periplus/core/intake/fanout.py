"""Areas with more tools than a reader takes in, divided by what the tools are about, then by what they do (E-7).

Only places change: a tool keeps its ref. Where it stands depends on the names of its neighbours, not on their order.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

import msgspec

from periplus.core.intake.areas import nouns_of, verb_of
from periplus.core.words import singular
from periplus.model import segment

_COMMON = 0.8  # a word that so many of them share tells none apart
_LEAST = 2
_DEEPEST = 12


class Standing(msgspec.Struct, frozen=True):
    """A tool that is to be placed: its name, and the places it asks for."""

    leaf: str
    paths: tuple[str, ...]
    hidden: bool = False


def divided(tools: Sequence[Standing], most: int) -> dict[int, tuple[str, ...]]:
    """The places of those tools, by number, whose areas are divided."""
    if not most:
        return {}
    counts = Counter(path for tool in tools if not tool.hidden for path in tool.paths)
    large = {path for path, count in counts.items() if count > most}
    if not large:
        return {}
    standing: defaultdict[str, list[int]] = defaultdict(list)
    for number, tool in enumerate(tools):
        for path in large.intersection(tool.paths):
            standing[path].append(number)
    below: dict[str, dict[int, str]] = {}
    for path, numbers in standing.items():
        below[path] = dict(_parts({number: tools[number].leaf for number in numbers}, most))
    moved = {number for numbers in standing.values() for number in numbers}
    return {
        number: tuple(_place(path, below.get(path, {}).get(number, "")) for path in tools[number].paths)
        for number in moved
    }


def _place(path: str, part: str) -> str:
    return "/".join(piece for piece in (path, part) if piece)


def _parts(leaves: Mapping[int, str], most: int, level: int = 0) -> Iterator[tuple[int, str]]:
    """Which part below the area each tool goes to, as a path; those that stay are not named."""
    if len(leaves) <= most or level >= _DEEPEST:
        return
    for divide, least in ((_by_noun, _LEAST), (_by_verb, _LEAST), (_by_letters, 1)):
        groups = _kept(divide(leaves), least, most)
        if groups:
            break
    else:
        return
    rest = dict(leaves)
    for name, numbers in groups.items():
        for number in numbers:
            rest.pop(number)
        inner = dict(_parts({number: leaves[number] for number in numbers}, most, level + 1))
        yield from ((number, _place(name, inner.get(number, ""))) for number in numbers)
    if len(rest) > most:
        yield from _parts_of_rest(rest, most, level)


def _parts_of_rest(rest: Mapping[int, str], most: int, level: int) -> Iterator[tuple[int, str]]:
    inner = dict(_parts(rest, most, level + 1))
    yield from ((number, _place("other", inner.get(number, ""))) for number in rest)


def _kept(groups: Mapping[str, Sequence[int]], least: int, most: int) -> dict[str, Sequence[int]]:
    """The groups worth a node, the largest where there are too many; none where one group is everything."""
    several = {name: numbers for name, numbers in groups.items() if len(numbers) >= least}
    total = sum(len(numbers) for numbers in groups.values())
    if not several or any(len(numbers) == total for numbers in several.values()):
        return {}
    largest = sorted(several, key=lambda name: (-len(several[name]), name))[: max(most - 1, 1)]
    return {name: several[name] for name in sorted(largest)}


def _by_noun(leaves: Mapping[int, str]) -> dict[str, list[int]]:
    """By the word for the thing that most of them share, and not all of them."""
    said = {
        number: dict.fromkeys(singular(word) for word in nouns_of(leaf) if not word.isdigit())
        for number, leaf in leaves.items()
    }
    counts = Counter(word for words in said.values() for word in words)
    ceiling = _COMMON * len(leaves)
    return _grouped(
        leaves,
        lambda number: max(
            (word for word in said[number] if _LEAST <= counts[word] < ceiling),
            key=lambda word: (counts[word], word),
            default="",
        ),
    )


def _by_verb(leaves: Mapping[int, str]) -> dict[str, list[int]]:
    return _grouped(leaves, lambda number: verb_of(leaves[number]))


def _by_letters(leaves: Mapping[int, str]) -> dict[str, list[int]]:
    """By the first letters in which they differ."""
    lowered = {number: leaf.lower() for number, leaf in leaves.items()}
    shared = _shared_start(lowered.values())
    return _grouped(leaves, lambda number: lowered[number][: shared + 1])


def _shared_start(texts: Iterable[str]) -> int:
    ordered = sorted(texts)
    first, last = ordered[0], ordered[-1]
    return next((at for at, (one, other) in enumerate(zip(first, last, strict=False)) if one != other), len(first))


def _grouped(leaves: Mapping[int, str], name_of: Callable[[int], str]) -> dict[str, list[int]]:
    groups: defaultdict[str, list[int]] = defaultdict(list)
    for number in leaves:
        if name := segment(name_of(number), ""):
            groups[name].append(number)
    return groups
