"""Examples of whole calls, from the examples of a body and of the parameters it needs (S-44)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from periplus.model import Example, Schema
from periplus.sources.openapi.argument_body import Laid
from periplus.sources.openapi.argument_parameters import Parameter
from periplus.sources.openapi.schema_samples import fits

_MOST: Final = 3
_LARGEST: Final = 4096  # bytes: an example is to be read
_encode = msgspec.json.Encoder().encode


def complete(
    schema: Schema,
    parameters: list[Parameter],
    names: list[str],
    laid: Laid,
    definitions: Mapping[str, Any],
) -> tuple[Example, ...]:
    """Calls that the schema accepts; empty when none can be made of what the document gives."""
    around: dict[str, Any] = {}
    for one, argument in zip(parameters, names, strict=True):
        if one.required and "const" not in one.wire:
            shown = one.schema.get("examples") or ([one.schema["default"]] if "default" in one.schema else [])
            if not shown:
                return ()
            around[argument] = shown[0]
    made = (_call(value, laid.binding["media"][0]) for value in laid.examples)
    calls = ({**around, **call} for call in made if call is not None)
    good = [call for call in calls if len(_encode(call)) <= _LARGEST and fits(call, schema, definitions)]
    return tuple(Example(input=call) for call in good[:_MOST])


def _call(value: Any, wire: dict[str, Any]) -> dict[str, Any] | None:
    """The arguments that give this body."""
    members = wire.get("members")
    if members is None:
        return {wire["argument"]: value}
    if not isinstance(value, dict):
        return None
    names, fixed = wire.get("args", {}), wire.get("const", {})
    call: dict[str, Any] = {}
    rest: dict[str, Any] = {}
    for name, member in value.items():
        if name in members:
            call[names.get(name, name)] = member
        elif name not in fixed:
            rest[name] = member
    if rest and "extra" not in wire:
        return None
    return {**call, wire["extra"]: rest} if rest else call
