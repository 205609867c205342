"""Where a JSON pointer stands in the text of a document: for reports, on demand, as near as can be told."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import msgspec
from yaml.error import YAMLError
from yaml.events import (
    CollectionEndEvent,
    CollectionStartEvent,
    Event,
    MappingEndEvent,
    MappingStartEvent,
    NodeEvent,
    ScalarEvent,
    SequenceStartEvent,
    StreamEndEvent,
)

from periplus.documents.arrival import arrived, place_of
from periplus.documents.decode import looks_like_json
from periplus.documents.values import DEFAULT_LIMITS, Notes, Place
from periplus.documents.yaml_events import event_reader, place
from periplus.documents.yaml_text import settled

_OBJECT = msgspec.json.Decoder(dict[str, msgspec.Raw])
_ARRAY = msgspec.json.Decoder(list[msgspec.Raw])
_KEY = re.compile(rb'[ \t\r\n]*("(?:[^"\\]|\\.)*+")[ \t\r\n]*:[ \t\r\n]*', re.DOTALL)
_SPACE = re.compile(rb"[ \t\r\n]*")
_NEXT = re.compile(rb"[ \t\r\n]*,?[ \t\r\n]*")


def position(data: bytes, pointer: str) -> Place | None:
    """Where the pointer's member is written, or the innermost of its parents that can be found."""
    clean = arrived(data, Notes(""), "", DEFAULT_LIMITS)
    steps = [step.replace("~1", "/").replace("~0", "~") for step in pointer.removeprefix("#").split("/")[1:]]
    if looks_like_json(clean):
        offset = _json_offset(clean, steps)
        if offset is not None:
            return place_of(clean, offset)
    return _yaml_place(clean.decode("utf-8", "replace"), steps)


def _json_offset(text: bytes, steps: Sequence[str]) -> int | None:
    start = found = _end(_SPACE, text, 0)
    part: bytes | msgspec.Raw = text
    for step in steps:
        try:
            inner = _member(text, start, part, step)
        except (msgspec.DecodeError, RecursionError):
            return None if part is text else found
        if inner is None:
            break
        found, start, part = inner
    return found


def _member(text: bytes, start: int, part: bytes | msgspec.Raw, step: str) -> tuple[int, int, msgspec.Raw] | None:
    """Where a member's key and value begin, and the value: found by the lengths of what stands before it."""
    if text[start : start + 1] == b"{":
        return _object_member(text, start + 1, _OBJECT.decode(part), step)
    if text[start : start + 1] == b"[" and step.isdecimal():
        offset = _end(_SPACE, text, start + 1)
        for index, member in enumerate(_ARRAY.decode(part)):
            if index == int(step):
                return offset, offset, member
            offset = _end(_NEXT, text, offset + len(memoryview(member)))
    return None


def _object_member(
    text: bytes, offset: int, members: dict[str, msgspec.Raw], step: str
) -> tuple[int, int, msgspec.Raw] | None:
    for name, member in members.items():
        key = _KEY.match(text, offset)
        if key is None or msgspec.json.decode(key.group(1)) != name:  # a repeated key broke the count
            return None
        if name == step:
            return key.start(1), key.end(), member
        offset = _end(_NEXT, text, key.end() + len(memoryview(member)))
    return None


def _end(pattern: re.Pattern[bytes], text: bytes, offset: int) -> int:
    found = pattern.match(text, offset)
    return found.end() if found else offset


def _yaml_place(text: str, steps: Sequence[str]) -> Place | None:
    found: Place | None = None
    try:
        take = event_reader(settled(text).text)
        while not isinstance(event := take(), NodeEvent):
            if isinstance(event, StreamEndEvent):
                return None
        found = place(event)
        for step in steps:
            inner = _yaml_member(take, event, step)
            if inner is None:
                break
            found, event = inner
    except (YAMLError, UnicodeError):
        pass  # what was found before the broken place is the best answer there is
    return found


def _yaml_member(take: Callable[[], Event], event: Event, step: str) -> tuple[Place, Event] | None:
    if isinstance(event, MappingStartEvent):
        while not isinstance(key := take(), MappingEndEvent):
            at = place(key)
            matches = isinstance(key, ScalarEvent) and key.value == step
            _skip(take, key)
            value = take()
            if matches:
                return at, value
            _skip(take, value)
    elif isinstance(event, SequenceStartEvent) and step.isdecimal():
        for _ in range(int(step)):
            item = take()
            if isinstance(item, CollectionEndEvent):
                return None
            _skip(take, item)
        item = take()
        return None if isinstance(item, CollectionEndEvent) else (place(item), item)
    return None


def _skip(take: Callable[[], Event], event: Event) -> None:
    depth = int(isinstance(event, CollectionStartEvent))
    while depth:
        following = take()
        depth += isinstance(following, CollectionStartEvent) - isinstance(following, CollectionEndEvent)
