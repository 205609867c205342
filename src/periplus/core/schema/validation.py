"""Whether arguments are what a tool takes; each violation with its place, its value and what was expected."""

from __future__ import annotations

import difflib
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import jsonschema_rs
import msgspec

from periplus.core.schema.closure import bounded
from periplus.model import Code, Problem, Schema, Tool

_KEPT = 1024
_SHOWN = 8
_VALUE = 80
_JOINT = ("allOf", "anyOf", "oneOf", "not", "if", "$ref", "dependentSchemas")
_NOT_BLANK = r"\S"
_LONGEST, _BEGINNING = 300, 100  # characters of a message, and of them before what is left out
_ENGINE = jsonschema_rs.RegexOptions()  # linear time, whatever the pattern


class Violation(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that is wrong with a value."""

    pointer: str
    message: str
    value: str = ""


class Validators:
    """Compiled schemas; the hash of a tool's schemas is their key, so that a changed tool is compiled anew."""

    def __init__(self) -> None:
        self._compiled: OrderedDict[tuple[str, str], jsonschema_rs.Draft202012Validator] = OrderedDict()

    def check_arguments(self, tool: Tool, arguments: Mapping[str, Any]) -> None:
        """Refuse arguments that break the tool's schema, naming everything that is wrong with them (S-59)."""
        validator = self._of(tool, "arguments", tool.args_schema)
        if validator.is_valid(arguments):
            return
        raise _refused(tool, violations(validator, arguments, tool.args_schema))

    def check_settled(self, tool: Tool, arguments: Mapping[str, Any], open_: Sequence[str]) -> None:
        """The same as far as it can be told while these places are not filled in."""
        if any(word in tool.args_schema for word in _JOINT):
            return  # whether a branch holds may depend on what is open
        later = {pointer.split("/")[1] for pointer in open_}
        validator = self._of(tool, "arguments", tool.args_schema)
        found = violations(validator, arguments, tool.args_schema) if not validator.is_valid(arguments) else []
        if sure := [one for one in found if one.pointer and one.pointer.split("/")[1] not in later]:
            raise _refused(tool, sure)

    def drift(self, tool: Tool, value: Any) -> str:
        """How a result differs from what the tool declares; empty when it does not, or nothing is declared (S-75)."""
        if tool.result_schema is None:
            return ""
        validator = self._of(tool, "result", tool.result_schema)
        if validator.is_valid(value):
            return ""
        first = violations(validator, value, tool.result_schema)[0]
        return f"{first.pointer or 'the result'}: {first.message}"

    def _of(self, tool: Tool, part: str, schema: Schema) -> jsonschema_rs.Draft202012Validator:
        key = (tool.schema_hash or str(tool.ref), part)
        if (found := self._compiled.get(key)) is not None:
            self._compiled.move_to_end(key)
            return found
        made = self._compiled[key] = _compiled(tool, schema)
        if len(self._compiled) > _KEPT:
            self._compiled.popitem(last=False)
        return made


def _refused(tool: Tool, found: Sequence[Violation]) -> Problem:
    return Problem(
        Code.INVALID_ARGS,
        f"{tool.ref}: {found[0].pointer or 'the arguments'}: {found[0].message}"
        + (f" (and {len(found) - 1} more)" if len(found) > 1 else ""),
        hints=tuple(f"{one.pointer or '/'}: {one.message}" for one in found[:_SHOWN]),
        next_action={"op": "describe", "args": {"tool": str(tool.ref)}},
        details={"violations": [msgspec.to_builtins(one) for one in found[:_SHOWN]]},
    )


def _compiled(tool: Tool, schema: Schema) -> jsonschema_rs.Draft202012Validator:
    """A validator as strict as the schema that is shown (S-6)."""
    shown, _ = bounded(schema)
    try:
        return jsonschema_rs.Draft202012Validator(
            shown or {}, validate_formats=True, pattern_options=_ENGINE, offline=True
        )
    except (jsonschema_rs.ValidationError, jsonschema_rs.ReferencingError, ValueError) as error:
        raise Problem(
            Code.UNSUPPORTED,
            f"{tool.ref}: its schema cannot be checked against: {str(error).splitlines()[0][:200]}",
            hints=(f"periplus sources show {tool.source} says how it was read",),
        ) from error


def violations(validator: jsonschema_rs.Draft202012Validator, value: Any, schema: Schema) -> list[Violation]:
    """Everything that is wrong, in the order of its places."""
    found = [one for error in validator.iter_errors(value) for one in _told(error, schema)]
    return sorted(dict.fromkeys(found), key=lambda one: one.pointer) or [
        Violation(pointer="", message="does not fit the schema")
    ]


def _told(error: Any, schema: Schema) -> Iterator[Violation]:
    kind = error.kind
    if kind.name in {"anyOf", "oneOf"} and (branch := _nearest_branch(kind)):
        for inner in branch:
            yield from _told(inner, schema)
        return
    pointer = _pointer(error.instance_path)
    if kind.name in {"additionalProperties", "unevaluatedProperties"}:
        known = _members(schema) if not pointer else []
        given = error.instance if isinstance(error.instance, dict) else {}
        for name in kind.unexpected:
            yield Violation(pointer=f"{pointer}/{_escaped(name)}", message=_unknown(name, known, given))
        return
    if kind.name == "required":
        yield Violation(pointer=f"{pointer}/{_escaped(str(kind.property))}", message="is required")
        return
    near = _near_member(error.instance, kind.options) if kind.name == "enum" else ""
    yield Violation(pointer=pointer, message=_worded(error) + near, value=_shown(error.instance))


def _worded(error: Any) -> str:
    """The validator's words, short; of a long value its beginning, so that what is wrong with it is left to read."""
    if error.kind.name == "pattern" and error.kind.pattern == _NOT_BLANK:
        return "is blank"
    message: str = error.message
    return message if len(message) <= _LONGEST else f"{message[:_BEGINNING]} ... {message[_BEGINNING - _LONGEST :]}"


def _nearest_branch(kind: Any) -> Sequence[Any]:
    """The branch of a union that the value comes nearest to: the one with the fewest and deepest complaints."""
    branches = [branch for branch in getattr(kind, "context", ()) or () if branch]
    if not branches:
        return ()
    return min(branches, key=lambda errors: (len(errors), -max(len(error.instance_path) for error in errors)))


def _unknown(name: str, known: Sequence[str], given: Mapping[str, Any]) -> str:
    free = [one for one in known if one not in given]
    near = difflib.get_close_matches(name, free, n=1, cutoff=0.6)
    return f"is not an argument of this tool; did you mean {near[0]!r}?" if near else "is not known here"


def _near_member(value: Any, options: Any) -> str:
    texts = [one for one in options if isinstance(one, str)] if isinstance(options, list) else []
    near = difflib.get_close_matches(value, texts, n=1, cutoff=0.6) if isinstance(value, str) else []
    return f"; did you mean {near[0]!r}?" if near else ""


def _members(schema: Schema) -> list[str]:
    properties = schema.get("properties")
    return list(properties) if isinstance(properties, dict) else []


def _pointer(path: Sequence[str | int]) -> str:
    return "".join(f"/{_escaped(str(piece))}" for piece in path)


def _escaped(name: str) -> str:
    return name.replace("~", "~0").replace("/", "~1")


def _shown(value: Any) -> str:
    text = msgspec.json.encode(value).decode()
    return text if len(text) <= _VALUE else f"{text[: _VALUE - 1]}…"
