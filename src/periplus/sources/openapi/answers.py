"""What the declared responses of an operation say about sending and following: Accept, links, polling (S-54, S-76)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from periplus.sources.openapi.operations import Place
from periplus.sources.openapi.references import Library
from periplus.sources.openapi.references_port import Unresolved

_JSON = "application/json"
_POLL = ("operation-location", "location", "azure-asyncoperation")


class DeclaredLink(NamedTuple):
    """A link as it is written, and where."""

    name: str
    written: Mapping[str, Any]
    place: Place


class Answers(msgspec.Struct, frozen=True, kw_only=True):
    """The sum of an operation's responses."""

    accept: str
    headers: tuple[str, ...] = ()  # declared on success, lower case
    poll: str = ""  # the header of a 202 that says where to ask
    links: tuple[DeclaredLink, ...] = ()
    produces: tuple[str, ...] = ()  # 2.0 only
    declared: bool = True


class _One(NamedTuple):
    """One response object, read once however many operations share it."""

    types: tuple[str, ...]
    headers: tuple[str, ...]
    links: tuple[DeclaredLink, ...]


class Responses:
    """Reads the responses of operations of one document."""

    def __init__(self, library: Library, produces: object, *, swagger: bool) -> None:
        self._library = library
        self._produces = media_types(produces) if swagger else ()
        self._swagger = swagger
        self._shared: dict[tuple[str, str], _One | None] = {}
        self._accepts: dict[tuple[str, ...], str] = {}

    def of(self, operation: Mapping[str, Any], place: Place) -> Answers:
        """What all responses together say; those that cannot be read say nothing."""
        responses = operation.get("responses")
        if not isinstance(responses, dict) or all(key.startswith("x-") for key in responses):
            own = self._produced(operation)
            return Answers(accept=self._accept(own), produces=own, declared=False)
        success: list[_One] = []
        links: list[DeclaredLink] = []
        poll = ""
        for status, response in responses.items():
            one = self._one(response, place, status)
            if one is None:
                continue
            links += one.links
            if status[:1] == "2":
                success.append(one)
            if status == "202":
                poll = next((name for name in _POLL if name in one.headers), "")
        if not success and "default" in responses:
            success = [one for one in (self._one(responses["default"], place, "default"),) if one]
        own = self._produced(operation)
        types = own if self._swagger else _merged([one.types for one in success])
        headers = _merged([one.headers for one in success])
        return Answers(accept=self._accept(types), headers=headers, poll=poll, links=tuple(links), produces=own)

    def _produced(self, operation: Mapping[str, Any]) -> tuple[str, ...]:
        return (media_types(operation.get("produces")) or self._produces) if self._swagger else ()

    def _one(self, response: object, place: Place, status: str) -> _One | None:
        if not isinstance(response, dict):
            return None
        reference = response.get("$ref")
        if not isinstance(reference, str):
            return self._read(response, place, status)
        key = (place.base, reference)
        if key not in self._shared:
            self._shared[key] = self._behind(response, place)
        return self._shared[key]

    def _behind(self, response: Mapping[str, Any], place: Place) -> _One | None:
        """A shared response, read once; one that cannot be found is reported where its schema is read."""
        try:
            found = self._library.resolve(response, place.base)
        except Unresolved:
            return None
        spot = Place(found.base, found.pointer, self._library.book(found.base).label)
        return self._read(found.value, spot) if isinstance(found.value, dict) else _EMPTY

    def _read(self, response: Mapping[str, Any], place: Place, status: str = "") -> _One:
        content, headers, links = response.get("content"), response.get("headers"), response.get("links")
        if links:
            spot = place.below("responses", status, "links") if status else place.below("links")
            links = tuple(self._links(links, spot))
        return _One(
            types=media_types(list(content)) if content and isinstance(content, dict) else (),
            headers=tuple(name.lower() for name in headers) if headers and isinstance(headers, dict) else (),
            links=links or (),
        )

    def _links(self, links: object, place: Place) -> Iterator[DeclaredLink]:
        for name, link in links.items() if isinstance(links, dict) else ():
            written = self._link(link, place)
            if not name.startswith("x-") and written is not None:
                yield DeclaredLink(name, written, place.below(name))

    def _link(self, link: object, place: Place) -> Mapping[str, Any] | None:
        """A link behind its references; one that cannot be found leads nowhere."""
        if isinstance(link, dict) and isinstance(link.get("$ref"), str):
            try:
                link = self._library.resolve(link, place.base).value
            except Unresolved:
                return {}
        return link if isinstance(link, dict) else None

    def _accept(self, types: tuple[str, ...]) -> str:
        if types not in self._accepts:
            ordered = sorted(types or (_JSON,), key=lambda media: "json" not in media)
            rest = () if "*/*" in ordered else ("*/*;q=0.1",)
            self._accepts[types] = ", ".join((*ordered, *rest))
        return self._accepts[types]


_EMPTY = _One((), (), ())


def media_types(value: object) -> tuple[str, ...]:
    """Media types as they can stand in a header."""
    if isinstance(value, str):
        value = [value]
    if not isinstance(value, Sequence):
        return ()
    lowered = (item.strip().lower() for item in value if isinstance(item, str))
    good = (item for item in lowered if "/" in item and item.isascii() and item.isprintable())
    return tuple(dict.fromkeys(good))


def _merged(groups: list[tuple[str, ...]]) -> tuple[str, ...]:
    if len(groups) == 1:
        return groups[0]
    return tuple(dict.fromkeys(item for group in groups for item in group))
