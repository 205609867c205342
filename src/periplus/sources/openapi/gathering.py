"""Bringing in all files of one description, each fetched once and only when it changed (S-34, S-35, S-106)."""

from __future__ import annotations

import hashlib
from collections.abc import Awaitable, Callable, Iterable, Sequence
from pathlib import Path
from typing import TypeVar
from urllib.parse import urlsplit

import anyio
import msgspec

from periplus.model import Code, Document, DocumentPart, FindingCode, Problem, SourceSpec, Validators
from periplus.ports import Fetch, Fetched, FetchRequest

ACCEPT = (
    "application/openapi+json, application/openapi+yaml;q=0.9, application/json;q=0.9, application/yaml;q=0.8, "
    "text/yaml;q=0.7, */*;q=0.5"
)
_In = TypeVar("_In")
_Out = TypeVar("_Out")
AT_ONCE = 8
MOST_FILES = 5_000
MOST_BYTES = 512 * 1024 * 1024
_TRANSIENT = frozenset({Code.UNAVAILABLE, Code.TIMEOUT, Code.RATE_LIMITED})


class Part(msgspec.Struct, frozen=True, kw_only=True):
    """One fetched file: where it was asked for, where it came from, and its bytes."""

    asked: str
    url: str
    body: bytes
    media_type: str
    record: DocumentPart


class Missing(msgspec.Struct, frozen=True, kw_only=True):
    """A file that a reference names and that was not read, and why."""

    url: str
    code: FindingCode
    reason: str


class Gathering:
    """The files of one source as they arrive, held to the limits that apply to all of them together."""

    def __init__(self, spec: SourceSpec, fetch: Fetch, known: Document | None) -> None:
        self._spec = spec
        self._fetch = fetch
        self._known = {part.url: part for part in known.parts} if known else {}
        self._document = known
        self._bodies: dict[str, Part] = {}
        self._asked: set[str] = set()
        self._bytes = 0

    async def unchanged(self) -> Document | None:
        """The known description, if every file of it is what it was; what came anew is kept for `root`."""
        known = self._document
        if known is None or not known.parts or not known.sha256:
            return None
        first, *others = known.parts
        root = await self._ask_again(first, self._spec.url)
        if root is None:
            return None
        again = await _together(others, lambda part: self._ask_again(part, part.url, first.url))
        parts = tuple(part for part in (root, *again) if part is not None)
        return msgspec.structs.replace(known, parts=parts) if len(parts) == len(known.parts) else None

    async def root(self) -> Part:
        """The document itself; whatever is wrong with its answer is a `Problem`."""
        kept = self._bodies.pop(self._spec.url, None)
        part = kept or _part(self._spec.url, _readable(await self._send(self._spec.url, None)))
        self._bytes += part.record.bytes
        self._asked.update((part.asked, part.url))
        return part

    async def others(self, urls: Iterable[str], root: str) -> tuple[list[Part], list[Missing]]:
        """These referred files, those already asked for left out."""
        wanted = [url for url in dict.fromkeys(urls) if url not in self._asked]
        self._asked.update(wanted)
        room = max(MOST_FILES - (len(self._asked) - len(wanted)), 0)
        came = await _together(wanted[:room], lambda url: self._other(url, root))
        over = f"the source has more than {MOST_FILES} files ([limits] files)"
        missing = [one for one in came if isinstance(one, Missing)]
        missing += [Missing(url=url, code=FindingCode.OVER_LIMIT, reason=over) for url in wanted[room:]]
        return [one for one in came if isinstance(one, Part)], missing

    async def _other(self, url: str, root: str) -> Part | Missing:
        if _leaves_the_web(url, root):
            return Missing(url=url, code=FindingCode.REF_REFUSED, reason=f"{root} may not refer to local files")
        if self._bytes > MOST_BYTES:
            reason = f"all files of a source may have {MOST_BYTES} bytes together ([limits] documents_bytes)"
            return Missing(url=url, code=FindingCode.OVER_LIMIT, reason=reason)
        try:
            kept = self._bodies.pop(url, None)
            part = kept or _part(url, await self._send(url, None, root=root))
        except Problem as problem:
            if problem.code in _TRANSIENT and url in self._known:
                raise  # the last good set serves until the file is back: a gap would look like removed tools
            return Missing(url=url, code=_finding_code(problem.code), reason=problem.message)
        self._bytes += part.record.bytes
        return part

    async def _ask_again(self, part: DocumentPart, url: str, root: str = "") -> DocumentPart | None:
        """The record of a file that is what it was (missing, for one that was missing); else None."""
        try:
            fetched = await self._send(url, part.validators, root=root)
        except Problem as problem:
            if not root or problem.code in _TRANSIENT:
                raise
            return part if not part.sha256 else None
        if fetched.not_modified:
            return part
        got = _part(url, fetched if root else _readable(fetched))
        if got.record.sha256 == part.sha256:
            return got.record
        self._bodies[url] = got
        return None

    async def _send(self, url: str, validators: Validators | None, *, root: str = "") -> Fetched:
        request = FetchRequest(url=url, accept=ACCEPT, validators=validators, root=root)
        fetched = await self._fetch.send(request)
        if root and not fetched.not_modified and not 200 <= fetched.status < 300:
            raise Problem(Code.NOT_FOUND, f"{url} answered {fetched.status}")
        return fetched


