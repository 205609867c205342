"""One page of landmarks, whether it came as JSON or as markdown; what it is, its text decides."""

from __future__ import annotations

from typing import Any

import msgspec

from periplus.documents import DecodeLimits, decode
from periplus.documents.schemas import shown
from periplus.model import Code, Problem
from periplus.ports import Fetched, ReadLimits
from periplus.sources.native.markdown import is_markdown, markdown_page

_ENCODER = msgspec.json.Encoder(decimal_format="number")


class Entry(msgspec.Struct, frozen=True):
    """A landmark as it is kept until tools are made: its text, which takes a fraction of what its members would."""

    id: str
    is_action: bool
    raw: bytes
    children: int | None = None  # of an area: how many it says lie directly below it


class Page(msgspec.Struct, frozen=True, kw_only=True):
    """What one answer holds; `size` counts all that came, also what is no landmark."""

    entries: tuple[Entry, ...]
    size: int
    total: int | None = None
    next: int | None = None  # where the page behind it begins; None: there is none
    odd: tuple[str, ...] = ()  # entries that are no landmark
    head: dict[str, Any] = {}
    notes: tuple[str, ...] = ()

    def repeats(self, other: Page) -> bool:
        """Whether it is the same page again: a site that does not look at where it is asked to begin."""
        mine, others = ([entry.id for entry in page.entries] for page in (self, other))
        return mine == others and self.odd == other.odd


def read_page(fetched: Fetched, limits: ReadLimits, offset: int = 0) -> Page:
    """The landmarks of an answer. Raises `parse_error` for what is no page of a native site."""
    if is_markdown(fetched.body):
        text = fetched.body.decode("utf-8", "replace")
        found, following = markdown_page(text)
        further = following if following is not None and following > offset else None
        return _page(found, next=further, head={"markdown": True})
    bounds = DecodeLimits(document_bytes=limits.document_bytes, nesting=limits.nesting, nodes=limits.nodes)
    decoded = decode(fetched.body, name=fetched.url, media_type=fetched.media_type or None, limits=bounds)
    value = decoded.value
    landmarks = value.get("landmarks") if isinstance(value, dict) else None
    if not isinstance(value, dict) or not isinstance(landmarks, list):
        raise Problem(
            Code.PARSE_ERROR,
            f"{fetched.url} is no page of a native site: expected an object with a list of `landmarks`",
            hints=("give the site's base address, or its /.well-known/elemm-manifest.md",),
            where=fetched.url,
        )
    paging = value.get("pagination")
    total = _count(paging, "total")
    return _page(
        landmarks,
        total=total,
        next=_next(paging, offset + len(landmarks), total) if landmarks else None,
        head={name: member for name, member in value.items() if name not in {"landmarks", "pagination"}},
        notes=tuple(f"{note.where}: {note.message}" for note in decoded.notes),
    )


def _page(landmarks: list[Any], **more: Any) -> Page:
    entries = [_entry(landmark) for landmark in landmarks]
    return Page(
        entries=tuple(entry for entry in entries if entry is not None),
        size=len(landmarks),
        odd=tuple(shown(each) for each, entry in zip(landmarks, entries, strict=True) if entry is None),
        **more,
    )


def _entry(landmark: Any) -> Entry | None:
    if not isinstance(landmark, dict):
        return None
    id_ = landmark.get("id")
    if not isinstance(id_, str) or not any(piece.strip() for piece in id_.split(":")):
        return None
    is_action = _is_action(landmark)
    return Entry(id_, is_action, _ENCODER.encode(landmark), None if is_action else _count(landmark, "child_count"))


def _is_action(landmark: dict[str, Any]) -> bool:
    """By its type, else by what only one of the two has."""
    if landmark.get("type") in ("action", "navigation"):
        return bool(landmark["type"] == "action")
    return landmark.get("is_tool") is True or (landmark.get("is_tool") is None and "child_count" not in landmark)


def _next(paging: Any, reached: int, total: int | None) -> int | None:
    """Where to go on: behind what came, never where the page says that it would have ended."""
    if not isinstance(paging, dict):
        return None
    further = reached < total if total is not None else paging.get("has_more") is True
    return reached if further else None


def _count(owner: Any, name: str) -> int | None:
    value = owner.get(name) if isinstance(owner, dict) else None
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None
