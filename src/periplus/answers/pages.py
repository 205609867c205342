"""The arguments that would fetch the next page of the same tool (S-77). Nothing is fetched unasked."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qsl, urljoin, urlsplit

from periplus.answers.received import Asked, Received

_LINK = re.compile(r"<([^>]*)>((?:\s*;[^,<]*)*)")
_NEXT = re.compile(r";\s*rel\s*=\s*(?:\"[^\"]*\bnext\b[^\"]*\"|next\b)", re.IGNORECASE)
_INSIDE = ("pagination", "paging", "page", "meta", "metadata", "pageInfo", "page_info", "response_metadata", "links")
_INSIDE_LINKS = ("_links", "cursors")
_URLS = ("next", "nextlink", "odatanextlink", "nexturl", "nextpageurl", "nexthref", "nextpagelink", "nextpage")
_CURSORS = ("nextcursor", "nextpagetoken", "nexttoken", "nextpage", "nextmarker", "continuationtoken", "continue")
_CURSOR_TAKERS = (
    *("cursor", "pagetoken", "after", "startingafter", "nexttoken", "token", "marker", "continuationtoken"),
    *("continue", "pagecursor", "startcursor", "next"),
)
_PAGE_TAKERS = ("page", "pagenumber", "pageno", "pageindex", "p")
_OFFSET_TAKERS = ("offset", "skip", "start", "startindex", "startat", "from")
_TOTALS = ("total", "totalcount", "totalresults", "totalitems", "odatacount")
_MORE = ("hasmore", "hasnext", "hasnextpage", "more")
_LISTS = ("items", "data", "results", "value", "values", "entries", "records", "rows", "list")


def next_arguments(value: Any, received: Received, asked: Asked) -> dict[str, Any] | None:
    """`{"arguments": ...}` where a parameter of the tool takes what the answer says of a next page."""
    if not asked.query:
        return None
    pages = _Pages(value, received, asked)
    changed = next((found for found in pages.guesses() if found is not None and found != asked.arguments), None)
    return None if changed is None else {"arguments": changed}


class _Pages:
    """One answer looked at for its next page."""

    def __init__(self, value: Any, received: Received, asked: Asked) -> None:
        self._value = value
        self._received = received
        self._asked = asked
        self._takers = {_fold(name): argument for name, argument in asked.query.items()}
        self._told = dict(_told(value))

    def guesses(self) -> Iterator[dict[str, Any] | None]:
        """From the surest to the vaguest."""
        yield from map(self._by_url, self._links())
        yield from self._by_cursor()
        yield from self._by_count()

    def _links(self) -> Iterator[str]:
        for name, text in self._received.headers:
            if name == "link":
                yield from (self._received.redact(url) for url, rest in _LINK.findall(text) if _NEXT.search(rest))
        for name in _URLS:
            found = self._told.get(name)
            found = found.get("href") if isinstance(found, dict) else found
            if isinstance(found, str) and ("/" in found or "?" in found):
                yield found

    def _by_url(self, text: str) -> dict[str, Any] | None:
        """A URL of the same origin and path whose every member is an argument, or stays as it was."""
        there, here = urlsplit(urljoin(self._received.url, text)), urlsplit(self._asked.url)
        if (there.scheme, there.netloc, there.path) != (here.scheme, here.netloc, here.path):
            return None
        sent = dict(parse_qsl(here.query, keep_blank_values=True))
        changed = dict(self._asked.arguments)
        wanted = dict(parse_qsl(there.query, keep_blank_values=True))
        for name, member in wanted.items():
            if sent.get(name) == member or member == "***":
                continue
            if name not in self._asked.query:
                return None
            self._set(changed, self._asked.query[name], member)
        for name in sent.keys() - wanted.keys():
            changed.pop(self._asked.query.get(name, ""), None)
        return changed

    def _by_cursor(self) -> Iterator[dict[str, Any] | None]:
        cursors = [(name, self._told[name]) for name in (*_CURSORS, "next") if self._told.get(name)]
        if self._told.get("endcursor") and any(self._told.get(name) is True for name in _MORE):
            cursors.append(("endcursor", self._told["endcursor"]))
        for name, cursor in cursors:
            if isinstance(cursor, bool) or not isinstance(cursor, str | int):
                continue
            own = (name, name.removeprefix("next"))
            takers = (*own, *(_PAGE_TAKERS if isinstance(cursor, int) or cursor.isdecimal() else ()), *_CURSOR_TAKERS)
            yield self._with(takers, cursor)

    def _by_count(self) -> Iterator[dict[str, Any] | None]:
        """More to come by its own word, or by a total that was not reached."""
        listed = _listed(self._value)
        if not listed:
            return
        said = next((self._told[name] for name in _MORE if isinstance(self._told.get(name), bool)), None)
        total = next((self._told[name] for name in _TOTALS if type(self._told.get(name)) is int), None)
        last = listed[-1].get("id") if isinstance(listed[-1], dict) else None
        if said and isinstance(last, str | int):
            yield self._with(("startingafter",), last)
        offset = self._given(_OFFSET_TAKERS, 0)
        if said or (said is None and total is not None and offset + len(listed) < total):
            yield self._with(_OFFSET_TAKERS, offset + len(listed))
        page = self._given(_PAGE_TAKERS, 1)
        if said or (said is None and total is not None and self._below(total, page, len(listed))):
            yield self._with(_PAGE_TAKERS, page + 1)

    def _below(self, total: int, page: int, count: int) -> bool:
        """Whether pages as long as this one, up to this one, are fewer than all; the first may be counted 0."""
        size = max(count, self._given(("pagesize", "perpage", "limit", "size", "count"), 0))
        return page * size < total

    def _given(self, names: tuple[str, ...], default: int) -> int:
        argument = next((self._takers[name] for name in names if name in self._takers), "")
        value = self._asked.arguments.get(argument, default)
        return value if type(value) is int else default

    def _with(self, takers: tuple[str, ...], value: str | int) -> dict[str, Any] | None:
        argument = next((self._takers[name] for name in takers if name in self._takers), None)
        if argument is None:
            return None
        changed = dict(self._asked.arguments)
        self._set(changed, argument, value)
        return changed

    def _set(self, arguments: dict[str, Any], argument: str, value: str | int) -> None:
        """Put a value where its schema wants it, as the type it wants."""
        schema = self._asked.args_schema.get("properties", {}).get(argument, {})
        kind = schema.get("type") if isinstance(schema, dict) else None
        kinds = kind if isinstance(kind, list) else [kind]
        if "integer" in kinds and isinstance(value, str) and re.fullmatch(r"-?[0-9]{1,18}", value):
            value = int(value)
        elif "integer" not in kinds and "number" not in kinds and kind is not None:
            value = str(value)
        arguments[argument] = value


def _told(value: Any) -> Iterator[tuple[str, Any]]:
    """What an answer says at its top, and inside the members that usually speak of pages; the top wins."""
    if not isinstance(value, dict):
        return
    for name in (*_INSIDE, *_INSIDE_LINKS):
        inner = value.get(name)
        if isinstance(inner, dict):
            yield from ((_fold(key), member) for key, member in inner.items())
            if name == "paging" and isinstance(inner.get("cursors"), dict) and inner.get("next"):
                yield ("nextcursor", inner["cursors"].get("after"))
    yield from ((_fold(key), member) for key, member in value.items())


def _listed(value: Any) -> list[Any]:
    """The list of a page: the answer itself, or its one telling member."""
    if isinstance(value, list):
        return value
    if not isinstance(value, dict):
        return []
    named = (value[name] for name in _LISTS if isinstance(value.get(name), list))
    lists = [member for member in value.values() if isinstance(member, list)]
    return next(named, lists[0] if len(lists) == 1 else [])


def _fold(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())
