"""Arguments on their way to the schema: their size, their other names, and bodies given whole."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from periplus.core.schema.functions import argument_names
from periplus.model import CallRules, Code, Problem, Tool

_WHOLE = ("body", "payload")
_PLAIN = (str, int, float, bool, type(None))


def check_size(arguments: Any, rules: CallRules) -> None:
    """Refuse what is no JSON object, nests too deep or is too large, before anything looks at it."""
    if not isinstance(arguments, dict):
        kind = type(arguments).__name__
        raise Problem(Code.BAD_INPUT, f"arguments are an object, not {kind}", hints=('give {"name": value, ...}',))
    _check_depth(arguments, rules.arguments_depth)
    try:
        size = len(msgspec.json.encode(arguments))
    except (TypeError, ValueError) as error:
        raise Problem(Code.BAD_INPUT, f"arguments are not JSON: {error}") from error
    if size > rules.arguments_bytes:
        raise Problem(
            Code.OVER_LIMIT,
            f"the arguments have {size:,} bytes, more than calls.arguments_bytes = {rules.arguments_bytes:,}",
            hints=("send less at once, or let the operator raise calls.arguments_bytes",),
        )


def _check_depth(value: Any, most: int) -> None:
    level: list[Any] = [value]
    for _ in range(most + 1):
        level = [inner for one in level for inner in _inner(one)]
        if not level:
            return
    raise Problem(
        Code.OVER_LIMIT,
        f"the arguments nest deeper than calls.arguments_depth = {most}",
        hints=("flatten them, or let the operator raise calls.arguments_depth",),
    )


def _inner(value: Any) -> Iterator[Any]:
    items = value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else ()
    return (item for item in items if not isinstance(item, _PLAIN))


def settled(tool: Tool, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments under the names of the schema (S-41), a body that was given whole spread over them (S-45)."""
    properties = tool.args_schema.get("properties")
    if not isinstance(properties, dict):
        return dict(arguments)
    for whole in _WHOLE:
        given = arguments.get(whole)
        if whole not in properties and isinstance(given, dict) and (spread := _spread(tool, given, properties)):
            rest = {name: value for name, value in arguments.items() if name != whole}
            arguments = _joined(tool, rest, spread, whole)
            break
    if all(name in properties for name in arguments):
        return dict(arguments)
    return _renamed(tool, arguments, properties)


def _spread(tool: Tool, body: Mapping[str, Any], properties: Mapping[str, Any]) -> dict[str, Any]:
    """The members of a whole body as arguments; empty when this tool's body is not spread over them."""
    names, extra = _members(tool)
    if not names and not all(name in properties for name in body):
        return {}
    spread: dict[str, Any] = {}
    for name, value in body.items():
        argument = names.get(name, name)
        if argument in properties or not extra:
            spread[argument] = value
        else:
            spread.setdefault(extra, {})[name] = value
    return spread


def _members(tool: Tool) -> tuple[dict[str, str], str]:
    """Member of the body -> its argument, and the argument that takes further members, as the binding tells."""
    names: dict[str, str] = {}
    extra = ""
    body = tool.binding.get("body")
    for media in body.get("media", ()) if isinstance(body, dict) else ():
        arguments = media.get("args", {})
        names |= {member: arguments.get(member, member) for member in media.get("members", ())}
        extra = media.get("extra", extra)
    return names, extra


def _joined(tool: Tool, rest: Mapping[str, Any], spread: Mapping[str, Any], whole: str) -> dict[str, Any]:
    twice = [name for name in spread if name in rest and rest[name] != spread[name]]
    if twice:
        raise Problem(
            Code.INVALID_ARGS,
            f"{tool.ref}: {twice[0]!r} is given twice, by itself and in {whole!r}, with two values",
            hints=(f"give it once, as {twice[0]!r}",),
        )
    return {**rest, **spread}


def _renamed(tool: Tool, arguments: Mapping[str, Any], properties: Mapping[str, Any]) -> dict[str, Any]:
    real = argument_names(tool.args_schema)
    made: dict[str, Any] = {}
    for name, value in arguments.items():
        wanted = real.get(name, name) if name not in properties else name
        made[name if wanted in arguments and wanted != name else wanted] = value
    return made
