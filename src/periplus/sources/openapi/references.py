"""Following references through the documents of a source: pointers, anchors, ids, other files (S-34)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple
from urllib.parse import unquote

import msgspec

from periplus.sources.openapi.externals import joined, split
from periplus.sources.openapi.references_port import Cycle, Dangling, Refused, Resolved

_ANCHORS = ("$anchor", "$dynamicAnchor")


class Book(msgspec.Struct, kw_only=True, eq=False):
    """One read document: where it came from, what it calls itself, how reports spell it."""

    url: str
    label: str
    tree: Any  # a mapping, but for odd external files
    named: bool = False  # it may name parts of itself by `$id` or `$anchor`

    @property
    def own(self) -> str:
        """The base its references are relative to: `$self`, else where it came from."""
        declared = self.tree.get("$self") if isinstance(self.tree, Mapping) else None
        return joined(self.url, declared) if isinstance(declared, str) and declared else self.url


class _Resource(NamedTuple):
    """A whole document, or a schema in one that has an `$id`: what `#` means inside it."""

    book: Book
    pointer: str
    value: Any
    outer: str  # the base around it


class Library:
    """All documents of a source; the only one who knows which file a reference means."""

    def __init__(self, root: Book, others: Mapping[str, Book], refused: Mapping[str, bool]) -> None:
        self.root = root
        self._books = {root.url: root, **others}
        for book in tuple(self._books.values()):
            self._books.setdefault(book.own, book)
        self._refused = refused  # URL -> whether it may not be read (else: it could not be)
        self._named: tuple[dict[str, _Resource], dict[tuple[str, str], _Resource]] | None = None
        self._known: dict[tuple[str, str], Resolved | type[Dangling | Refused]] = {}

    def book(self, base: str) -> Book:
        """The document that a base belongs to."""
        found = self._resource(base)
        return found.book if found else self.root

    def resolve(self, node: Mapping[str, Any], base: str) -> Resolved:
        """The end of the chain that starts in a node."""
        found = self.hop(node, base)
        seen: set[tuple[str, str]] = set()
        while isinstance(found.value, dict) and isinstance(found.value.get("$ref"), str):
            place = (found.base, found.pointer)
            if place in seen:
                raise Cycle(_text(node))
            seen.add(place)
            found = self.hop(found.value, found.base)
        return found

    def hop(self, node: Mapping[str, Any], base: str) -> Resolved:
        """Where the reference in a node leads, which may be a reference again."""
        text = _text(node)
        known = self._known.get((base, text))
        if known is None:
            known = self._known[base, text] = self._follow(text, base)
        if isinstance(known, Resolved):
            return known
        raise known(text)

    def _follow(self, text: str, base: str) -> Resolved | type[Dangling | Refused]:
        url, fragment = (base, text[1:]) if text.startswith("#") else split(base, text)
        resource = self._resource(url)
        if resource is None:
            return Refused if self._refused.get(url) else Dangling
        found = self._inside(resource, url if resource.pointer else resource.outer, fragment)
        if found is None and resource.pointer:
            # `#/components/...` inside a schema with an `$id` is strictly that schema's own; people mean the file.
            whole = _Resource(resource.book, "", resource.book.tree, resource.book.own)
            found = self._inside(whole, resource.book.own, fragment)
        return found or Dangling

    def _inside(self, resource: _Resource, url: str, fragment: str) -> Resolved | None:
        if fragment.startswith("/"):
            for tokens in _readings(fragment):
                if (found := self._walk(resource, url, tokens)) is not None:
                    return found
        if fragment in {"", "/"}:  # people write `#/` for the whole document
            base = resource.outer if resource.pointer else url
            return Resolved(resource.value, base, resource.pointer, _name(resource.pointer or url))
        if fragment.startswith("/"):
            return None
        anchor = self._names()[1].get((url, unquote(fragment)))
        if anchor is None:
            return None
        return Resolved(anchor.value, anchor.outer, anchor.pointer, unquote(fragment))

    def _walk(self, resource: _Resource, url: str, tokens: list[str]) -> Resolved | None:
        value, base = resource.value, url
        for depth, token in enumerate(tokens):
            if depth and resource.book.named and isinstance(value, Mapping):
                own = value.get("$id")
                base = joined(base, own) if isinstance(own, str) else base
            try:
                value = value[int(token)] if isinstance(value, list) else value[token]
            except (KeyError, IndexError, ValueError, TypeError):
                return None
        pointer = resource.pointer + "".join(f"/{escaped(token)}" for token in tokens)
        return Resolved(value, base, pointer, tokens[-1])

    def _resource(self, url: str) -> _Resource | None:
        book = self._books.get(url)
        if book is not None:
            return _Resource(book, "", book.tree, book.own)
        return self._names()[0].get(url) if any(book.named for book in self._books.values()) else None

    def _names(self) -> tuple[dict[str, _Resource], dict[tuple[str, str], _Resource]]:
        """Everything the documents name by `$id` and by anchors; found at the first need only."""
        if self._named is None:
            ids: dict[str, _Resource] = {}
            anchors: dict[tuple[str, str], _Resource] = {}
            for book in self._books.values():
                for place, base in _named_parts(book) if book.named else ():
                    own = place.value.get("$id")
                    inner = joined(base, own) if isinstance(own, str) else base
                    if inner != base:
                        ids.setdefault(inner, place)
                    for word in _ANCHORS:
                        if isinstance(name := place.value.get(word), str):
                            anchors.setdefault((inner, name), place)
            self._named = ids, anchors
        return self._named


def escaped(token: str) -> str:
    """A key as a JSON pointer spells it."""
    return token.replace("~", "~0").replace("/", "~1")


def _text(node: Mapping[str, Any]) -> str:
    text = node.get("$ref", node.get("$dynamicRef"))
    if not isinstance(text, str):
        raise Dangling(repr(text)[:80])
    return text


def _named_parts(book: Book) -> Iterator[tuple[_Resource, str]]:
    stack: list[tuple[Any, str, str]] = [(book.tree, "", book.own)]
    seen: set[int] = set()
    while stack:
        value, pointer, base = stack.pop()
        if id(value) in seen:
            continue
        if isinstance(value, list):
            seen.add(id(value))
            stack.extend((item, f"{pointer}/{index}", base) for index, item in enumerate(value))
        elif isinstance(value, Mapping):
            seen.add(id(value))
            if pointer and any(isinstance(value.get(word), str) for word in ("$id", *_ANCHORS)):
                yield _Resource(book, pointer, value, base), base
                own = value.get("$id")
                base = joined(base, own) if isinstance(own, str) else base
            stack.extend((item, f"{pointer}/{escaped(key)}", base) for key, item in value.items())


def _readings(fragment: str) -> Iterator[list[str]]:
    """A pointer as RFC 6901 reads it, then as people mean it who write `%2F` for a slash inside a key."""
    if "%" not in fragment:
        yield _tokens(fragment)
        return
    yield _tokens(unquote(fragment))
    yield [unquote(token) for token in _tokens(fragment)]
    yield _tokens(fragment)


def _tokens(pointer: str) -> list[str]:
    tokens = pointer[1:].split("/")
    return [token.replace("~1", "/").replace("~0", "~") for token in tokens] if "~" in pointer else tokens


def _name(pointer: str) -> str:
    return pointer.rstrip("/").rpartition("/")[2].replace("~1", "/").replace("~0", "~")
