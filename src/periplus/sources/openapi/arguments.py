"""The arguments of an operation as one flat schema, and the binding that turns them into a request (S-41 to S-47).

`binding` holds what a transport needs beside servers, security and the path, and no more than that:

    {"parameters": [PARAMETER, ...], "body": BODY}

PARAMETER  {"in", "name"} and only where it applies:
    "arg"         the argument it comes from, when that is not `name`
    "const"       the one legal value: sent always, no argument
    "fill"        "idempotency_key": sent with the call's key when the argument is absent
    "style"       not the first of its place (path simple, query and cookie form, header simple)
    "explode"     not the default of its style (form and cookie true, others false)
    "reserved"    true: allowReserved
    "content"     the value is written as this media type, not by a style
    "collection"  2.0: csv ssv tsv pipes multi; "inner": that of a list inside the list

BODY  {"required": bool, "media": [MEDIA, ...]} and, where there are several, "choice": the argument that picks one by
    its `type`; absent, the first is meant. Optional and none of its arguments given: no body is sent.

MEDIA  {"type": as sent, "kind": json | lines | form | multipart | text | xml | file} and
    "argument"    the argument that is the whole body, or
    "members"     the names of the spread members in declared order; "args": {name: argument} where they differ;
    "extra"       the argument whose members are merged in
    "const"       {name: value}: members with one legal value
    "encoding"    {name: {contentType, style, explode, allowReserved, collection, headers: {name: value}}}
    "prefixEncoding", "itemEncoding"  as written
    "files"       the members that are files or lists of files
    "xml", "xml_named"  hints for the elements: see `body_xml`
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

import msgspec

from periplus.model import Example, Finding, FindingCode, Schema, Severity
from periplus.sources.openapi import argument_parameters, body_swagger
from periplus.sources.openapi import body as bodies
from periplus.sources.openapi.argument_body import Laid, lay
from periplus.sources.openapi.argument_examples import calls, required_examples, show_members
from periplus.sources.openapi.argument_parameters import PLACES, Parameter
from periplus.sources.openapi.schemas import Schemas

_UNASKED: Final = frozenset({"accept", "content-type", "authorization"})
_PLACE_WORDS: Final = {
    "path": "path", "body": "request body", "query": "query", "querystring": "query", "header": "header",
    "cookie": "cookie",
}  # fmt: skip


class OperationParts(msgspec.Struct, frozen=True, kw_only=True):
    """What the arguments of one operation come from. Parameters and body stand resolved, each with its base."""

    where: str  # document and JSON pointer of the operation
    operation: str = ""  # how findings call it
    parameters: Sequence[tuple[Mapping[str, Any], str]] = ()
    body: tuple[Mapping[str, Any], str] | None = None
    consumes: Sequence[str] = ()  # 2.0: the operation's, else the root's
    hidden: frozenset[tuple[str, str]] = frozenset()  # (in, name) of parameters that carry credentials


class Arguments(NamedTuple):
    """The result: `args_schema` refers to the definitions of the `Schemas` it was built with."""

    args_schema: Schema
    binding: dict[str, Any]
    notes: tuple[str, ...] = ()
    examples: tuple[Example, ...] = ()
    idempotency_key: str = ""  # the argument that carries one (S-70)


def build(parts: OperationParts, schemas: Schemas) -> Arguments:
    """The flat arguments of an operation; faults cost the parameter or keyword they spoil, and are reported."""
    parameters = [one for one in (_parameter(*item, parts, schemas) for item in parts.parameters) if one]
    body = _body(parts, schemas)
    if not parameters and body is None:
        return Arguments({"type": "object", "additionalProperties": False, "properties": {}}, {"parameters": []})
    # What was read from equal texts is one object, so the same objects mean the same arguments.
    key = (*map(id, parameters), id(body))
    if key in schemas.arguments:
        known: Arguments = schemas.arguments[key][1]
        return known
    before = schemas.report.count
    names = _names(parameters, body)
    laid = None if body is None else lay(body, names.body, names.taken, schemas)
    arguments = _flat(parameters, names, laid, parts, schemas)
    if schemas.report.count == before:
        schemas.arguments[key] = (parameters, body), arguments  # held, so that their ids stay their own
    return arguments


def _parameter(written: Mapping[str, Any], base: str, parts: OperationParts, schemas: Schemas) -> Parameter | None:
    if _is_body(written):
        return None
    name, place = str(written.get("name")), str(written.get("in"))
    if (place == "header" and name.lower() in _UNASKED) or _is_hidden(place, name, parts.hidden):
        return None
    found: Parameter | None = schemas.parameters.of(
        written, base, lambda: argument_parameters.read(written, base, parts.where, schemas)
    )
    if found is None:
        message = f"parameter {name!r} in {place!r} has no place in a request; it is left out"
        schemas.report(_finding(FindingCode.BAD_PARAMETER, message, parts))
    return found


def _is_hidden(place: str, name: str, hidden: frozenset[tuple[str, str]]) -> bool:
    """Whether a security scheme fills this parameter; names of headers have no case."""
    if place != "header":
        return (place, name) in hidden
    return any(where == "header" and name.lower() == one.lower() for where, one in hidden)


def _body(parts: OperationParts, schemas: Schemas) -> bodies.Body | None:
    written = parts.body
    if schemas.dialect == "2.0" or (written is None and any(_is_body(one) for one, _ in parts.parameters)):
        made, base, findings = body_swagger.request_body(parts.parameters, parts.consumes, parts.where, parts.operation)
        for finding in findings:
            schemas.report(finding)
        return None if made is None else _body_once(made, base, parts.where, schemas)
    if written is None:
        return None
    return _body_once(*written, f"{parts.where}/requestBody", schemas)


def _body_once(written: Mapping[str, Any], base: str, where: str, schemas: Schemas) -> bodies.Body | None:
    found: bodies.Body | None = schemas.bodies.of(written, base, lambda: bodies.read(written, base, where, schemas))
    return found


def _is_body(written: Mapping[str, Any]) -> bool:
    return written.get("in") in ("body", "formData")  # what is written may have no hash


class _Names(NamedTuple):
    """Which argument each thing became."""

    parameters: list[str]
    body: dict[str, str]  # member -> argument
    taken: set[str]
    shared: dict[str, list[str]]  # a name several things have -> their arguments


def _names(parameters: list[Parameter], body: bodies.Body | None) -> _Names:
    """S-42: the first of path, body, query, header, cookie keeps a name, the others say where they go."""
    asked = [one for one in parameters if "const" not in one.wire]
    members = list(dict.fromkeys(name for plan in body.plans for name in plan.members)) if body else []
    all_names = [one.name for one in asked] + members
    if len(set(all_names)) == len(all_names):
        return _Names([one.name for one in parameters], {name: name for name in members}, set(all_names), {})
    things = [("body", name, -1) for name in members]
    things += [(one.place, one.name, at) for at, one in enumerate(parameters) if "const" not in one.wire]
    things.sort(key=lambda thing: PLACES.index(thing[0]))
    taken: set[str] = set()
    given = [one.name for one in parameters]
    in_body: dict[str, str] = {}
    known = set(all_names)
    shared: dict[str, list[str]] = {}
    for place, name, at in things:
        argument = name if name not in taken else _free(f"{place}_{name}", taken | known)
        taken.add(argument)
        shared.setdefault(name, []).append(argument)
        if at < 0:
            in_body[name] = argument
        else:
            given[at] = argument
    return _Names(given, in_body, taken, {name: given for name, given in shared.items() if len(given) > 1})


def _free(wish: str, taken: set[str]) -> str:
    name, count = wish, 1
    while name in taken:
        count += 1
        name = f"{wish}_{count}"
    return name


def _flat(
    parameters: list[Parameter], names: _Names, laid: Laid | None, parts: OperationParts, schemas: Schemas
) -> Arguments:
    properties: dict[str, Any] = {}
    required: list[str] = []
    wires: list[dict[str, Any]] = []
    key = ""
    told = {argument for given in names.shared.values() for argument in given}
    for one, argument in zip(parameters, names.parameters, strict=True):
        if "const" in one.wire:
            wires.append(one.wire)
            continue
        properties[argument] = _placed(one.schema, one.place) if argument in told else one.schema
        if one.required and not one.key:
            required.append(argument)
        wires.append(one.wire if argument == one.name else {**one.wire, "arg": argument})
        key = argument if one.key else key
    schema: Schema = {"type": "object", "additionalProperties": False, "properties": properties}
    binding: dict[str, Any] = {"parameters": wires}
    notes: tuple[str, ...] = ()
    if laid is not None:
        for argument, child in laid.properties.items():
            properties[argument] = _placed(child, "body") if argument in told else child
        required += laid.required
        schema.update(laid.rules)
        binding["body"] = laid.binding
        notes = laid.notes
    if required:
        schema["required"] = required
    schema = schemas.fitted(schema, parts.where, parts.operation)
    examples: tuple[Example, ...] = ()
    if laid is not None and laid.examples:
        around = required_examples(parameters, names.parameters)
        if around is not None:
            examples = calls(schema, around, laid, schemas.definitions)
        if not examples and not show_members(schema, laid, schemas.definitions):
            message = "the body's examples are not what its schema allows; left out"
            schemas.report(_finding(FindingCode.SCHEMA_REDUCED, message, parts, Severity.NOTE))
    return Arguments(schema, binding, notes, examples, key)


def _placed(schema: Any, place: str) -> Schema:
    """A description that says where the argument goes, for names that go to several places."""
    schema = schema if isinstance(schema, dict) else ({} if schema else {"not": {}})
    text = schema.get("description", "")
    return {**schema, "description": f"{text} (sent in the {_PLACE_WORDS[place]})".strip()}


def _finding(code: FindingCode, message: str, parts: OperationParts, severity: Severity = Severity.WARNING) -> Finding:
    return Finding(severity=severity, code=code, where=parts.where, message=message, operation=parts.operation)
