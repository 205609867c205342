"""One action as its reader needs it: a JSDoc block with every parameter, and the call as a function (H-31 to H-34)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from periplus.core.intake.texts import clean
from periplus.core.schema.types import facts, literal, type_name
from periplus.core.verbs.surveying import Seen
from periplus.faces.handshake.types import Types
from periplus.model import Tool, Verdict, fold

_DESCRIPTION, _PARAMETER = 300, 120
_MEMBERS = 12
_NESTED = 3
_TAG = re.compile(r"</?[A-Za-z][^<>\n]{0,200}>")
_LINK = re.compile(r"!?\[([^\]\n]*)\]\([^)\s]*\)")


class Signature(msgspec.Struct, frozen=True, kw_only=True):
    """An action in words, and the interfaces its types name."""

    text: str
    interfaces: dict[str, str]


def signature(seen: Seen, action: str, *, full: bool = False, reduced: bool = False) -> Signature:
    """How an action is called. `full` shortens nothing; `reduced` is for what would fill a page alone."""
    tool = seen.tool
    if seen.describe.verdict is Verdict.DENY:
        reason = f": {seen.describe.reason}" if seen.describe.reason else ""
        return Signature(text=_block([f"Tool: {action}", f"@denied Its signature is not shown{reason}"]), interfaces={})
    types = Types(_definitions(tool), full=full)
    returns = Types(_definitions(tool), full=full)
    result = _result(tool, returns)
    head = [f"Tool: {action}", *_description(tool, action, full=full)]
    if reduced:
        names = ", ".join(tool.args_schema.get("required") or ()) or "none"
        lines = [*head, f"@param Required: {names}", *_marks(seen)]
        return Signature(text=f"{_block(lines)}\n{_function(action, 'object', 'any')}", interfaces={})
    lines = [*head, *_parameters(tool.args_schema, types, full=full), *_marks(seen)]
    text = f"{_block(lines)}\n{_function(action, types.inline(types.merged(tool.args_schema), 0), result)}"
    return Signature(text=text, interfaces=_declared(types, full=full) | _declared(returns, full=full))


def parameters_type(tool: Tool) -> str:
    """`{ berth: string, side?: "port"|"starboard" }`: what an action takes, in one line."""
    types = Types(_definitions(tool))
    return types.inline(types.merged(tool.args_schema), 0)


def _function(action: str, parameters: str, result: str) -> str:
    return f"function call_action(action: '{action}', parameters: {parameters}): {result};"


def _block(lines: list[str]) -> str:
    return "\n".join(["/**", *(f" * {line}".rstrip() for line in lines), " */"])


def _description(tool: Tool, action: str, *, full: bool) -> list[str]:
    text = readable(tool.description or tool.summary or tool.title)
    if fold(text) in (fold(action), fold(tool.ref.leaf)):
        return []
    if full:
        return [" ".join(line.split()) for line in text.splitlines() if line.strip()]
    short = shortened(text, _DESCRIPTION)
    return [short] if short else []


def _marks(seen: Seen) -> Iterator[str]:
    tool = seen.tool
    if seen.call.verdict is Verdict.ASK or tool.requires_approval:
        yield "@approval A person must approve this call."
    if seen.call.verdict is Verdict.DENY:
        yield f"@denied {seen.call.reason or 'The policy forbids this call.'}"
    if isinstance(remedy := tool.metadata.get("remedy"), str) and remedy:
        yield f"@remedy {shortened(readable(remedy), _DESCRIPTION)}"
    if tool.deprecated:
        said = tool.deprecated if isinstance(tool.deprecated, str) else ""
        yield f"@deprecated {shortened(readable(said), _PARAMETER)}".rstrip()


def _parameters(schema: Mapping[str, Any], types: Types, *, full: bool) -> Iterator[str]:
    whole = types.merged(schema)
    for name, one in _ordered(whole):
        required = name in (whole.get("required") or ())
        yield _parameter(name, one, types, required=required, full=full)
        if required:
            yield from _inside(name, one, types, 1, full=full)


def _inside(path: str, schema: Any, types: Types, depth: int, *, full: bool) -> Iterator[str]:
    """Required members of a nested object, each with its own line."""
    inner = types.merged(schema)
    if inner.get("type") == "array":
        inner, path = types.merged(inner.get("items")), f"{path}[]"
    if depth >= _NESTED or not isinstance(inner.get("properties"), Mapping):
        return
    for name in inner.get("required") or ():
        if name in inner["properties"]:
            one = inner["properties"][name]
            yield _parameter(f"{path}.{name}", one, types, required=True, full=full)
            yield from _inside(f"{path}.{name}", one, types, depth + 1, full=full)


def _parameter(path: str, schema: Any, types: Types, *, required: bool, full: bool) -> str:
    found = types.resolved(schema)
    described = schema if isinstance(schema, Mapping) and schema.get("description") else found
    text = readable(str(described.get("description") or ""))
    said = " ".join(text.split()) if full else shortened(text, _PARAMETER)
    mark = " [REQUIRED]" if required else ""
    return f"@param {path} ({_told(schema, found, types)}){mark} {said}".rstrip()


def _told(schema: Any, found: Mapping[str, Any], types: Types) -> str:
    """The type of a parameter with what its schema says beside it."""
    values = found.get("enum")
    rest = {**found, **(schema if isinstance(schema, Mapping) else {})}
    rest.pop("enum", None)
    more = facts(rest)
    if isinstance(values, list) and types.is_long(values):
        samples = ", ".join(literal(value) for value in values[:3])
        kind = types.enum(values)
        return ", ".join(filter(None, (f"{kind} (one of {len(values)} values, e.g. {samples})", more)))
    return ", ".join(filter(None, (_kind(schema, found, types), more)))


def _kind(schema: Any, found: Mapping[str, Any], types: Types) -> str:
    if types.merged(schema).get("properties"):
        return "object"
    if found.get("type") == "array" and types.merged(found.get("items")).get("properties"):
        return "object[]"
    return types.of(schema)


def _ordered(schema: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """Required first, then as declared."""
    properties = schema.get("properties")
    if not isinstance(properties, Mapping):
        return []
    required = schema.get("required") or ()
    return sorted(properties.items(), key=lambda pair: pair[0] not in required)


def _result(tool: Tool, types: Types) -> str:
    schema = tool.result_schema
    if schema is None:
        return "any"
    target = schema.get("$ref")
    if isinstance(target, str) and types.merged(schema).get("properties"):
        return types.named(target.rpartition("/")[2], types.resolved(schema))
    if types.merged(schema).get("properties"):
        title = schema.get("title")
        return types.named(title if isinstance(title, str) and title else f"{tool.ref.leaf} response", schema)
    items = types.resolved(schema).get("items")
    if isinstance(items, Mapping) and isinstance(items.get("$ref"), str) and types.merged(items).get("properties"):
        return f"{types.named(str(items['$ref']).rpartition('/')[2], types.resolved(items))}[]"
    return types.of(schema)


def _declared(types: Types, *, full: bool) -> dict[str, str]:
    """The interfaces that the types named so far, and those these name in turn."""
    made: dict[str, str] = {}
    for _ in range(8 if full else 2):
        left = [name for name in types.interfaces if name not in made]
        if not left:
            break
        for name in left:
            made[name] = _interface(name, types, full=full)
    return made


def _interface(name: str, types: Types, *, full: bool) -> str:
    schema = types.merged(types.interfaces[name])
    properties = schema.get("properties")
    if not isinstance(properties, Mapping) or not properties:
        return f"type {name} = {types.of({key: value for key, value in schema.items() if key != 'properties'})};"
    required = schema.get("required") or ()
    shown = list(properties.items())[: None if full else _MEMBERS]
    pieces = [f"{one}{'' if one in required else '?'}: {types.of(inner, 1)}" for one, inner in shown]
    if len(properties) > len(shown):
        pieces.append(f"+{len(properties) - len(shown)} more")
    return f"interface {type_name(name)} {{ {'; '.join(pieces)} }}"


def readable(text: str) -> str:
    """A text from a site without HTML and link targets, safe inside a comment."""
    return _LINK.sub(r"\1", _TAG.sub("", clean(text))).replace("*/", "* /").strip()


def shortened(text: str, most: int) -> str:
    """One line of at most so many characters, ended at a sentence where one ends in time, else at a word."""
    flat = " ".join(text.split())
    if len(flat) <= most:
        return flat
    head = flat[:most]
    end = max(head.rfind(mark) for mark in (". ", "! ", "? "))
    if end > most // 3:
        return head[: end + 1]
    return head[: head.rfind(" ") if " " in head else most].rstrip(" ,;:-") + " ..."


def _definitions(tool: Tool) -> dict[str, Any]:
    result: dict[str, Any] = tool.result_schema or {}
    return {**result.get("$defs", {}), **tool.args_schema.get("$defs", {})}
