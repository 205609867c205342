"""The body of a request as arguments: spread or whole, one media type or a choice (S-45 to S-47)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from periplus.model import Finding, FindingCode, Schema, Severity
from periplus.sources.openapi import media
from periplus.sources.openapi.argument_parameters import MISSING, constant, example_values
from periplus.sources.openapi.body_parts import as_parts, encodings, never_empty, parted
from periplus.sources.openapi.body_spread import mentioned, spread
from periplus.sources.openapi.body_xml import XmlHints
from periplus.sources.openapi.schema_forms import REQUEST
from periplus.sources.openapi.schema_targets import Piece
from periplus.sources.openapi.schemas import Schemas

_STRUCTURES: Final = frozenset({"object", "array"})
_INSIDES: Final = frozenset({"properties", "items", "allOf", "oneOf", "anyOf"})


class Plan(NamedTuple):
    """One media type's way of taking a body: its members as arguments, or `whole`."""

    members: dict[str, Any]
    required: tuple[str, ...]
    whole: Schema | None
    further: Any
    rules: tuple[Schema, ...]
    constants: dict[str, Any]
    wire: dict[str, Any]  # its entry of the binding, without names of arguments
    text_too: bool = False  # XML: the finished text may come instead of the members


class Declared(NamedTuple):
    """One media type of a body as written."""

    media: media.Media
    written: Mapping[str, Any]
    base: str
    piece: Piece
    shape: Any  # what the schema stands for


class Body(NamedTuple):
    """All media types that take different arguments, preferred first."""

    plans: tuple[Plan, ...]
    required: bool
    description: str
    declared: tuple[Declared, ...]
    examples: tuple[Any, ...] = ()


def read(body: Mapping[str, Any], base: str, where: str, schemas: Schemas) -> Body | None:
    """The body, or None when it declares no content."""
    declared = _declared(body, base, where, schemas)
    if not declared:
        return None
    kept = _different(declared)
    plans = [_plan_once(one, schemas) for one in kept]
    if len(plans) > 1:
        plans = [plan for at, plan in enumerate(plans) if not any(_equal(plan, before) for before in plans[:at])]
    text = body.get("description")
    return Body(
        plans=tuple(plans),
        required=body.get("required") is True,
        description=text if isinstance(text, str) else "",
        declared=tuple(kept),
        examples=tuple(example_values(kept[0].written, kept[0].base, schemas)),
    )


def unspread(body: Body, schemas: Schemas) -> tuple[Plan, ...]:
    """The body as one argument, for names that clash."""
    return tuple(_whole(one, schemas) for one in body.declared)


def _declared(body: Mapping[str, Any], base: str, where: str, schemas: Schemas) -> list[Declared]:
    content = body.get("content")
    found: list[Declared] = []
    for name, item in content.items() if isinstance(content, Mapping) else ():
        written, spot = schemas.behind(item, base)
        kind = media.read(str(name))
        if kind.opaque or kind.mended:
            _report_media(str(name), kind, where, schemas)
        piece = schemas.piece(_schema(written), spot, where)
        found.append(Declared(kind, written, spot, piece, schemas.definition(piece.schema)))
    return sorted(found, key=_preference)


def _schema(written: Mapping[str, Any]) -> Any:
    if "itemSchema" in written and "schema" not in written:
        return {"type": "array", "items": written["itemSchema"]}
    return written.get("schema", {})


def _preference(one: Declared) -> int:
    """A file as JSON text is what generators write who mean a file; a form has names, which a list has not."""
    if one.media.kind == "json" and _is_binary(one.shape):
        return media.UNKNOWN
    kind = one.shape.get("type") if isinstance(one.shape, dict) else None
    nameless = isinstance(kind, str) and kind != "object"
    is_form = one.media.kind == "form" or one.media.type.startswith("multipart/form-data")
    return media.UNKNOWN + 1 if nameless and is_form else one.media.rank


def _is_binary(shape: Any) -> bool:
    return isinstance(shape, dict) and shape.get("format") == "binary"


def _report_media(name: str, kind: media.Media, where: str, schemas: Schemas) -> None:
    if kind.mended:
        message, code = f"media type {name!r} is taken as {kind.type!r}", FindingCode.PARSE_LENIENT
    else:
        message, code = f"media type {name!r} is not known; it is sent as declared", FindingCode.MEDIA_TYPE_OPAQUE
    schemas.report(Finding(severity=Severity.NOTE, code=code, where=where, message=message))


def _different(declared: list[Declared]) -> list[Declared]:
    """Those whose schemas differ: of equal ones, the preferred type speaks for all."""
    kept: list[Declared] = []
    for one in declared:
        equal = [other for other in kept if other.piece.schema == one.piece.schema]
        if not any(_same_files(one, other) for other in equal):
            kept.append(one)
    return kept