async def _together(items: Sequence[_In], work: Callable[[_In], Awaitable[_Out]]) -> list[_Out]:
    """The work on each item, at most `AT_ONCE` at a time, in the order of the items; the first problem is raised."""
    done: dict[int, _Out] = {}
    problems: list[Problem] = []
    gate = anyio.CapacityLimiter(AT_ONCE)

    async def one(index: int, item: _In) -> None:
        async with gate:
            try:
                done[index] = await work(item)
            except Problem as problem:  # a task group would wrap it
                problems.append(problem)

    async with anyio.create_task_group() as group:
        for index, item in enumerate(items):
            group.start_soon(one, index, item)
    if problems:
        raise problems[0]
    return [done[index] for index in range(len(items))]


def located(url: str) -> str:
    """An absolute URL for what a person may have written as a path."""
    scheme = urlsplit(url).scheme
    if len(scheme) > 1:  # one letter is a drive
        return url
    return Path(url).absolute().as_uri()


def _part(asked: str, fetched: Fetched) -> Part:
    digest = hashlib.sha256(fetched.body).hexdigest()
    url = located(fetched.url or asked)
    record = DocumentPart(url=url, sha256=digest, bytes=len(fetched.body), validators=fetched.validators)
    return Part(asked=asked, url=url, body=fetched.body, media_type=fetched.media_type, record=record)


def _readable(fetched: Fetched) -> Fetched:
    """The answer, if it can be a description at all."""
    if 200 <= fetched.status < 300 or fetched.not_modified:
        return fetched
    came = f"{fetched.url} answered {fetched.status} ({fetched.media_type or 'no media type'})"
    words = " ".join(fetched.body[:400].decode("utf-8", "replace").split())[:120]
    if fetched.status in {401, 403, 407}:
        hint = "add [[credentials]] for that host"
        raise Problem(Code.UPSTREAM_UNAUTHENTICATED, f"{came}: {words!r}", hints=(hint,))
    if fetched.status in {408, 429} or fetched.status >= 500:
        raise Problem(Code.UNAVAILABLE, f"{came}: {words!r}", retryable=True)
    expected = "expected an OpenAPI document in JSON or YAML"
    raise Problem(Code.PARSE_ERROR, f"{came}: {words!r}; {expected}", hints=("check the address",))


def _leaves_the_web(url: str, root: str) -> bool:
    return urlsplit(url).scheme not in {"http", "https"} and urlsplit(root).scheme in {"http", "https"}


def _finding_code(code: Code) -> FindingCode:
    if code in {Code.REFUSED_ADDRESS, Code.FORBIDDEN, Code.NOT_ENABLED, Code.BAD_INPUT}:
        return FindingCode.REF_REFUSED
    return FindingCode.OVER_LIMIT if code is Code.OVER_LIMIT else FindingCode.DANGLING_REF
