"""What went wrong with a call, so that its reader can make it right: every fault, and the call with it mended."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from typing import Any

from periplus.core.intake.texts import clean
from periplus.core.mending.places import allowed, branches, item, member, types
from periplus.core.verbs.surveying import Seen
from periplus.faces.handshake.calls import action_text, json_text
from periplus.faces.handshake.signatures import parameters_type
from periplus.model import Code, Problem, Schema, Tool, Verdict

_ANSWERED = re.compile(r"^(?:step \d+: )?the upstream answered \d{3}: ")
_IN_PATH = re.compile(r"\{([^{}/]+)\}")
_COUNTS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_OPTIONS = 24
_GRAPHQL = frozenset({"variables", "returns"})  # what a binding of GraphQL has
_TEXT = 120


def in_words(problem: Problem, seen: Seen | None, action: str, given: Mapping[str, Any]) -> Problem:
    """A refusal of a call as this protocol tells it: `given` are the parameters as they were sent."""
    if "protocol" in problem.details:
        return problem
    if problem.code is Code.APPROVAL_REQUIRED:
        return _waiting(problem, action, given)
    if "http_status" in problem.details or "errors" in problem.details:
        return _of_upstream(problem, seen.tool if seen else None, given)
    if problem.code is Code.INVALID_ARGS and seen is not None and seen.describe.verdict is not Verdict.DENY:
        return _invalid(problem, seen.tool, action, given)
    return problem


def told(problem: Problem, message: str, remedy: str, **members: Any) -> Problem:
    """The same problem in other words, with members of this protocol's."""
    then = members.pop("then", None)
    return Problem(
        problem.code,
        message,
        hints=(remedy,) if remedy else problem.hints,
        next_action={"op": then[0], "args": dict(then[1])} if then else problem.next_action,
        where=problem.where,
        retryable=problem.retryable,
        details=problem.details | {"protocol": members},
    )


def _waiting(problem: Problem, action: str, given: Mapping[str, Any]) -> Problem:
    approval = str(problem.details.get("approval", ""))
    return told(
        problem,
        problem.message,
        f"Ask a person to approve it ({problem.hints[0]}), then send the same call with approval_id; it runs once.",
        example=action_text(action, given, approval_id=approval),
        then=("call_action", {"action": action, "parameters": dict(given), "approval_id": approval}),
    )


# --- arguments that break the schema (H-43) -------------------------------------------------------------------


def _invalid(problem: Problem, tool: Tool, action: str, given: Mapping[str, Any]) -> Problem:
    said: Sequence[Mapping[str, str]] = problem.details.get("violations", ())
    error = _graphql_word(problem, tool, said, given)
    if not said:
        hints = " ".join(problem.hints)
        return told(problem, problem.message, hints, expected_schema=parameters_type(tool), error=error)
    root = tool.args_schema
    pointers = list(dict.fromkeys(one["pointer"] for one in said))
    options = next((found for at in pointers if (found := _options(root, at))), [])
    count = len(pointers)
    which = "this parameter" if count == 1 else f"these {_COUNTS[count] if count < len(_COUNTS) else count} parameters"
    return told(
        problem,
        "; ".join(f"{one['pointer'] or '/'}: {_complaint(root, one)}" for one in said),
        f"Correct {which} and call again.",
        example=action_text(action, _mended(tool, given, pointers)),
        expected_schema=parameters_type(tool),
        valid_options=options[:_OPTIONS],
        error=error,
    )


def _graphql_word(problem: Problem, tool: Tool, said: Sequence[Mapping[str, str]], given: Mapping[str, Any]) -> str:
    """This protocol has finer words for what a GraphQL call lacks; empty: the plain one."""
    if not tool.binding.keys() >= _GRAPHQL:
        return ""
    if problem.where == "/_select":
        return "SELECTION_REQUIRED"
    root = tool.args_schema
    outer = {name for one in branches(root, root) for name in one.get("properties") or ()}
    inner = {name for one in branches(root, root) for name in _inside(one, root)}
    if any(name in inner and name not in outer for name in given):
        return "NESTING_REQUIRED"
    return "TYPE_MISMATCH" if said and all("is not of type" in one["message"] for one in said) else ""


def _inside(schema: Schema, root: Schema) -> Iterator[str]:
    """Names of members of the arguments that are objects."""
    for argument in (schema.get("properties") or {}).values():
        for one in branches(argument, root):
            yield from one.get("properties") or ()


def _complaint(root: Schema, one: Mapping[str, str]) -> str:
    if one["message"] == "is required":
        return "required and missing"
    options = _options(root, one["pointer"])
    if options and one.get("value"):
        return f"{one['value']} is not one of {', '.join(map(json_text, options[:_OPTIONS]))}"
    return one["message"]


