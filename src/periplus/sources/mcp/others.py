"""Resources, resource templates and prompts as tools that read (S-99)."""

from __future__ import annotations

import re
from typing import Any

from periplus.documents.schemas import Findings, shown
from periplus.model import Draft, Effect, Schema
from periplus.sources.mcp.tools import as_object, kept, text_of

_EXPRESSION = re.compile(r"\{([+#./;?&]?)([^{}]*)\}")
_VARIABLE = re.compile(r"([A-Za-z0-9_.%-]+)(\*|:[0-9]{1,4})?")
_OPTIONAL = frozenset("?&;")


def resource_draft(entry: dict[str, Any], where: str, findings: Findings) -> Draft | None:
    uri = text_of(entry, "uri")
    if not uri:
        findings.skipped(where, entry.get("name"), f"a resource without a uri: {shown(entry)}")
        return None
    return Draft(
        key=f"resource {uri}",
        leaf=text_of(entry, "name") or uri,
        origin=f"resources/read {uri}",
        areas=(("resources",),),
        title=text_of(entry, "title"),
        description=_described(entry, f"Reads {uri}"),
        args_schema=_no_arguments(),
        effect=Effect.READ,
        effect_declared=True,
        idempotent=True,
        aliases=(uri,),
        binding={"kind": "mcp", "method": "resources/read", "uri": uri},
        metadata=kept(entry, "_meta", "icons", "annotations", "mimeType", "size"),
    )


def template_draft(entry: dict[str, Any], where: str, findings: Findings) -> Draft | None:
    template = text_of(entry, "uriTemplate")
    if not template:
        findings.skipped(where, entry.get("name"), f"a resource template without a uriTemplate: {shown(entry)}")
        return None
    return Draft(
        key=f"template {template}",
        leaf=text_of(entry, "name") or template,
        origin=f"resources/read {template}",
        areas=(("resources",),),
        title=text_of(entry, "title"),
        description=_described(entry, f"Reads {template}"),
        args_schema=variables(template),
        effect=Effect.READ,
        effect_declared=True,
        idempotent=True,
        aliases=(template,),
        binding={"kind": "mcp", "method": "resources/read", "uriTemplate": template},
        metadata=kept(entry, "_meta", "icons", "annotations", "mimeType"),
    )


def prompt_draft(entry: dict[str, Any], where: str, findings: Findings) -> Draft | None:
    name = text_of(entry, "name")
    if not name.strip():
        findings.skipped(where, entry.get("name"), f"a prompt without a name: {shown(entry)}")
        return None
    return Draft(
        key=f"prompt {name}",
        leaf=name,
        origin=f"prompts/get {name}",
        areas=(("prompts",),),
        title=text_of(entry, "title"),
        description=text_of(entry, "description"),
        args_schema=_prompt_arguments(entry.get("arguments"), name, where, findings),
        effect=Effect.READ,
        effect_declared=True,
        idempotent=True,
        binding={"kind": "mcp", "method": "prompts/get", "name": name},
        metadata=kept(entry, "_meta", "icons"),
    )


def variables(template: str) -> Schema:
    """The variables of a URI template (RFC 6570) as arguments; those of a query may be left out."""
    properties: dict[str, Any] = {}
    required: list[str] = []
    for operator, inner in _EXPRESSION.findall(template):
        for piece in inner.split(","):
            found = _VARIABLE.fullmatch(piece.strip())
            if found is None:
                continue
            name, modifier = found.groups()
            text: Schema = {"type": "string"}
            many: Schema = {"anyOf": [text, {"type": "array", "items": text}]}
            properties.setdefault(name, many if modifier == "*" else text)
            if operator not in _OPTIONAL and name not in required:
                required.append(name)
    return _closed(properties, required)


def _prompt_arguments(arguments: Any, name: str, where: str, findings: Findings) -> Schema:
    properties: dict[str, Any] = {}
    required: list[str] = []
    if arguments is not None and not isinstance(arguments, list):
        findings.bad(f"{where}/arguments", name, f"arguments are no list: {shown(arguments)}")
    for number, written in enumerate(arguments if isinstance(arguments, list) else ()):
        argument = as_object(written)
        title = text_of(argument, "name")
        if not title:
            findings.bad(f"{where}/arguments/{number}", name, f"an argument without a name: {shown(written)}")
            continue
        # Prompt arguments are texts by the protocol; a description is all there is to say about one.
        description = text_of(argument, "description")
        properties[title] = {"type": "string", **({"description": description} if description else {})}
        if argument.get("required") is True and title not in required:
            required.append(title)
    return _closed(properties, required)


def _closed(properties: dict[str, Any], required: list[str]) -> Schema:
    schema: Schema = {"type": "object", "additionalProperties": False, "properties": properties}
    return schema | ({"required": required} if required else {})


def _no_arguments() -> Schema:
    return _closed({}, [])


def _described(entry: dict[str, Any], otherwise: str) -> str:
    return text_of(entry, "description") or otherwise
