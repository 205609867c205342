"""Arguments that a tool does not define: left out and said, or refused where one may be a slip of the pen (H-55)."""

from __future__ import annotations

import difflib
import re
from typing import Any

from periplus.model import Code, Effect, Problem, Tool, fold

_OPEN = ("allOf", "anyOf", "oneOf", "$ref", "if", "dependentSchemas", "unevaluatedProperties")


def without_unknown(tool: Tool, arguments: dict[str, Any], *, refuse: bool) -> tuple[dict[str, Any], tuple[str, ...]]:
    """The arguments a tool defines, and a note on the others."""
    unknown = [name for name in arguments if not _is_defined(tool, name)]
    if not unknown:
        return arguments, ()
    kept = {name: value for name, value in arguments.items() if name not in unknown}
    meant = {name: near for name in unknown if (near := _near(tool, name, kept))}
    if refuse or (meant and tool.effect is not Effect.READ):
        raise _refused(tool, unknown, meant)
    return kept, (f"ignored: {', '.join(unknown)}",)


def _is_defined(tool: Tool, name: str) -> bool:
    schema = tool.args_schema
    properties = schema.get("properties")
    if isinstance(properties, dict) and name in properties:
        return True
    if any(word in schema for word in _OPEN) or schema.get("additionalProperties") not in (None, False):
        return True
    patterns = schema.get("patternProperties")
    return isinstance(patterns, dict) and any(_matches(pattern, name) for pattern in patterns)


def _matches(pattern: str, name: str) -> bool:
    try:
        return re.search(pattern, name[:200]) is not None
    except re.error:
        return True


def _near(tool: Tool, name: str, given: dict[str, Any]) -> str:
    """A defined name that was not given and that this one may have been meant for."""
    properties = tool.args_schema.get("properties")
    free = {fold(one): one for one in properties if one not in given} if isinstance(properties, dict) else {}
    found = difflib.get_close_matches(fold(name), free, n=1, cutoff=0.7)
    return free[found[0]] if found else ""


def _refused(tool: Tool, unknown: list[str], meant: dict[str, str]) -> Problem:
    def told(name: str) -> str:
        guess = f"; did you mean {meant[name]!r}?" if name in meant else ""
        return f"is not an argument of this tool{guess}"

    first = unknown[0]
    return Problem(
        Code.INVALID_ARGS,
        f"{tool.ref}: /{first}: {told(first)}",
        hints=tuple(f"/{name}: {told(name)}" for name in unknown),
        next_action={"op": "describe", "args": {"tool": str(tool.ref)}},
        details={"violations": [{"pointer": f"/{name}", "message": told(name), "value": ""} for name in unknown]},
    )
