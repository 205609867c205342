"""Tools by regular expression over their refs, on RE2: no pattern can take longer than its text."""

import heapq
from collections.abc import Iterator
from typing import Any

import numpy as np
import re2

from periplus.model import Code, Problem
from periplus.search.lexical import View

LONGEST_PATTERN = 1_000
_MEMORY = 8 << 20
_BY_LINE = b"(?m)"  # ^ and $ stand at the ends of a ref, which is a line of the buffer


def compile_pattern(pattern: str) -> Any:  # RE2 brings no types
    """The pattern, ready; a wrong or oversized one is refused with the reason."""
    if not pattern:
        raise Problem(Code.BAD_INPUT, "the pattern is empty", hints=("use '.' to match every tool",))
    if len(pattern) > LONGEST_PATTERN:
        raise Problem(
            Code.OVER_LIMIT,
            f"the pattern has {len(pattern)} characters, the limit is {LONGEST_PATTERN}",
            hints=("search for a goal in words instead",),
        )
    options = re2.Options()
    options.never_nl = True  # refs are lines of one buffer and a match never leaves its line
    options.log_errors = False
    options.case_sensitive = False
    options.max_mem = _MEMORY
    try:
        return re2.compile(_BY_LINE + pattern.encode("utf-8", "replace"), options=options)
    except re2.error as error:
        raise Problem(
            Code.BAD_INPUT,
            f"not a regular expression: {pattern[:80]!r} ({_reason(error)})",
            hints=("RE2 syntax: no look-around, no back-references",),
        ) from error


def _reason(error: Exception) -> str:
    """What RE2 says of a pattern, without the prefix that is ours."""
    said: object = error.args[0] if error.args else b""
    return said.replace(_BY_LINE, b"").decode("utf-8", "replace") if isinstance(said, bytes) else str(said)


def matching(view: View, pattern: str, after: str = "") -> Iterator[tuple[str, int]]:
    """Refs and places of the visible tools that match, in order of ref, those after a ref: found as they are taken."""
    compiled = compile_pattern(pattern)
    return heapq.merge(*(_in_segment(view, number, compiled, after) for number in range(len(view.segments))))


def _in_segment(view: View, number: int, compiled: Any, after: str) -> Iterator[tuple[str, int]]:
    segment, shown, start = view.segments[number], view.shown[number], view.starts[number]
    lines = segment.refs.blob.data
    ends = segment.refs.offsets[1:]
    passed = segment.refs.lower_bound(after.encode("utf-8", "surrogatepass") + b"\0") if after else 0
    at = int(ends[passed - 1]) if passed else 0
    while at < len(lines):
        found = compiled.search(lines, at)
        if found is None:
            break
        place = int(np.searchsorted(ends, found.start(), side="right"))
        if place >= segment.count:
            break
        if shown is None or shown[place]:
            yield segment.refs[place], start + place
        at = int(ends[place])