def _same_files(one: Declared, other: Declared) -> bool:
    """A multipart body with files takes what a JSON body of the same schema cannot."""
    if (one.media.kind == "multipart") is (other.media.kind == "multipart"):
        return True
    shape = one.shape if isinstance(one.shape, dict) else {}
    return not any(_is_binary(child) for child in shape.get("properties", {}).values())


def _plan_once(one: Declared, schemas: Schemas) -> Plan:
    """The same as `_plan`; a media type that says nothing but a schema is laid out once for all who use that."""
    if not one.written.keys() <= {"schema", "example", "examples"} or one.media.kind == "xml":
        return _plan(one, schemas)
    key = one.media.type, id(one.piece.schema)
    known = schemas.plans.get(key)
    if known is not None and known[0] is one.piece.schema:
        found: Plan = known[1]
        return found
    plan = _plan(one, schemas)
    schemas.plans[key] = one.piece.schema, plan
    return plan


def _plan(one: Declared, schemas: Schemas) -> Plan:
    kind = _kind(one)
    if kind in {"file", "text"}:
        return _whole(one, schemas)
    found = spread(one.piece, schemas)
    if found is None:
        return _whole(one, schemas)
    members, files = as_parts(found.properties, one.written, schemas) if kind == "multipart" else (found.properties, [])
    told = mentioned(found.rules)
    constants = {
        name: value
        for name in found.required
        if name not in told and (value := constant(schemas.definition(members.get(name)))) is not MISSING
    }
    if constants:
        members = {name: child for name, child in members.items() if name not in constants}
    wire = _wire(one, kind, schemas)
    if files:
        wire["files"] = files
    if kind in {"form", "multipart"}:
        members = never_empty(members, found.required, wire.get("encoding", {}), schemas)
    return Plan(
        members=members,
        required=tuple(name for name in found.required if name not in constants),
        whole=None,
        further=found.further,
        rules=found.rules,
        constants=constants,
        wire=wire,
        text_too=kind == "xml",
    )


def _kind(one: Declared) -> media.Kind:
    kinds = one.shape.get("type") if isinstance(one.shape, dict) else None
    structured = not _STRUCTURES.isdisjoint(kinds if isinstance(kinds, list) else [kinds]) or (
        isinstance(one.shape, dict) and not _INSIDES.isdisjoint(one.shape)
    )
    if one.media.kind == "any":
        return "json" if structured else "file"
    if one.media.kind == "file" and isinstance(one.shape, dict) and one.shape.get("contentEncoding") == "base64":
        return "text"  # what goes over is base64, not the bytes it stands for
    if one.media.rank == media.UNKNOWN and structured:
        return "json"  # a vendor's type for an object: members have no other common spelling
    return one.media.kind


def _wire(one: Declared, kind: media.Kind, schemas: Schemas) -> dict[str, Any]:
    sent = one.media.type
    if sent.startswith(("*/*", "application/*")):
        sent = "application/json" if kind == "json" else "application/octet-stream"
    wire: dict[str, Any] = {"type": sent, "kind": kind}
    told = encodings(one.written, one.base, schemas)
    if told:
        wire["encoding"] = told
    for key in ("prefixEncoding", "itemEncoding"):
        if isinstance(one.written.get(key), Mapping | list):
            wire[key] = one.written[key]
    if kind == "xml":
        hints = XmlHints(schemas.references)
        root = hints.of(_schema(one.written), one.base)
        if root:
            wire["xml"] = root
        if hints.named:
            wire["xml_named"] = hints.named
    return wire


def _whole(one: Declared, schemas: Schemas) -> Plan:
    kind = _kind(one)
    kinds = one.shape.get("type") if isinstance(one.shape, dict) else None
    if kind == "file":
        schema = schemas.file()
    elif kind == "text":
        plain = kinds is not None and (_STRUCTURES.isdisjoint(kinds if isinstance(kinds, list) else [kinds]))
        schema = schemas.seen(one.piece, REQUEST) if plain else {"type": "string"}
    elif kind == "multipart":
        return _whole_parts(one, schemas)
    else:
        schema = schemas.seen(one.piece, REQUEST)
        if kind == "xml" and schema and kinds != "string":
            schema = {"anyOf": [schema, {"type": "string"}]}
    return Plan({}, (), schema, None, (), {}, _wire(one, kind, schemas))


def _whole_parts(one: Declared, schemas: Schemas) -> Plan:
    files: dict[str, None] = {}
    schema = parted(one.piece.schema, one.written, schemas, files)
    wire = _wire(one, "multipart", schemas)
    if not files:
        return Plan({}, (), schemas.seen(one.piece, REQUEST), None, (), {}, wire)
    wire["files"] = list(files)
    return Plan({}, (), schemas.part(schema, REQUEST), None, (), {}, wire)


def _equal(one: Plan, other: Plan) -> bool:
    return (one.members, one.required, one.whole, one.further, one.rules, one.constants) == (
        (other.members, other.required, other.whole, other.further, other.rules, other.constants)
    )
