"""The transport of OpenAPI operations: prepare is pure, send sends once and reads the answer."""

from __future__ import annotations

from typing import Any, ClassVar

from periplus.answers import Asked, read
from periplus.model import Answer, Effect, Prepared, Tool
from periplus.ports import Calling, CallWires, Site
from periplus.transports.openapi.request import Written
from periplus.transports.openapi.request import prepared as request_of


class OpenAPITransport:
    """Sends calls of operations over HTTP."""

    kind: ClassVar[str] = "openapi"

    def prepare(self, tool: Tool, site: Site, arguments: dict[str, Any], calling: Calling) -> Prepared:
        """The request as it will be sent; what policy judges of it is what goes out."""
        return request_of(tool, site, arguments, calling)

    async def send(self, prepared: Prepared, tool: Tool, site: Site, calling: Calling, wires: CallWires) -> Answer:
        """Send it once; an upstream's refusal is raised in its own words."""
        request: Written = prepared.wire
        async with wires.http.send(request, site, calling) as reply:
            return await read(reply, calling, _asked(tool, request))


def _asked(tool: Tool, request: Written) -> Asked:
    binding = tool.binding
    return Asked(
        method=request.method,
        url=request.origin + request.target,
        writes=tool.effect is not Effect.READ,
        json="json" in binding["accept"],
        headers=tuple(binding.get("headers", ())),
        poll=binding.get("poll", ""),
        arguments=dict(request.arguments),
        query={
            wire["name"]: wire.get("arg", wire["name"])
            for wire in binding["parameters"]
            if wire["in"] == "query" and "const" not in wire
        },
        args_schema=tool.args_schema,
    )
