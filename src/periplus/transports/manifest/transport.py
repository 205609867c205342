"""Sends one tool's call to the service its manifest came from, and opens the envelope that comes back (M-58, M-59)."""

from __future__ import annotations

from typing import Any, ClassVar
from urllib.parse import quote

import msgspec

from periplus.answers import Asked, Received, answer_of, json_value, receive, refusal
from periplus.model import Answer, Code, Effect, Prepared, Problem, Tool
from periplus.ports import Calling, CallWires, HttpRequest, Site
from periplus.transports.manifest.envelope import is_envelope, opened

_EXECUTE = "/api/v1/tools/execute"
_SAFE = "/:@!$&'()*+,;=~%-._"
_HEADERS = (("content-type", "application/json"), ("accept", "application/json"))


class ManifestTransport:
    """Calls tools through the one address that executes them."""

    kind: ClassVar[str] = "manifest"

    def prepare(self, tool: Tool, site: Site, arguments: dict[str, Any], calling: Calling) -> Prepared:
        """The request; the name goes into the path too where the service wants it there."""
        origin, path = site.parted("service")
        name = str(tool.binding.get("name", tool.key))
        template = str(tool.binding.get("endpoint") or site.site.get("execute") or _EXECUTE)
        place = template.replace("{tool_name}", _segment(name)).replace("{name}", _segment(name))
        target = quote(path + place, safe=_SAFE)
        body = msgspec.json.encode({"tool_name": name, "arguments": arguments})
        key = (("idempotency-key", calling.idempotency_key),) if calling.idempotency_key else ()
        request = HttpRequest(method="POST", origin=origin, target=target, headers=(*_HEADERS, *key), body=body)
        return Prepared(method="POST", origin=origin, template=name, path=target, size=len(body), wire=request)

    async def send(self, prepared: Prepared, tool: Tool, site: Site, calling: Calling, wires: CallWires) -> Answer:
        """The result: `success` decides, then `code`, then the status."""
        async with wires.http.send(prepared.wire, site, calling) as reply:
            received = await receive(reply, calling, "POST")
        envelope = _envelope(received)
        if envelope is not None:
            return opened(envelope, received, tool)
        if received.status >= 300:
            raise refusal(received)
        asked = Asked(method="POST", url=received.url, writes=tool.effect > Effect.READ)
        return answer_of(received, asked)


def _envelope(received: Received) -> dict[str, Any] | None:
    """The body, where it is the protocol's own; in any status."""
    try:
        value, _ = json_value(received.redact(received.body.decode("utf-8", "replace")))
    except ValueError:
        return None
    return value if is_envelope(value) else None


def _segment(name: str) -> str:
    """A name as one segment of a path, whatever is in it."""
    if name in {".", ".."}:
        raise Problem(Code.NOT_CALLABLE, f"{name!r} cannot stand in a path", hints=("its service has to rename it",))
    return quote(name, safe="")
