"""YAML events to plain values: text keys, shared aliases, merges, and limits counted without expanding anything."""

from __future__ import annotations

from typing import Any, NamedTuple

import msgspec
from yaml.error import YAMLError
from yaml.events import (
    AliasEvent,
    CollectionStartEvent,
    DocumentStartEvent,
    Event,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    StreamEndEvent,
)

from periplus.documents.values import DecodeLimits, Notes
from periplus.documents.yaml_events import event_reader, place
from periplus.documents.yaml_scalars import plain, tagged
from periplus.model import Code, Problem


class _Anchored(NamedTuple):
    """What an alias stands for: the one object, its text where it is a scalar, and how much it adds."""

    value: Any
    text: str | None = None
    nodes: int = 1
    levels: int = 0


class Composer:
    """Builds the first document of a YAML text. `restore` maps stand-ins back to characters libyaml refuses."""

    def __init__(self, text: str, restore: dict[int, str], name: str, limits: DecodeLimits, notes: Notes) -> None:
        self._take = event_reader(text)
        self._restore = restore
        self._name = name
        self._limits = limits
        self._notes = notes
        self._nodes = 0  # after alias expansion, so far
        self._deepest = 0  # within the innermost anchored collection
        self._anchors: dict[str, _Anchored | None] = {}  # None: its collection is still open
        self._keys: dict[str, str] = {}  # one object per spelling: documents repeat few keys many times

    def document(self) -> Any:
        """The first document that says anything; the rest of the stream is named in a note."""
        self._take()  # the start of the stream
        value: Any = None
        while value is None and isinstance(self._take(), DocumentStartEvent):
            self._anchors.clear()
            value = self._node(self._take(), 0)
            self._take()  # the end of the document
        if value is not None:
            self._note_rest()
        return value

    def _note_rest(self) -> None:
        try:
            following = self._take()
        except YAMLError as error:
            if "<document start>" in str(error):  # not a second document but a broken first one
                raise
            self._notes.lenient("what follows the first document is not YAML and was left out")
            return
        if not isinstance(following, StreamEndEvent):
            self._notes.lenient("several documents in one file: the first was taken", place(following))

    def _node(self, event: Event, depth: int) -> Any:
        if type(event) is ScalarEvent:
            self._count(1)
            return self._scalar(event)
        if type(event) is AliasEvent:
            return self._alias(event, depth).value
        assert isinstance(event, CollectionStartEvent)  # noqa: S101 - the grammar of events leaves nothing else
        self._count(1)
        if depth >= self._limits.nesting:
            raise self._limits.exceeded("nesting", f"more than {depth} levels", self._where(event))
        if event.anchor is not None:
            return self._anchored(event, event.anchor, depth)
        return self._collection(event, depth)

    def _collection(self, event: CollectionStartEvent, depth: int) -> Any:
        self._deepest = max(self._deepest, depth)
        return self._mapping(depth) if type(event) is MappingStartEvent else self._sequence(depth)

    def _anchored(self, event: CollectionStartEvent, anchor: str, depth: int) -> Any:
        before, outer = self._nodes - 1, self._deepest
        self._anchors[anchor] = None
        self._deepest = depth
        value = self._collection(event, depth)
        self._anchors[anchor] = _Anchored(value, None, self._nodes - before, self._deepest - depth + 1)
        self._deepest = max(outer, self._deepest)
        return value

    def _sequence(self, depth: int) -> list[Any]:
        result: list[Any] = []
        take = self._take
        while type(event := take()) is not SequenceEndEvent:
            result.append(self._node(event, depth + 1))
        return result

    def _mapping(self, depth: int) -> dict[str, Any]:
        result: dict[str, Any] = {}
        merged: list[dict[str, Any]] = []
        take = self._take
        while type(event := take()) is not MappingEndEvent:
            key = self._key(event, depth)
            value = self._node(take(), depth + 1)
            if key == "<<" and type(event) is ScalarEvent and not event.style and self._merge(value, merged):
                continue
            if key in result:
                self._notes.lenient(f"the key {_shown(key)} is repeated; the last one counts", place(event))
            result[key] = value
        for mapping in merged:
            for key, value in mapping.items():
                result.setdefault(key, value)
        return result

    def _key(self, event: Event, depth: int) -> str:
        """The text of a key as it is written: `200`, `1.0`, `null`; a collection as compact JSON."""
        self._count(1)
        if type(event) is ScalarEvent:
            if event.anchor is not None:
                self._scalar(event)
            text: str = event.value
            if self._restore and not text.isascii():
                text = text.translate(self._restore)
            return self._keys.setdefault(text, text)
        if type(event) is AliasEvent:
            stands_for = self._alias(event, depth)
            value, written = stands_for.value, stands_for.text
        else:
            value, written = self._node(event, depth + 1), None
        return _compact(value) if written is None else written

    def _scalar(self, event: ScalarEvent) -> Any:
        text: str = event.value
        if self._restore and not text.isascii():
            text = text.translate(self._restore)
        if event.tag is not None:
            value: Any = tagged(text, event.tag, quoted=bool(event.style))
        else:
            value = text if event.style else plain(text)
        if event.anchor is not None:
            self._anchors[event.anchor] = _Anchored(value, text)
        return value

    def _alias(self, event: AliasEvent, depth: int) -> _Anchored:
        if event.anchor not in self._anchors:
            where = self._where(event)
            hints = (f"declare &{event.anchor} before it, or quote a text that begins with *",)
            raise Problem(Code.PARSE_ERROR, f"{where}: *{event.anchor} names no anchor", hints=hints, where=where)
        stands_for = self._anchors[event.anchor]
        if stands_for is None:
            raise self._endless(event)
        self._count(stands_for.nodes)
        levels = depth + stands_for.levels
        self._deepest = max(self._deepest, levels - 1)
        if levels > self._limits.nesting:
            raise self._limits.exceeded("nesting", f"{levels} levels by aliases", self._where(event))
        return stands_for

    def _endless(self, event: AliasEvent) -> Problem:
        where = self._where(event)
        message = f"{where}: *{event.anchor} stands inside its own anchor, so expanding it would pass every limit"
        return Problem(Code.OVER_LIMIT, message, hints=("name the part with a $ref instead",), where=where)

    def _merge(self, value: Any, merged: list[dict[str, Any]]) -> bool:
        """Whether the value of `<<` can be merged: a mapping, or a list of mappings."""
        parts = value if isinstance(value, list) else [value]
        if not all(isinstance(part, dict) for part in parts):
            return False
        merged.extend(parts)
        return True

    def _count(self, nodes: int) -> None:
        self._nodes += nodes
        if self._nodes > self._limits.nodes:
            raise self._limits.exceeded("nodes", f"more than {self._limits.nodes} nodes, aliases expanded", self._name)

    def _where(self, event: Event) -> str:
        return f"{self._name}:{place(event)}"


def _shown(key: str) -> str:
    return repr(key if len(key) <= 80 else key[:79] + "…")


def _compact(value: Any) -> str:
    return msgspec.json.encode(value).decode()
