"""Which tools of a segment a scope shows, as one array of truths that every ranking starts from."""

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
        below = f"{selector.node}/*"
        places = [
            place
            for place in range(len(segment.nodes))
            if glob_matches(selector.node, segment.nodes[place]) or glob_matches(below, segment.nodes[place])
        ]
        admitted &= _listed(segment.count, segment.node_tools, segment.node_offsets, places)
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


def _by_ref(segment: Segment, glob: str) -> Truths:
    """The tools whose ref a glob matches; refs are sorted, so its fixed beginning is a range."""
    count = segment.count
    admitted = np.zeros(count, np.bool_)
    fixed = min((place for place in (glob.find("*"), glob.find("?")) if place >= 0), default=-1)
    if fixed < 0:
        place = segment.refs.find(glob)
        if place >= 0:
            admitted[place] = True
        return admitted
    start, end = _range(segment.refs, glob[:fixed].encode("utf-8", "surrogatepass"))
    if set(glob[fixed:]) == {"*"}:
        admitted[start:end] = True
        return admitted
    for place in range(start, end):
        admitted[place] = glob_matches(glob, segment.refs[place])
    return admitted


def _range(refs: Texts, prefix: bytes) -> tuple[int, int]:
    """The refs that begin with `prefix`."""
    if not prefix:
        return 0, len(refs)
    # No byte of UTF-8 is 0xff, so this is above everything that begins with the prefix.
    return refs.lower_bound(prefix), refs.lower_bound(prefix + b"\xff")
