"""A body laid out flat: its arguments, what holds between them, and its part of the binding."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from periplus.model import Schema
from periplus.sources.openapi.body import Body, Plan, unspread
from periplus.sources.openapi.body_spread import mentioned
from periplus.sources.openapi.schemas import Schemas


class Laid(NamedTuple):
    """What a body adds to the flat arguments."""

    properties: dict[str, Any]
    required: tuple[str, ...]
    rules: Schema  # keywords beside `properties` and `required`
    binding: dict[str, Any]
    notes: tuple[str, ...] = ()
    examples: tuple[Any, ...] = ()


class _Face(NamedTuple):
    """One plan under the names its arguments have."""

    plan: Plan
    properties: dict[str, Any]
    required: list[str]
    wire: dict[str, Any]


def lay(body: Body, names: dict[str, str], taken: set[str], schemas: Schemas) -> Laid:
    """The arguments of a body; `names` are those of its members, `taken` all that exist."""
    renamed = {name for name, argument in names.items() if name != argument}
    plans = body.plans
    if renamed and any(not renamed.isdisjoint(mentioned(plan.rules)) for plan in plans):
        plans = unspread(body, schemas)  # a rule cannot speak of a member under two names
    faces = [_face(plan, names, taken, body.description) for plan in plans]
    notes = tuple(_notes(plans))
    if len(faces) == 1:
        return _single(faces[0], body, notes)
    return _several(faces, body, taken, notes)


def _face(plan: Plan, names: dict[str, str], taken: set[str], description: str) -> _Face:
    wire = dict(plan.wire)
    if plan.constants:
        wire["const"] = plan.constants
    if plan.whole is not None:
        argument = free(("body", "request_body"), taken)
        wire["argument"] = argument
        whole = plan.whole
        if description and "description" not in whole:
            whole = {**whole, "description": description}
        return _Face(plan, {argument: whole}, [argument], wire)
    properties = {names[name]: child for name, child in plan.members.items()}
    wire["members"] = [*plan.members]
    differing = {name: names[name] for name in plan.members if names[name] != name}
    if differing:
        wire["args"] = differing
    if plan.further is not None:
        argument = free(("extra", "body_extra"), taken)
        wire["extra"] = argument
        properties[argument] = _extra(plan)
    if plan.text_too:
        wire["argument"] = free(("body", "request_body"), {*taken, *properties})
    return _Face(plan, properties, [names[name] for name in plan.required], wire)


def free(wishes: tuple[str, ...], taken: set[str]) -> str:
    """The first of the wished names nobody has, numbered when all are taken."""
    for wish in wishes:
        if wish not in taken:
            return wish
    count = 2
    while f"{wishes[-1]}_{count}" in taken:
        count += 1
    return f"{wishes[-1]}_{count}"


def _extra(plan: Plan) -> Schema:
    out: Schema = {"type": "object", "description": "Further members of the body."}
    if plan.further not in (True, {}):
        out["additionalProperties"] = plan.further
    known = [*plan.members, *plan.constants]
    if known:
        out["propertyNames"] = {"not": {"enum": known}}
    return out


def _single(face: _Face, body: Body, notes: tuple[str, ...]) -> Laid:
    """One way to give the body: its rules stand beside the arguments."""
    binding = {"required": body.required, "media": [face.wire]}
    properties = face.properties
    rules = [*face.plan.rules]
    required = face.required if body.required else []
    if face.plan.text_too:
        properties, told = _or_text(face, required)
        rules, required = [*([told] if told else []), *rules], []
    out: Schema = {}
    if body.required:
        out = _beside(rules)
    elif face.plan.whole is None:
        needed = {name: [one for one in face.required if one != name] for name in face.properties}
        needed = {name: others for name, others in needed.items() if others}
        if needed:
            out["dependentRequired"] = needed
        if rules:
            any_given = {"anyOf": [{"required": [name]} for name in face.properties]}
            out["allOf"] = [{"if": any_given, "then": _beside(rules)}]
    return Laid(properties, tuple(required), out, binding, notes, body.examples)


def _or_text(face: _Face, required: list[str]) -> tuple[dict[str, Any], Schema | None]:
    """XML may come as finished text in `body`, in place of its members."""
    argument = face.wire["argument"]
    text = {"type": "string", "description": "The whole body as XML text, in place of its members."}
    rule: Schema = {
        "if": {"required": [argument]},
        "then": {"properties": dict.fromkeys(face.properties, False)},
    }
    if required:
        rule["else"] = {"required": required}
    return {**face.properties, argument: text}, rule


def _beside(rules: Iterable[Schema]) -> Schema:
    """Several rules at once, without `allOf` where their keywords do not meet."""
    told = list(rules)
    keys = [key for rule in told for key in rule]
    if len(set(keys)) == len(keys) and "if" not in keys and "properties" not in keys:
        return {key: value for rule in told for key, value in rule.items()}
    return {"allOf": told}


def _several(faces: list[_Face], body: Body, taken: set[str], notes: tuple[str, ...]) -> Laid:
    """A choice of media types: all arguments side by side, each type's own rules behind `if`."""
    names = {*taken, *(name for face in faces for name in face.properties)}
    choice = free(("content_type", "body_content_type"), names)
    types = [face.wire["type"] for face in faces]
    properties: dict[str, Any] = {
        choice: {"type": "string", "enum": types, "default": types[0], "description": "How the body is sent."}
    }
    for name in dict.fromkeys(name for face in faces for name in face.properties):
        schemas = [face.properties[name] for face in faces if name in face.properties]
        same = all(schema == schemas[0] for schema in schemas[1:])
        properties[name] = schemas[0] if same else {"anyOf": _unlike(schemas)}
    rules = [
        {"if": _chosen(choice, face, first=at == 0), "then": _only(face, properties, choice, body)}
        for at, face in enumerate(faces)
    ]
    binding = {"required": body.required, "choice": choice, "media": [face.wire for face in faces]}
    return Laid(properties, (), {"allOf": rules}, binding, notes, body.examples)


def _unlike(schemas: list[Any]) -> list[Any]:
    return [schema for at, schema in enumerate(schemas) if schema not in schemas[:at]]


def _chosen(choice: str, face: _Face, *, first: bool) -> Schema:
    picked: Schema = {"properties": {choice: {"const": face.wire["type"]}}}
    return picked if first else {"required": [choice], **picked}


def _only(face: _Face, properties: dict[str, Any], choice: str, body: Body) -> Schema:
    """What holds when this media type is the one."""
    alone = _single(face, body, ())
    held: dict[str, Any] = {name: child for name, child in alone.properties.items() if properties.get(name) != child}
    others = dict.fromkeys((name for name in properties if name not in alone.properties and name != choice), False)
    out: Schema = {**alone.rules}
    if held or others:
        out["properties"] = {**held, **others}
    if alone.required:
        out["required"] = list(alone.required)
    return out


def _notes(plans: tuple[Plan, ...]) -> Iterable[str]:
    for plan in plans:
        if plan.constants:
            yield f"sent without asking: {', '.join(plan.constants)}"
