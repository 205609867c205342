"""Which operations a document has: every entry of every path item, also behind references (S-4)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from periplus.model import FindingCode, Severity
from periplus.sources.openapi.references import Library, escaped
from periplus.sources.openapi.references_port import Cycle, Refused, Unresolved
from periplus.sources.openapi.report import Report
from periplus.sources.openapi.versions import Version

_METHODS = frozenset({"get", "put", "post", "delete", "options", "head", "patch"})
_OTHERS = frozenset({"parameters", "servers", "summary", "description", "$ref"})
MOST_HOPS = 100


class Place:
    """Where a piece of a document stands: the base of its references, and how reports point at it.

    Most places are never reported, so the pointer is put together when it is first asked for.
    """

    __slots__ = ("_above", "_pointer", "_tokens", "base", "label")

    def __init__(self, base: str, pointer: str, label: str) -> None:
        self.base = base
        self.label = label  # of its document
        self._pointer = pointer
        self._above: Place | None = None
        self._tokens: tuple[str, ...] = ()

    @property
    def pointer(self) -> str:
        if self._above is not None:
            self._pointer = self._above.pointer + "".join([f"/{escaped(token)}" for token in self._tokens])
            self._above = None
        return self._pointer

    @property
    def where(self) -> str:
        return f"{self.label}#{self.pointer}"

    def below(self, *tokens: str) -> Place:
        place = Place(self.base, "", self.label)
        place._above, place._tokens = self, tokens
        return place


class Operation(msgspec.Struct, frozen=True, kw_only=True):
    """One operation as it is written, with the path item around it."""

    path: str  # the key as written
    method: str  # as it is sent
    twin: bool  # the path item has this method already, in another spelling
    written: Mapping[str, Any]
    place: Place
    around: tuple[tuple[Mapping[str, Any], Place], ...]  # its path item, those that refer to it before it

    @property
    def origin(self) -> str:
        return f"{self.method} {self.path}"


class Walk:
    """The operations of one document, in its order. One without a report only looks ahead."""

    def __init__(self, library: Library, version: Version, report: Report | None) -> None:
        self._library = library
        self._report = report
        self._methods = (
            _METHODS | ({"trace"} if version.has_trace else set()) | ({"query"} if version.has_query else set())
        )
        self._has_additional = version.has_query

    def of_path(self, path: str, item: object, place: Place) -> Iterator[Operation]:
        """The operations under one path key."""
        seen: set[str] = set()
        around: tuple[tuple[Mapping[str, Any], Place], ...] = ()
        for written, where in self._items(path, item, place):
            around = (*around, (written, where))
            for method, operation, spot in self._entries(written, where):
                found = self._operation(f"{method} {path}", operation, spot)
                if found is None:
                    continue
                value, at = found
                yield Operation(
                    path=path,
                    method=method,
                    twin=method in seen,
                    written=value,
                    place=at,
                    around=around,
                )
                seen.add(method)

    def _items(self, path: str, item: object, place: Place) -> Iterator[tuple[Mapping[str, Any], Place]]:
        """The path item, then the one it refers to, and so on; what the nearer one says wins."""
        seen: set[tuple[str, str]] = set()
        said: set[str] = set()
        while True:
            if not isinstance(item, dict):
                what = "null" if item is None else type(item).__name__
                self._note(place, FindingCode.BAD_OPERATION, f"path {path!r} is {what}, not an object")
                return
            own = {key: value for key, value in item.items() if key.lower() not in said} if said else item
            yield own, place
            if "$ref" not in item:
                return
            said |= {key.lower() for key in item if key != "$ref" and key.lower() not in _OTHERS}
            if (place.base, place.pointer) in seen or len(seen) > MOST_HOPS:
                self._note(place, FindingCode.REF_CYCLE, f"path {path!r}: its $ref leads back to itself")
                return
            seen.add((place.base, place.pointer))
            try:
                found = self._library.hop(item, place.base)
            except Unresolved as error:
                self._note(place, unresolved_code(error), f"path {path!r}: {unresolved(error)}")
                return
            item, place = found.value, self.place_of(found.base, found.pointer)

    def _entries(self, item: Mapping[str, Any], place: Place) -> Iterator[tuple[str, object, Place]]:
        for key, value in item.items():
            word = key.lower()
            if word in self._methods:
                yield word.upper(), value, place.below(key)
            elif key == "additionalOperations" and self._has_additional:
                yield from self._additional(value, place.below(key))
            elif key not in _OTHERS and not word.startswith("x-"):
                message = f"{key!r} is neither a method of this OpenAPI version nor a member of a path item"
                self._note(place.below(key), FindingCode.BAD_OPERATION, message)

    def _additional(self, value: object, place: Place) -> Iterator[tuple[str, object, Place]]:
        if not isinstance(value, dict):
            self._note(place, FindingCode.BAD_OPERATION, "additionalOperations is not an object")
            return
        for method, operation in value.items():
            if not method.lower().startswith("x-"):
                yield method, operation, place.below(method)

    def _operation(self, origin: str, operation: object, place: Place) -> tuple[Mapping[str, Any], Place] | None:
        """The operation behind its references, or None and the reason in the report."""
        siblings: dict[str, Any] = {}
        for _ in range(MOST_HOPS):
            if not isinstance(operation, dict):
                what = "null" if operation is None else type(operation).__name__
                self._skip(place, FindingCode.BAD_OPERATION, f"the operation is {what}, not an object", origin)
                return None
            if not isinstance(operation.get("$ref"), str):
                return ({**operation, **siblings} if siblings else operation), place
            siblings = {**{key: value for key, value in operation.items() if key != "$ref"}, **siblings}
            try:
                found = self._library.hop(operation, place.base)
            except Unresolved as error:
                self._skip(place, unresolved_code(error), unresolved(error), origin)
                return None
            operation, place = found.value, self.place_of(found.base, found.pointer)
        self._skip(place, FindingCode.REF_CYCLE, "its $ref leads back to itself", origin)
        return None

    def place_of(self, base: str, pointer: str) -> Place:
        return Place(base, pointer, self._library.book(base).label)

    def _note(self, place: Place, code: FindingCode, message: str) -> None:
        if self._report is not None:
            self._report.add(Severity.WARNING, code, place.where, message)

    def _skip(self, place: Place, code: FindingCode, message: str, origin: str) -> None:
        if self._report is not None:
            self._report.add(Severity.ERROR, code, place.where, message, operation=origin, skipped=True)


def unresolved(error: Unresolved) -> str:
    """Why a reference could not be followed, for a reader."""
    if isinstance(error, Refused):
        return f"{error.text!r} may not be read: it is outside the document's own origin or directory"
    if isinstance(error, Cycle):
        return f"{error.text!r} leads back to itself"
    return f"{error.text!r} leads nowhere"


def unresolved_code(error: Unresolved) -> FindingCode:
    if isinstance(error, Refused):
        return FindingCode.REF_REFUSED
    return FindingCode.REF_CYCLE if isinstance(error, Cycle) else FindingCode.DANGLING_REF
