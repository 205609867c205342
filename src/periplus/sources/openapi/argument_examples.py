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


def required_examples(parameters: list[Parameter], names: list[str]) -> dict[str, Any] | None:
    """A value for each parameter a call must give; None when the document shows none for some."""
    around: dict[str, Any] = {}
    for one, argument in zip(parameters, names, strict=True):
        if one.required and "const" not in one.wire:
            shown = one.schema.get("examples") or ([one.schema["default"]] if "default" in one.schema else [])
            if not shown:
                return None
            around[argument] = shown[0]
    return around


def calls(schema: Schema, around: dict[str, Any], laid: Laid, definitions: Mapping[str, Any]) -> tuple[Example, ...]:
    """Whole calls that the schema accepts."""
    made = (_call(value, laid.binding["media"][0]) for value in laid.examples[:_MOST])
    whole = ({**around, **call} for call in made if call is not None)
    good = [call for call in whole if len(_encode(call)) <= _LARGEST and fits(call, schema, definitions)]
    return tuple(Example(input=call) for call in good)


def show_members(schema: Schema, laid: Laid, definitions: Mapping[str, Any]) -> bool:
    """Where no whole call can be made, each argument shows its part of an example; False when none fits."""
    properties: dict[str, Any] = schema["properties"]  # made for this operation, its values shared
    fitting = False
    for value in laid.examples[:_MOST]:
        call = _call(value, laid.binding["media"][0])
        for name, member in (call or {}).items():
            shown = properties.get(name)
            if not isinstance(shown, dict) or not fits(member, shown, definitions):
                continue
            fitting = True
            if not shown.get("examples") and len(_encode(member)) <= _LARGEST // 8:
                properties[name] = {**shown, "examples": [member]}
    return fitting or not laid.properties


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
