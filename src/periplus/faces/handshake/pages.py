"""Pages of a list: as many items as asked and as fit, never a part of one, and the call that shows the next ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from periplus.faces.handshake.calls import call_text

_PAGE_LINE = 120  # what a page line takes at most, without the call in it


class Item(msgspec.Struct, frozen=True, kw_only=True):
    """One thing of a list: its text, and its row for programs. `group` is a heading that stands before it."""

    text: str
    row: Mapping[str, Any]
    is_action: bool = False
    group: str = ""
    apart: bool = False  # with an empty line before it, as signatures have
    tail: Mapping[str, str] = {}  # what is printed once per page after all items, by itself
    full: Mapping[str, Any] = {}  # what programs get beside the row


class Listed(msgspec.Struct, frozen=True, kw_only=True):
    """A page of items, and where it ends."""

    shown: tuple[Item, ...]
    offset: int
    total: int
    text: str = ""
    next: tuple[str, Mapping[str, Any]] | None = None

    def said(self, *parts: str) -> Listed:
        """The page with its text."""
        return msgspec.structs.replace(self, text=joined(*parts))

    @property
    def page(self) -> dict[str, Any]:
        made: dict[str, Any] = {"offset": self.offset, "shown": len(self.shown), "total": self.total}
        if self.next:
            made["next"] = {"tool": self.next[0], "arguments": dict(self.next[1])}
        return made


def room_in(
    most: int, head: str, call: tuple[str, Mapping[str, Any]], notes: Sequence[str] = (), after: int = 0
) -> int:
    """What is left for items on a page of so many characters beside its head, its notes and the call of the next."""
    told = len(head) + len(notes_text(notes)) + len(call_text(*call)) + _PAGE_LINE + after
    return max(most - told, 0)


def fitting(items: Sequence[Item], room: int) -> tuple[Item, ...]:
    """The first items that fit, the very first always."""
    taken: list[Item] = []
    used = 0
    group = ""
    printed: set[str] = set()
    for item in items:
        size = len(item.text) + 1 + item.apart
        if item.group != group:
            size += len(item.group) + 2
        size += sum(len(text) + 2 for name, text in item.tail.items() if name not in printed)
        if taken and used + size > room:
            break
        used += size
        group = item.group
        printed.update(item.tail)
        taken.append(item)
    return tuple(taken)


def body_of(items: Sequence[Item]) -> str:
    """The items under their headings, then what they refer to."""
    lines: list[str] = []
    tail: dict[str, str] = {}
    group, apart = "", False
    for item in items:
        if item.group != group:
            lines += ["", item.group]
            group = item.group
        if item.apart or apart:
            lines.append("")
        lines.append(item.text)
        apart = item.apart
        tail.update(item.tail)
    for text in tail.values():
        lines += ["", text]
    return "\n".join(lines).strip("\n")


def page_line(
    what: str, page: Listed | tuple[int, int, int], then: tuple[str, Mapping[str, Any]] | str | None = None
) -> str:
    """`**Page**: areas 1-100 of 1000. Next: get_landmarks(_offset=100)`."""
    offset, shown, total = page if isinstance(page, tuple) else (page.offset, len(page.shown), page.total)
    if shown:
        line = f"**Page**: {what} {offset + 1}-{offset + shown} of {total}."
    elif total and offset:
        line = f"**Page**: nothing from {offset} on; there are {total} {what}."
    else:
        line = f"**Page**: no {what}."
    if not then:
        return line
    return f"{line} Next: {then if isinstance(then, str) else call_text(*then)}"


def page_of(shown: Sequence[Item], offset: int, total: int, call: tuple[str, Mapping[str, Any]]) -> Listed:
    """The page that holds these items; `call` made it, and with another offset it makes the next."""
    end = offset + len(shown)
    following = (call[0], {**call[1], "_offset": end}) if shown and end < total else None
    return Listed(shown=tuple(shown), offset=offset, total=total, next=following)


def notes_text(notes: Sequence[str]) -> str:
    """One line for each note."""
    return "\n".join(f"**NOTE**: {note}" for note in notes)


def joined(*parts: str) -> str:
    """Parts with an empty line between them; empty ones do not count."""
    return "\n\n".join(part for part in parts if part)