def _options(root: Schema, pointer: str) -> list[Any]:
    return allowed(_at(root, pointer))


def _at(root: Schema, pointer: str) -> list[Schema]:
    """The schemas of the place that a pointer names."""
    found = list(branches(root, root))
    for piece in _pieces(pointer):
        found = (
            item(found, int(piece), root) if piece.isdigit() and not _has(found, piece) else member(found, piece, root)
        )
    return found


def _has(schemas: Sequence[Schema], name: str) -> bool:
    return any(name in (schema.get("properties") or ()) for schema in schemas)


def _pieces(pointer: str) -> list[str]:
    return [piece.replace("~1", "/").replace("~0", "~") for piece in pointer.split("/")[1:]]


def _mended(tool: Tool, given: Mapping[str, Any], pointers: Sequence[str]) -> dict[str, Any]:
    """The parameters with what is right kept, and what is wrong or missing as something to be filled in."""
    made: dict[str, Any] = dict(given)
    for pointer in pointers:
        pieces = _pieces(pointer)
        schemas = _at(tool.args_schema, pointer)
        if not pieces:
            continue
        if not schemas and len(pieces) == 1:
            made.pop(pieces[0], None)  # an argument that the tool does not have
        else:
            made = _put(made, pieces, schemas)
    order = [*(tool.args_schema.get("required") or ()), *(tool.args_schema.get("properties") or ())]
    return {name: made[name] for name in dict.fromkeys([*order, *made]) if name in made}


def _put(value: Any, pieces: Sequence[str], schemas: list[Schema]) -> Any:
    if not pieces:
        return _filler(value, schemas)
    name = pieces[0]
    if isinstance(value, list) and name.isdigit() and int(name) < len(value):
        place = int(name)
        return [*value[:place], _put(value[place], pieces[1:], schemas), *value[place + 1 :]]
    members = dict(value) if isinstance(value, dict) else {}
    return members | {name: _put(members.get(name), pieces[1:], schemas)}


def _filler(value: Any, schemas: list[Schema]) -> Any:
    """A value that is allowed, the nearest one; else a placeholder that says what is wanted."""
    options = allowed(schemas)
    if options:
        near = get_close_matches(str(value), [one for one in options if isinstance(one, str)], n=1, cutoff=0.5)
        return near[0] if near else options[0]
    schema = next(iter(schemas), {})
    kind = "|".join(sorted(types(schemas) - {"null"})) or "any"
    form = schema.get("format")
    text = schema.get("description")
    said = f"{kind}, {form}" if isinstance(form, str) and form else kind
    words = " ".join(clean(text, _TEXT).replace("<", "").replace(">", "").split()) if isinstance(text, str) else ""
    return f"<{said}: {words}>" if words else f"<{said}>"


# --- what an upstream refused (H-44) -----------------------------------------------------------------------------


def _of_upstream(problem: Problem, tool: Tool | None, given: Mapping[str, Any]) -> Problem:
    errors = problem.details.get("errors")
    members: dict[str, Any] = {}
    if isinstance(errors, list):
        members["raw_errors"] = errors
        if problem.code is Code.UPSTREAM_ERROR:
            members["error"] = "GRAPHQL_ERROR"
    message = _ANSWERED.sub("", problem.message)
    return told(problem, message, " ".join(_advice(problem, tool, given)), **members)


def _advice(problem: Problem, tool: Tool | None, given: Mapping[str, Any]) -> Iterator[str]:
    """What to do about this very call."""
    match problem.code:
        case Code.NOT_FOUND:
            sent = [f"{name}={json_text(given[name])}" for name in _path_names(tool) if name in given]
            yield f"Nothing is there for {', '.join(sent)}: look for one that exists." if sent else "Nothing is there."
        case Code.INVALID_ARGS:
            named = "; ".join(problem.hints)
            yield f"The site names: {named}. Correct it and call again." if named else "Correct the parameters."
            return
        case Code.RATE_LIMITED:
            wait = problem.details.get("retry_after")
            yield f"Wait {wait:g} seconds, then send the same call again." if wait else "Wait, then call again."
        case Code.CONFLICT:
            yield "It collides with what is there: look at its present state before you call again."
        case Code.UPSTREAM_ERROR:
            yield (
                "Try again later; if it stays, the site has to be mended." if problem.retryable else "The site failed."
            )
        case _:
            pass
    yield from problem.hints


def _path_names(tool: Tool | None) -> list[str]:
    return _IN_PATH.findall(tool.origin) if tool else []
