"""What a face asks before it asks a verb: which conversation this is, and whether the arguments are the operation's."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any

import jsonschema_rs

from periplus.core.schema.validation import violations
from periplus.model import Code, Problem
from periplus.ports import Operation, Request

_NAME_MAX = 200
_SHOWN = 5


def conversation(explicit: str, request: Request) -> str:
    """The name of the session a request belongs to; empty where nothing tells its caller from others.

    What the caller names counts first, then what the wire knows, then who the caller is. This is the one place where
    that is decided.
    """
    if explicit:
        if len(explicit) > _NAME_MAX:
            raise Problem(
                Code.BAD_INPUT,
                f"session has {len(explicit)} characters; {_NAME_MAX} are the most",
                hints=("shorten it",),
            )
        return f"named:{explicit}"
    if request.connection:
        return f"wire:{request.connection}"
    return "" if request.anonymous else "own"


class Operands:
    """Arguments of operations, held against what each declares. An optional one that is null counts as absent."""

    def __init__(self, operations: Iterable[Operation]) -> None:
        self._checks = {operation.name: _Check(operation.input) for operation in operations}

    def checked(self, operation: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """The arguments without nulls, or a `bad_input` that names what is wrong and the nearest known name."""
        return self._checks[operation].checked(arguments)


class _Check:
    def __init__(self, schema: dict[str, Any]) -> None:
        self._schema = schema
        self._members: dict[str, Any] = schema.get("properties", {})

    @cached_property
    def _validator(self) -> jsonschema_rs.Draft202012Validator:
        return jsonschema_rs.Draft202012Validator(self._schema, validate_formats=True, offline=True)

    def checked(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        if self._schema.get("additionalProperties") is False:
            self._refuse_unknown(arguments)
        given = {name: self._as_meant(name, value) for name, value in arguments.items() if value is not None}
        if self._validator.is_valid(given):
            return given
        found = violations(self._validator, given, self._schema)
        lines = tuple(f"{one.pointer.lstrip('/') or 'the arguments'}: {one.message}" for one in found[:_SHOWN])
        raise Problem(Code.BAD_INPUT, lines[0], hints=lines[1:] or (self._usage(found[0].pointer),))

    def _as_meant(self, name: str, value: Any) -> Any:
        """The value; a whole number that is written as 10.0 is an integer to JSON Schema, and one to us."""
        whole = isinstance(value, float) and value.is_integer() and self._members.get(name, {}).get("type") == "integer"
        return int(value) if whole else value

    def _refuse_unknown(self, arguments: Mapping[str, Any]) -> None:
        for name in arguments:
            if name in self._members:
                continue
            near = difflib.get_close_matches(name, self._members, n=1, cutoff=0.5)
            known = ", ".join(self._members) or "none at all"
            hint = f"did you mean {near[0]!r}?" if near else f"it takes {known}"
            raise Problem(Code.BAD_INPUT, f"there is no argument {name[:60]!r}", hints=(hint,))

    def _usage(self, pointer: str) -> str:
        name = pointer.lstrip("/").partition("/")[0]
        said = self._members.get(name, {}).get("description")
        return f"{name}: {said}" if said else f"it takes {', '.join(self._members)}"
