"""Which tools of a segment a scope shows, as one array of truths that every ranking starts from."""

from collections.abc import Iterable, Iterator

import numpy as np
import numpy.typing as npt

from periplus.model import Effect, Scope, Selector, glob_matches, is_tagged, tag_forms
from periplus.search.sections import Array, Texts
from periplus.search.segment import Segment

Truths = npt.NDArray[np.bool_]


def visible(segment: Segment, scope: Scope, within: Selector | None, dead: Array) -> Truths | None:
    """The tools a scope admits, narrowed to one selector; None when that is every tool of the segment."""
    if scope.is_everything and within is None and not len(dead) and not segment.hidden.any():
        return None
    shown = np.zeros(segment.count, np.bool_)
    for selector in scope.allow:
        admitted = _admitted(segment, selector)
        if not selector.names_one:
            admitted &= ~segment.hidden
        shown |= admitted
    for selector in scope.deny:
        shown &= ~_admitted(segment, selector)
    if within is not None:
        shown &= _admitted(segment, within)
    shown[dead] = False
    return shown


def _admitted(segment: Segment, selector: Selector) -> Truths:
    """The tools for which all conditions of one selector hold."""
    admitted = _by_ref(segment, selector.ref)
    if selector.effects is not None:
        admitted &= np.isin(segment.effects, [int(effect) for effect in Effect if effect in selector.effects])
    if selector.tag is not None:
        places = [place for place in range(len(segment.tags)) if glob_matches(selector.tag, segment.tags[place])]
        admitted &= _listed(segment.count, segment.tag_tools, segment.tag_offsets, places)
    for tag in selector.tags:
        admitted &= _tagged(segment, tag)
    if selector.node is not None:
        ranges = [*_matching(segment.nodes, selector.node), *_matching(segment.nodes, f"{selector.node}/*")]
        admitted &= _in_ranges(segment.count, segment.node_tools, segment.node_offsets, ranges)
    return admitted


def _tagged(segment: Segment, tag: str) -> Truths:
    """The tools that have a tag in any case of its letters, or the effect it is the word of."""
    forms = tag_forms(tag)
    places = [place for place in range(len(segment.tags)) if is_tagged(forms, (segment.tags[place],))]
    tagged = _listed(segment.count, segment.tag_tools, segment.tag_offsets, places)
    return tagged | np.isin(segment.effects, [int(effect) for effect in Effect if effect.word in forms])


def _listed(count: int, tools: Array, offsets: Array, places: list[int]) -> Truths:
    """The tools under any of these tags or nodes."""
    listed = np.zeros(count, np.bool_)
    for place in places:
        listed[tools[offsets[place] : offsets[place + 1]]] = True
    return listed


def _in_ranges(count: int, tools: Array, offsets: Array, ranges: Iterable[tuple[int, int]]) -> Truths:
    """The tools under any node of these ranges; what stands under neighbours stands together."""
    listed = np.zeros(count, np.bool_)
    for start, end in ranges:
        listed[tools[offsets[start] : offsets[end]]] = True
    return listed


def _by_ref(segment: Segment, glob: str) -> Truths:
    """The tools whose ref a glob matches."""
    admitted = np.zeros(segment.count, np.bool_)
    for start, end in _matching(segment.refs, glob):
        admitted[start:end] = True
    return admitted


def _matching(texts: Texts, glob: str) -> Iterator[tuple[int, int]]:
    """Ranges of sorted texts that a glob matches; its fixed beginning is a range already."""
    fixed = min((place for place in (glob.find("*"), glob.find("?")) if place >= 0), default=-1)
    if fixed < 0:
        place = texts.find(glob)
        if place >= 0:
            yield place, place + 1
        return
    start, end = _range(texts, glob[:fixed].encode("utf-8", "surrogatepass"))
    if set(glob[fixed:]) == {"*"}:
        yield start, end
        return
    for place in range(start, end):
        if glob_matches(glob, texts[place]):
            yield place, place + 1


def _range(texts: Texts, prefix: bytes) -> tuple[int, int]:
    """The texts that begin with `prefix`."""
    if not prefix:
        return 0, len(texts)
    # No byte of UTF-8 is 0xff, so this is above everything that begins with the prefix.
    return texts.lower_bound(prefix), texts.lower_bound(prefix + b"\xff")
