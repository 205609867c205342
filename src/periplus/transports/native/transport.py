"""Sends one action to its site and reads what it says, which is 200 also where it failed (H-78)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, ClassVar
from urllib.parse import quote

import msgspec

from periplus.answers import Asked, answer_of, receive, refusal
from periplus.model import Answer, Code, Effect, Prepared, Problem, Tool
from periplus.ports import Calling, CallWires, HttpRequest, Site
from periplus.transports.native.outcome import outcome, with_remedy

_EXECUTE = "/.well-known/elemm/execute"
_SAFE = "/:@!$&'()*+,;=~%-._"
_MEMORY = re.compile(r"\$step\d", re.IGNORECASE)
_HEADERS = (("content-type", "application/json"), ("accept", "application/json, */*;q=0.1"))


class NativeTransport:
    """Calls actions through the one address that executes them."""

    kind: ClassVar[str] = "native"

    def prepare(self, tool: Tool, site: Site, arguments: dict[str, Any], calling: Calling) -> Prepared:  # noqa: ARG002 - the port's
        """The request; refuses texts that sites of this kind replace by what other callers were answered."""
        for pointer, text in _texts(arguments, ""):
            if _MEMORY.search(text):
                raise Problem(
                    Code.INVALID_ARGS,
                    f"{pointer}: {text[:80]!r} cannot be sent: native sites put other results in the place of $stepN",
                    hints=("write the value itself",),
                )
        base, path = site.parted("site")
        action = str(tool.binding.get("action", tool.key))
        target = quote(path + str(site.site.get("execute") or _EXECUTE), safe=_SAFE)
        query = site.site.get("query")
        body = msgspec.json.encode({"action": action, "parameters": arguments})
        request = HttpRequest(
            method="POST", origin=base, target=f"{target}?{query}" if query else target, headers=_HEADERS, body=body
        )
        return Prepared(method="POST", origin=base, template=action, path=request.target, size=len(body), wire=request)

    async def send(self, prepared: Prepared, tool: Tool, site: Site, calling: Calling, wires: CallWires) -> Answer:
        """The action's result; an error object is the site's refusal, whatever status it comes with."""
        async with wires.http.send(prepared.wire, site, calling) as reply:
            received = await receive(reply, calling, "POST")
        asked = Asked(method="POST", url=received.url, writes=tool.effect > Effect.READ)
        if received.status >= 300:
            raise with_remedy(refusal(received), received, tool)
        return outcome(answer_of(received, asked), received, tool)


def _texts(value: Any, pointer: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        yield pointer, value
    elif isinstance(value, dict):
        for name, member in value.items():
            yield from _texts(member, f"{pointer}/{name}")
    elif isinstance(value, list):
        for number, member in enumerate(value):
            yield from _texts(member, f"{pointer}/{number}")
