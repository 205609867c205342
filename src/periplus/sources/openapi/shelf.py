"""Decoded documents: the root walked without being held where it is large, what it refers to beside it (S-34)."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Any, NamedTuple
from urllib.parse import unquote, urlsplit

from periplus.documents import Note, decode, members
from periplus.model import Code, FindingCode, Problem
from periplus.sources.openapi.externals import joined, may_move_base, may_refer_outside, referred
from periplus.sources.openapi.gathering import Missing, Part
from periplus.sources.openapi.references import Book

LAZY_FROM = 4 * 1024 * 1024
# What is opened member by member in a large document: everything that is looked up by name.
_OPENED = frozenset(
    {"paths", "webhooks", "x-webhooks", "definitions", "parameters", "responses", "securityDefinitions"}
)


class Wanted(NamedTuple):
    """A document somebody refers to: what it is called there, and where it would be."""

    called: str
    location: str
    by: str  # label of the document that refers


class Shelf:
    """All documents of one source as they are decoded."""

    def __init__(self, root: Part) -> None:
        self.label = _basename(root.url)
        self._folder = root.url.rpartition("/")[0] + "/"
        self.others: dict[str, Book] = {}
        self.missing: list[tuple[Missing, str]] = []
        self.notes: list[Note] = []
        self.wanted: dict[str, Wanted] = {}
        self.root = self._root(root)

    def _root(self, part: Part) -> Book:
        body = part.body
        if len(body) >= LAZY_FROM and body[:1] == b"{" and not may_move_base(body) and not may_refer_outside(body):
            lazy = members(body, name=self.label, media_type=part.media_type)
            tree: dict[str, Any] = {}
            for key in lazy:
                opened = lazy.opened(key) if key in _OPENED or key == "components" else None
                tree[key] = lazy[key] if opened is None else opened
            if "components" in tree and not isinstance(tree["components"], dict):
                sections = tree["components"]
                tree["components"] = {key: _or(sections.opened(key), sections, key) for key in sections}
            return Book(url=part.url, label=self.label, tree=tree)
        value = self._decoded(part, self.label)
        if not isinstance(value, dict):
            kind = "a list" if isinstance(value, list) else "a text"
            raise Problem(
                Code.PARSE_ERROR,
                f"{self.label}: {kind} came; an OpenAPI document was expected",
                hints=("use the address of one OpenAPI document",),
                where=self.label,
            )
        book = Book(url=part.url, label=self.label, tree=value, named=may_move_base(body))
        if may_refer_outside(body):
            self._want(book)
        return book

    def add(self, part: Part, called: tuple[str, ...]) -> None:
        """Put a fetched document beside the root, under all names it is referred by."""
        label = part.url.removeprefix(self._folder)
        try:
            value = self._decoded(part, label)
        except Problem as problem:
            missing = Missing(url=part.asked, code=FindingCode.PARSE_ERROR, reason=problem.message)
            self.missing.append((missing, self.wanted[called[0]].by))
            return
        book = Book(url=part.url, label=label, tree=value, named=may_move_base(part.body))
        for name in (*called, part.asked, part.url):
            self.others.setdefault(name, book)
        if may_refer_outside(part.body):
            self._want(book)

    def _decoded(self, part: Part, label: str) -> Any:
        decoded = decode(part.body, name=label, media_type=part.media_type)
        self.notes += decoded.notes
        return decoded.value

    def _want(self, book: Book) -> None:
        for called, reference in referred(book.tree, book.own).items():
            moved = book.own != book.url and not urlsplit(reference).scheme
            location = joined(book.url, reference) if moved else called
            self.wanted.setdefault(called, Wanted(called, location, book.label))


def _or(opened: Any, sections: Mapping[str, Any], key: str) -> Any:
    return sections[key] if opened is None else opened


def _basename(url: str) -> str:
    parts = urlsplit(url)
    return unquote(PurePosixPath(parts.path).name) or parts.netloc or "document"
