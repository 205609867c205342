"""Asks a server for one thing over the session it has, and reads what it gives."""

from __future__ import annotations

from typing import Any, ClassVar

import msgspec

from periplus.model import Answer, Code, Prepared, Problem, Tool
from periplus.ports import Calling, CallWires, McpRequest, Site
from periplus.transports.mcp.results import prompt_answer, resource_answer, tool_answer
from periplus.transports.mcp.uris import expanded

_ANSWERS = {"tools/call": tool_answer, "resources/read": resource_answer, "prompts/get": prompt_answer}


class McpTransport:
    """Calls tools, reads resources, fetches prompts."""

    kind: ClassVar[str] = "mcp"

    def prepare(self, tool: Tool, site: Site, arguments: dict[str, Any], calling: Calling) -> Prepared:  # noqa: ARG002 - the port's
        """The request as the server gets it."""
        binding = tool.binding
        method = str(binding.get("method", "tools/call"))
        if method not in _ANSWERS:
            raise Problem(Code.NOT_CALLABLE, f"{tool.ref} is reached by {method!r}, which is no request of ours")
        template = str(binding.get("uriTemplate") or binding.get("uri") or binding.get("name", tool.key))
        if method == "resources/read":
            path = expanded(template, arguments) if "uriTemplate" in binding else template
            params: dict[str, Any] = {"uri": path}
        else:
            path = template
            params = {"name": template, "arguments": arguments}
        request = McpRequest(method=method, params=params, headers=_mirrored(binding.get("headers"), arguments))
        return Prepared(
            method=method,
            origin=f"mcp:{site.spec.id}",
            template=template,
            path=path,
            size=len(msgspec.json.encode(params)),
            wire=request,
        )

    async def send(self, prepared: Prepared, tool: Tool, site: Site, calling: Calling, wires: CallWires) -> Answer:
        """What the server gives; its own refusal, also one inside a result, is a `Problem` in its words."""
        result = await wires.mcp.call(prepared.wire, site, calling)
        answer = _ANSWERS[prepared.method](result, tool, calling.response_bytes)
        if calling.dialogue is None:
            return answer
        return Answer(value=result, meta=answer.meta, notes=answer.notes, verbatim=True)


def _mirrored(marks: Any, arguments: dict[str, Any]) -> dict[str, str]:
    """Arguments that are repeated in headers, as they stand (S-94); those not given are not."""
    headers: dict[str, str] = {}
    for mark in marks if isinstance(marks, list) else ():
        value: Any = arguments
        for name in mark["path"]:
            value = value.get(name) if isinstance(value, dict) else None
        if isinstance(value, bool):
            headers[mark["header"]] = "true" if value else "false"
        elif isinstance(value, str | int):
            headers[mark["header"]] = str(value)
    return headers
