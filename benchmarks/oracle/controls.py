"""Negative controls: a good request made wrong, to see whether a judge would notice (S-56)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import msgspec

from benchmarks.oracle.documents import Operation
from periplus.ports import HttpRequest


def spoiled(request: HttpRequest, operation: Operation) -> Iterator[tuple[str, HttpRequest]]:
    """Wrong requests, those that say most about the judge first; what was spoiled names each."""
    if request.body:
        yield from _bodies(request)
    for one in operation.parameters:
        if one.get("required") is True and one.get("in") in {"query", "header"}:
            yield one["in"], _without(request, str(one["name"]), one["in"])
    path, sign, query = request.target.partition("?")
    members = query.split("&") if sign else []
    for at, member in enumerate(members):
        name, _, _text = member.partition("=")
        changed = [*members[:at], f"{name}=%00~no", *members[at + 1 :]]
        yield "query", msgspec.structs.replace(request, target=f"{path}?{'&'.join(changed)}")
    pieces = path.split("/")
    for at in range(1, len(pieces)):
        other = "/".join([*pieces[:at], "~no", *pieces[at + 1 :]])
        yield "path", msgspec.structs.replace(request, target=other + sign + query)
    yield "path", msgspec.structs.replace(request, target=f"{path}/~no{sign}{query}")


def _bodies(request: HttpRequest) -> Iterator[tuple[str, HttpRequest]]:
    for content in (b"[[1]]", b'{"\\u0000":', b"7", b"~no", b"", _changed(request.body)):
        if content != request.body:
            yield "body", msgspec.structs.replace(request, body=content)


def _changed(content: bytes) -> bytes:
    """Every member of a JSON object as something it can hardly be."""
    try:
        value: Any = json.loads(content)
    except ValueError:
        return b"~"
    if isinstance(value, dict):
        return json.dumps({name: [[{"~no": 1}]] for name in value}).encode()
    return b'{"~no": 1}'


def _without(request: HttpRequest, name: str, place: str) -> HttpRequest:
    if place == "header":
        kept = tuple((key, text) for key, text in request.headers if key.lower() != name.lower())
        return msgspec.structs.replace(request, headers=kept)
    path, _, query = request.target.partition("?")
    kept_members = [one for one in query.split("&") if one.partition("=")[0] != name]
    return msgspec.structs.replace(request, target=f"{path}?{'&'.join(kept_members)}")
