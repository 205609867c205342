"""Pinned tools as MCP lists them: tools, resources, templates and prompts, each under the name a client calls it by."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import mcp_types as types
import msgspec
from mcp.shared.uri_template import InvalidUriTemplate, UriTemplate

from periplus.model import Effect, Tool

_NAME = re.compile(r"[^A-Za-z0-9_.-]+")
_NAME_MAX = 128


class Shelf(msgspec.Struct, frozen=True, kw_only=True):
    """What of the catalog stands beside a face's operations, by the name a client uses."""

    tools: Mapping[str, Tool] = {}
    prompts: Mapping[str, Tool] = {}
    resources: Mapping[str, Tool] = {}  # by URI
    templates: Mapping[str, Tool] = {}  # by URI template

    @property
    def is_empty(self) -> bool:
        return not (self.tools or self.prompts or self.resources or self.templates)

    def resource(self, uri: str) -> tuple[Tool, dict[str, Any]] | None:
        """The tool that reads this URI, and its arguments."""
        if uri in self.resources:
            return self.resources[uri], {}
        for template, tool in self.templates.items():
            try:
                found = UriTemplate.parse(template).match(uri)
            except InvalidUriTemplate:
                continue
            if found is not None:
                return tool, found
        return None


def shelf_of(pinned: Sequence[Tool], taken: Collection[str]) -> Shelf:
    """Sorted by what each is; `taken` are names of the face, which keeps them."""
    by_method: dict[str, list[Tool]] = {"resources/read": [], "prompts/get": []}
    tools: list[Tool] = []
    for tool in pinned:
        by_method.get(str(tool.binding.get("method")), tools).append(tool)
    read = by_method["resources/read"]
    return Shelf(
        tools=_named(tools, taken),
        prompts=_named(by_method["prompts/get"], ()),
        resources={str(tool.binding["uri"]): tool for tool in reversed(read) if "uri" in tool.binding},
        templates={str(tool.binding["uriTemplate"]): tool for tool in reversed(read) if "uriTemplate" in tool.binding},
    )


def _named(tools: Sequence[Tool], taken: Collection[str]) -> dict[str, Tool]:
    """Each under its own name; where two have the same, or the face has it, both say their source."""
    times = Counter(map(_own_name, tools))
    named: dict[str, Tool] = {}
    for tool in tools:
        own = _own_name(tool)
        if times[own] > 1 or own in taken:
            own = _plain(f"{tool.source}.{own}")
        if own in named or own in taken:
            own = _plain(f"{tool.source}.{tool.path.replace('/', '.')}")
        named[own] = tool
    return named


def _own_name(tool: Tool) -> str:
    return _plain(str(tool.binding.get("name") or tool.path.rpartition("/")[2]))


def _plain(name: str) -> str:
    return _NAME.sub("_", name)[:_NAME_MAX]


def listed_tool(name: str, tool: Tool) -> types.Tool:
    """As its source declares it; its effect says the rest."""
    said = tool.binding.get("annotations")
    hints = {
        "readOnlyHint": tool.effect is Effect.READ,
        "destructiveHint": tool.effect is Effect.DESTROY,
        "idempotentHint": tool.idempotent,
    }
    return types.Tool.model_validate(
        {
            "name": name,
            "title": tool.title or None,
            "description": tool.description or tool.summary or None,
            "inputSchema": tool.written_args or tool.args_schema,
            "outputSchema": tool.result_schema if is_object(tool.result_schema) else None,
            "annotations": hints | (said if isinstance(said, dict) else {}),
            "icons": tool.metadata.get("icons"),
            "_meta": tool.metadata.get("_meta"),
        }
    )


def is_object(schema: Mapping[str, Any] | None) -> bool:
    """Whether results of this shape can be structured content."""
    return schema is not None and schema.get("type") == "object"


def listed_resource(uri: str, tool: Tool) -> types.Resource:
    said = {name: tool.metadata.get(name) for name in ("_meta", "icons", "annotations", "mimeType", "size")}
    return types.Resource.model_validate({"uri": uri, **_titled(tool), **said})


def listed_template(template: str, tool: Tool) -> types.ResourceTemplate:
    said = {name: tool.metadata.get(name) for name in ("_meta", "icons", "annotations", "mimeType")}
    return types.ResourceTemplate.model_validate({"uriTemplate": template, **_titled(tool), **said})


def listed_prompt(name: str, tool: Tool) -> types.Prompt:
    required = tool.args_schema.get("required", ())
    arguments = [
        {"name": each, "description": schema.get("description"), "required": each in required}
        for each, schema in tool.args_schema.get("properties", {}).items()
    ]
    said = {member: tool.metadata.get(member) for member in ("_meta", "icons")}
    return types.Prompt.model_validate({**_titled(tool), "name": name, "arguments": arguments, **said})


def _titled(tool: Tool) -> dict[str, Any]:
    leaf = tool.path.rpartition("/")[2]
    return {"name": leaf, "title": tool.title or None, "description": tool.description or tool.summary or None}
