"""A tool's binding and arguments put together as one GraphQL request (S-85). Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any
from urllib.parse import quote, urljoin, urlsplit

import msgspec
from graphql import print_ast

from periplus.documents import canonical
from periplus.model import Code, Effect, Prepared, Problem, Tool
from periplus.ports import HttpRequest, Site
from periplus.selections.documents import document, selection_of
from periplus.transports.graphql.selecting import Call, selected
from periplus.transports.graphql.uploads import multipart

_ACCEPT = ("accept", "application/graphql-response+json, application/json;q=0.9")
_JSON = ("content-type", "application/json")
_NOT_SIMPLE = ("apollo-require-preflight", "true")  # some servers refuse what a web page could send, unless it says so
_SAFE = "/:@!$&'()*+,;=~%-._"
_DOCUMENTS = 4096


class Question(HttpRequest, frozen=True, kw_only=True):
    """A request with the arguments it was written from: the next page is told in their names (S-77)."""

    arguments: Mapping[str, Any] = {}


def prepared(tool: Tool, site: Site, arguments: dict[str, Any]) -> Prepared:
    """The request as it goes out but for credentials."""
    binding = tool.binding
    select = str(binding.get("select", ""))
    wanted = arguments.get(select) if select else None
    values = {name: value for name, value in arguments.items() if name in binding["variables"]}
    call = Call(
        operation=str(binding["operation"]),
        path=tuple(binding["path"]),
        variables=tuple((name, text) for name, text in binding["variables"].items() if name in values),
        selection=str(binding["selection"]),
    )
    text = _automatic(call) if wanted is None else selected(site, call, wanted, select)
    origin, target = _goes_to(site)
    headers: tuple[tuple[str, str], ...] = (_ACCEPT, _JSON)
    if binding.get("uploads") and (form := multipart(text, values, site, call)) is not None:
        headers, body = (_ACCEPT, _NOT_SIMPLE, ("content-type", form.content_type)), form.content
    elif site.site.get("method") == "GET" and tool.effect is Effect.READ and call.operation == "query":
        headers, body = (_ACCEPT, _NOT_SIMPLE), b""
        target = _asking(target, text, values)
    else:
        body = _json({"query": text, "variables": values} if values else {"query": text})
    method = "POST" if body else "GET"
    return Prepared(
        method=method,
        origin=origin,
        template=f"{call.operation} {'.'.join(call.path)}",
        path=target.partition("?")[0],
        size=len(body),
        wire=Question(
            method=method,
            origin=origin,
            target=target,
            headers=headers,
            body=body,
            arguments=arguments,
        ),
    )


@lru_cache(maxsize=_DOCUMENTS)
def _automatic(call: Call) -> str:
    """The document with the selection that was made when the schema was read."""
    return print_ast(document(call.operation, call.path, dict(call.variables), selection_of(call.selection)))


def _goes_to(site: Site) -> tuple[str, str]:
    """Origin and target of the endpoint; the operator's word stands above what was read."""
    spec = site.spec
    written = spec.endpoint or spec.base_url
    url = urljoin(spec.url, written) if written and spec.url.startswith(("http://", "https://")) else written
    url = url or str(site.site.get("endpoint") or "")
    parts = urlsplit(url)
    if parts.scheme not in {"http", "https"} or not parts.hostname or "@" in parts.netloc:
        raise Problem(
            Code.NOT_CALLABLE,
            f"no endpoint to call: {url!r}" if url else "no endpoint to call: the schema came from a file",
            hints=(f'set endpoint = "https://..." in [sources.{spec.id}]',),
        )
    path = quote(parts.path or "/", safe=_SAFE)
    return f"{parts.scheme}://{parts.netloc}", f"{path}?{parts.query}" if parts.query else path


def _asking(target: str, text: str, values: Mapping[str, Any]) -> str:
    """The target of a question that is asked by GET."""
    members: Sequence[str] = [f"query={quote(text, safe='')}"]
    if values:
        members = (*members, f"variables={quote(_json(values).decode(), safe='')}")
    return f"{target}{'&' if '?' in target else '?'}{'&'.join(members)}"


def _json(value: Any) -> bytes:
    try:
        return msgspec.json.encode(value)
    except (OverflowError, TypeError):  # integers beyond 64 bits, which a server's own scalars may take
        return canonical(value)
    except UnicodeEncodeError as error:
        broken = str(error.object)[error.start : error.start + 1]
        raise Problem(Code.INVALID_ARGS, f"half a letter cannot be sent: {broken!r}") from error
