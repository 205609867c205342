"""A result as its reader gets it: the payload itself, or the part of it that was asked for and fits (H-59 to H-62)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from periplus.core.shaping.cut import Cut, cut, size_of
from periplus.faces.handshake.calls import call_text, json_text
from periplus.faces.handshake.hygiene import Part
from periplus.model import Result

_KEPT = 49_152  # from this size on a result has a name that other protocols know it by, too
_AROUND = 200
_TRIES = 4


class Shown(msgspec.Struct, frozen=True, kw_only=True):
    """What is shown of a value: its text, and the same for programs."""

    text: str
    data: Any
    page: dict[str, Any] | None = None
    notes: tuple[str, ...] = ()
    cache_ref: str = ""


def shown(result: Result, part: Part, stored: str, notes: Sequence[str], budget: int) -> Shown:
    """A result within a budget of characters; `stored` is the name under which all of it can be read on."""
    said = tuple(dict.fromkeys((*notes, *result.notes)))
    large = result.handle if result.handle and size_of(result.value) > _KEPT else ""
    made = _shown(result, part, stored, said, cut(result.value, budget), large)
    room = budget
    for _ in range(_TRIES):
        if len(made.text) <= budget:
            break
        room -= len(made.text) - budget + _AROUND
        made = _shown(result, part, stored, said, cut(result.value, max(room, 1)), large)
    return made


def _shown(result: Result, part: Part, stored: str, notes: tuple[str, ...], fit: Cut, large: str) -> Shown:
    page = _page(result, fit)
    echo = result.meta.get("request")
    if part.is_whole and page is None and not notes and not large and echo is None:
        return Shown(text=_payload(result, fit.value), data=fit.value)
    envelope: dict[str, Any] = {"status": "success", "data": fit.value}
    if notice := _notice(part, page):
        envelope["_HYGIENE_NOTICE"] = notice
    if remedy := _remedy(part, page, stored, fit):
        envelope["remedy"] = remedy
    if large:
        envelope["cache_ref"] = large
    if echo is not None:
        envelope["_DEBUG_ECHO"] = echo
    if notes:
        envelope["_NOTES"] = list(notes)
    return Shown(text=json_text(envelope), data=fit.value, page=page, notes=notes, cache_ref=large)


def _payload(result: Result, value: Any) -> str:
    if isinstance(value, str):
        return value
    if value is None:
        status = result.meta.get("http_status")
        said = f"{status} No Content" if status in (204, 205) else "the answer has no content"
        return json_text({"status": "success", "data": None, "_INFO": said})
    return json_text(value)


def _page(result: Result, fit: Cut) -> dict[str, Any] | None:
    """Which rows, members or characters of how many are here, where that is not all."""
    asked: dict[str, Any] | None = result.meta.get("page")
    if not fit.is_cut:
        return asked
    if fit.what == "members" or asked is None:
        return {"what": fit.what, "offset": 0, "shown": fit.shown, "total": fit.total}
    return asked | {"shown": fit.shown}


def _notice(part: Part, page: Mapping[str, Any] | None) -> str:
    if page is None:
        return "" if part.is_whole else _asked(part)
    if page["what"] == "members":
        return f"{page['shown']} of {page['total']} members"
    start = page.get("offset", 0)
    if not page["shown"]:
        return f"no {page['what']} from {start} on; there are {page['total']}"
    return f"{page['what']} {start + 1}-{start + page['shown']} of {page['total']}"


def _asked(part: Part) -> str:
    """What was left out on request, where all rows are here."""
    select = ",".join(part.select) if isinstance(part.select, tuple) else part.select
    only = [f"only {select}"] if select else []
    rows = (
        [f"rows with {part.filter if isinstance(part.filter, str) else json_text(part.filter)}"] if part.filter else []
    )
    return ", ".join(only + rows)


def _remedy(part: Part, page: Mapping[str, Any] | None, stored: str, fit: Cut) -> str:
    """The call that reads on; it never asks the upstream again."""
    if page is None or not stored:
        return ""
    if page["what"] == "members":
        names = ",".join(str(name) for name in fit.value) if isinstance(fit.value, dict) else ""
        return f"next: {call_text('list_aliases', {'alias': stored, '_select': names})} and other members"
    following = page.get("offset", 0) + (page["shown"] or 0)
    if following >= page["total"] or not page["shown"]:
        return ""
    again = {"alias": stored, **{name: value for name, value in part.written().items() if name != "_offset"}}
    return f"next: {call_text('list_aliases', {**again, '_offset': following})}"


def compact(body: Mapping[str, Any], most: int) -> dict[str, Any] | None:
    """The object for programs, at most as long as the text beside it: first what is told elsewhere goes (H-39)."""
    made = dict(body)
    for name in ("trace_id", "notes", "http_code", "cache_ref", "site", "data", "action", "alias", "page"):
        if len(json_text(made)) <= most:
            return made
        made.pop(name, None)
    return made if len(json_text(made)) <= most else None
