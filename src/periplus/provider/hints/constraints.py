"""What stands beside a type in `Annotated`: a text is its description, bounds are bounds.

Marks are known by their attributes, so those of annotated-types, msgspec and pydantic are read alike and none of
these packages is needed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import timedelta
from typing import Any

from periplus.model import Schema
from periplus.provider.values import Nothing, jsonable

_NUMBERS = {
    "ge": "minimum",
    "gt": "exclusiveMinimum",
    "le": "maximum",
    "lt": "exclusiveMaximum",
    "multiple_of": "multipleOf",
}
_LENGTHS = {"min_length": "min", "max_length": "max"}
_COUNTED = {"string": "Length", "array": "Items", "object": "Properties"}
_NAMED = re.compile(r"\(\?P<")


def constrained(schema: Schema, marks: Iterable[Any], complain: Callable[[str], None]) -> Schema:
    """The schema narrowed and described by these marks; those that mean nothing here are left alone."""
    made = dict(schema)
    for mark in _flat(marks):
        if isinstance(mark, str):
            made["description"] = mark
            continue
        made |= dict(_texts(mark))
        made |= dict(_bounds(mark))
        made |= dict(_lengths(mark, schema, complain))
        made |= dict(_more(mark))
    return made


def _flat(marks: Iterable[Any]) -> Iterator[Any]:
    for mark in marks:
        yield mark
        inner = getattr(mark, "metadata", None)
        if isinstance(inner, list | tuple):  # a pydantic field keeps its bounds there
            yield from inner


def _texts(mark: Any) -> Iterator[tuple[str, Any]]:
    for attribute in ("documentation", "description"):
        text = getattr(mark, attribute, None)
        if isinstance(text, str) and text:
            yield "description", text
    if isinstance(title := getattr(mark, "title", None), str) and title:
        yield "title", title
    examples = getattr(mark, "examples", None)
    if isinstance(examples, list | tuple):
        written = [jsonable(example) for example in examples]
        if written and not any(isinstance(each, Nothing) for each in written):
            yield "examples", written


def _bounds(mark: Any) -> Iterator[tuple[str, Any]]:
    for attribute, keyword in _NUMBERS.items():
        value = getattr(mark, attribute, None)
        if value is None or isinstance(value, timedelta):
            continue
        bound = jsonable(value)
        if isinstance(bound, int | float) and not isinstance(bound, bool):
            yield keyword, bound
    pattern = getattr(mark, "pattern", None)
    text = pattern.pattern if isinstance(pattern, re.Pattern) else pattern
    if isinstance(text, str):
        yield "pattern", _NAMED.sub("(?<", text)


def _lengths(mark: Any, schema: Schema, complain: Callable[[str], None]) -> Iterator[tuple[str, Any]]:
    for attribute, end in _LENGTHS.items():
        length = getattr(mark, attribute, None)
        if not isinstance(length, int) or isinstance(length, bool) or (end == "min" and length == 0):
            continue
        counted = [_COUNTED[kind] for kind in sorted(_kinds(schema)) if kind in _COUNTED]
        if not counted:
            complain(f"{attribute}={length} says nothing of a type that has no length")
        yield from ((f"{end}{what}", length) for what in counted)


def _more(mark: Any) -> Iterator[tuple[str, Any]]:
    for attribute in ("extra_json_schema", "json_schema_extra"):
        extra = getattr(mark, attribute, None)
        if isinstance(extra, Mapping):
            written = jsonable(extra)
            if isinstance(written, dict):
                yield from written.items()


def _kinds(schema: Schema) -> set[str]:
    kinds = schema.get("type", [])
    own = set(kinds) if isinstance(kinds, list) else {kinds}
    return own.union(*(_kinds(branch) for branch in schema.get("anyOf", ())))
