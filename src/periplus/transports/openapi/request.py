"""A tool's binding and arguments put together as one HTTP request. Pure (S-61)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from periplus.model import Code, Prepared, Problem, Tool
from periplus.ports import Calling, HttpRequest, Site
from periplus.transports.openapi import bodies, paths
from periplus.transports.openapi.parameters import Placed, Wishes, place
from periplus.transports.openapi.servers import server


class Written(HttpRequest, frozen=True, kw_only=True):
    """A request with the arguments it was written from: the next page is told in their names (S-77)."""

    arguments: Mapping[str, Any] = {}


def prepared(tool: Tool, site: Site, arguments: Mapping[str, Any], calling: Calling) -> Prepared:
    """The request as it goes out but for credentials, and what policy judges of it."""
    try:
        return _prepared(tool, site, arguments, calling)
    except UnicodeEncodeError as error:
        broken = str(error.object)[error.start : error.start + 1]
        raise Problem(Code.INVALID_ARGS, f"half a letter cannot be sent: {broken!r}") from error


def _prepared(tool: Tool, site: Site, arguments: Mapping[str, Any], calling: Calling) -> Prepared:
    binding = tool.binding
    goes_to = server(binding, site)
    wishes = Wishes(
        deep_arrays=site.spec.deep_arrays,
        idempotency_key=calling.idempotency_key,
        required=tuple(tool.args_schema.get("required", ())),
    )
    placed = place(binding["parameters"], arguments, wishes)
    body = bodies.build(binding.get("body"), arguments, wishes.deep_arrays)
    template = binding["path"]
    path = goes_to.path + paths.filled(template, placed.path)
    query = "&".join((*paths.fixed_query(binding.get("query", []), placed.path), *placed.query))
    security = binding.get("security")
    return Prepared(
        method=binding["method"],
        origin=goes_to.origin,
        template=goes_to.path + template,
        path=path,
        size=len(body.content),
        notes=tuple(placed.notes),
        wire=Written(
            method=binding["method"],
            origin=goes_to.origin,
            target=f"{path}?{query}" if query else path,
            headers=tuple(_headers(placed, body.content_type, binding["accept"])),
            body=body.content,
            security=None if security is None else tuple(security),
            arguments=arguments,
        ),
    )


def _headers(placed: Placed, content_type: str, accept: str) -> list[tuple[str, str]]:
    headers = [*placed.headers]
    if content_type:
        headers.append(("content-type", content_type))
    headers.append(("accept", accept))
    if placed.cookies:
        headers.append(("cookie", "; ".join(placed.cookies)))
    return headers
