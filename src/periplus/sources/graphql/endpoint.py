"""Asking a GraphQL endpoint for its schema, and saying plainly why when it does not tell."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NoReturn
from urllib.parse import urlencode, urlsplit, urlunsplit

import msgspec

from periplus.model import Code, FindingCode, Problem
from periplus.ports import Fetch, Fetched, FetchRequest
from periplus.sources.graphql.questions import NAMES, SERVICE_SDL, part_question, whole_questions
from periplus.sources.graphql.report import Report

ACCEPT = "application/graphql-response+json, application/json;q=0.9"
_DISABLED = re.compile(
    r"introspection.{0,60}(disabled|not (allowed|enabled|permitted|supported)|forbidden|blocked|denied|off\b)"
    r"|(disabled|not allow|forbid|block|den(y|ied)).{0,40}introspection|__schema.{0,60}not allowed",
    re.IGNORECASE | re.DOTALL,
)
_AT_ONCE = 40
_REFUSED = {
    401: (Code.UPSTREAM_UNAUTHENTICATED, "add credentials for the host, see [[credentials]]"),
    403: (Code.FORBIDDEN, "add credentials that may read the schema, see [[credentials]]"),
    407: (Code.UPSTREAM_UNAUTHENTICATED, "add credentials for the proxy"),
    429: (Code.RATE_LIMITED, "try again later"),
}


class NotGraphqlError(Problem):
    """The address answered, and not as a GraphQL endpoint does."""


class Answer(msgspec.Struct, frozen=True):
    """A GraphQL answer as it came: `data` unread, the messages of its errors."""

    body: bytes
    url: str
    data: msgspec.Raw
    errors: tuple[str, ...]

    def has(self, member: str) -> bool:
        """Whether `data` holds something under this name."""
        try:
            found = msgspec.json.decode(self.data, type=dict[str, msgspec.Raw])
        except msgspec.ValidationError:
            return False
        return bytes(found.get(member, b"null")) != b"null"


class _Body(msgspec.Struct):
    data: msgspec.Raw = msgspec.Raw(b"null")
    errors: list[Any] | None = None


_body = msgspec.json.Decoder(_Body)


class Endpoint:
    """One address that is spoken to in GraphQL, by POST unless its operator wants GET."""

    def __init__(self, fetch: Fetch, url: str, *, by_get: bool) -> None:
        self._fetch = fetch
        self._by_get = by_get
        self.url = url

    async def schema(self, report: Report) -> bytes:
        """An introspection as JSON, or SDL; raises `NotGraphqlError` where nobody speaks GraphQL."""
        said: tuple[str, ...] = ()
        for number, question in enumerate(whole_questions()):
            answer = await self._ask(question)
            if answer.has("__schema"):
                self._note_less(number, said, report)
                return answer.body
            said = answer.errors
            if any(_DISABLED.search(text) for text in said):
                return await self._service_sdl(said, report)
        parts = await self._by_parts(report)
        return parts if parts is not None else await self._service_sdl(said, report)

    def _note_less(self, number: int, said: Sequence[str], report: Report) -> None:
        if number > 1:
            report.note(
                FindingCode.PARSE_LENIENT,
                "",
                f"the server refused the full introspection ({_first(said)}); a smaller one was answered",
            )

    async def _by_parts(self, report: Report) -> bytes | None:
        """The schema type by type; None where even names are refused."""
        answer = await self._ask(NAMES)
        if not answer.has("__schema"):
            return None
        schema: dict[str, Any] = msgspec.json.decode(answer.data)["__schema"]
        listed = schema.get("types")
        names = [str(item["name"]) for item in listed or () if isinstance(item, dict) and _is_name(item.get("name"))]
        types: list[Any] = []
        waiting = [names[at : at + _AT_ONCE] for at in range(0, len(names), _AT_ONCE)]
        while waiting:
            batch = waiting.pop(0)
            told = await self._ask(part_question(batch))
            found = _values(told)
            if found:
                types += found
            elif len(batch) > 1:
                waiting[:0] = [batch[: len(batch) // 2], batch[len(batch) // 2 :]]
            else:
                report.lost(FindingCode.SCHEMA_REDUCED, batch[0], f"the server did not tell: {_first(told.errors)}")
        report.note(FindingCode.PARSE_LENIENT, "", "the server tells its schema only in parts; it was asked for each")
        return msgspec.json.encode({"__schema": schema | {"types": types}})

    async def _service_sdl(self, said: Sequence[str], report: Report) -> bytes:
        """What a federated server tells of itself when introspection is off."""
        answer = await self._ask(SERVICE_SDL)
        if answer.has("_service"):
            service = msgspec.json.decode(answer.data)["_service"]
            sdl = service.get("sdl") if isinstance(service, dict) else None
            if isinstance(sdl, str) and sdl.strip():
                report.note(
                    FindingCode.INTROSPECTION_DISABLED,
                    "",
                    f"introspection is disabled ({_first(said)}); the schema came from _service {{ sdl }}",
                )
                return sdl.encode()
        raise Problem(
            Code.UNSUPPORTED,
            f"introspection_disabled: {self.url} does not tell its schema: {_first(said)}",
            hints=(
                f'give the schema as a file (SDL or introspection JSON) with endpoint = "{self.url}"',
                "or add credentials that may introspect",
            ),
        )

    async def _ask(self, question: str) -> Answer:
        if self._by_get:
            request = FetchRequest(url=_with_query(self.url, question), accept=ACCEPT)
        else:
            request = FetchRequest(
                url=self.url,
                method="POST",
                headers={"content-type": "application/json"},
                body=msgspec.json.encode({"query": question}),
                accept=ACCEPT,
            )
        return _answer(await self._fetch.send(request), self.url)


def _answer(fetched: Fetched, asked: str) -> Answer:
    """A GraphQL answer, whatever its status (S-86)."""
    try:
        body = _body.decode(fetched.body.decode("utf-8-sig", "replace"))
    except (msgspec.DecodeError, RecursionError):
        body = _Body()
    if bytes(body.data) == b"null" and not body.errors:
        _refuse(fetched, asked)
    errors = tuple(_message(error) for error in body.errors or ())
    return Answer(body=fetched.body, url=fetched.url, data=msgspec.Raw(bytes(body.data)), errors=errors)


def _refuse(fetched: Fetched, asked: str) -> NoReturn:
    kind = fetched.media_type or "no media type"
    text = " ".join(fetched.body[:200].decode("utf-8", "replace").split())[:80]
    what = f"{asked} answered {fetched.status} ({kind}): {text!r}"
    if fetched.status in _REFUSED:
        code, hint = _REFUSED[fetched.status]
        raise Problem(code, what, hints=(hint,), retryable=fetched.status == 429)
    if fetched.status >= 500:
        raise Problem(Code.UNAVAILABLE, what, hints=("try again later",), retryable=True)
    raise NotGraphqlError(
        Code.PARSE_ERROR,
        f"expected a GraphQL answer, but {what}",
        hints=("give the address that GraphQL requests are sent to, or a schema file with `endpoint`",),
    )


def _message(error: object) -> str:
    text = error.get("message") if isinstance(error, dict) else error
    return str(text)[:300]


def _first(said: Sequence[str]) -> str:
    return repr(said[0]) if said else "no reason given"


def _values(answer: Answer) -> list[Any]:
    try:
        data = msgspec.json.decode(answer.data, type=dict[str, Any])
    except (msgspec.ValidationError, RecursionError):
        return []
    return [value for value in data.values() if isinstance(value, dict)]


def _is_name(name: object) -> bool:
    return isinstance(name, str) and name.isidentifier() and name.isascii() and not name.startswith("__")


def _with_query(url: str, question: str) -> str:
    parts = urlsplit(url)
    plain = " ".join(question.split())
    query = "&".join(filter(None, (parts.query, urlencode({"query": plain}))))
    return urlunsplit(parts._replace(query=query))
