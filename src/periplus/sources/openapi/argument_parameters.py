"""One parameter of an operation as an argument: its schema, and how its value is written into the request."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from periplus.model import Finding, FindingCode, Schema, Severity
from periplus.sources.openapi import media
from periplus.sources.openapi.argument_carry import carried
from periplus.sources.openapi.schema_samples import fits
from periplus.sources.openapi.schema_turns import enum_words
from periplus.sources.openapi.schemas import Schemas

PLACES: Final = ("path", "body", "query", "querystring", "header", "cookie")  # who keeps a name first (S-42)
_STYLES: Final[dict[str, tuple[str, ...]]] = {
    "path": ("simple", "label", "matrix"),
    "query": ("form", "spaceDelimited", "pipeDelimited", "deepObject"),
    "header": ("simple",),
    "cookie": ("form", "cookie"),
}
_SEPARATORS: Final = {"csv": ",", "ssv": " ", "tsv": "\t", "pipes": "|"}
_DELIMITERS: Final = {"spaceDelimited": " ", "pipeDelimited": "|"}
_NOT_SCHEMA: Final = frozenset(
    {"name", "in", "required", "allowEmptyValue", "collectionFormat", "style", "explode", "content", "schema"}
)
MISSING: Final = object()


class Parameter(NamedTuple):
    """A parameter read: `wire` is its entry of the binding."""

    name: str
    place: str
    required: bool
    schema: Schema
    wire: dict[str, Any]
    constant: Any = MISSING
    key: str = ""  # an idempotency key: filled when the caller gives none


def read(written: Mapping[str, Any], base: str, where: str, schemas: Schemas) -> Parameter | None:
    """The parameter, or None when it has no name or no place to go."""
    name, place = written.get("name"), written.get("in")
    if not isinstance(name, str | int | float) or not isinstance(place, str):
        return None
    name, place = str(name), place.strip().lower()
    if place not in PLACES or place == "body":
        return None
    required = place == "path" or written.get("required") is True
    wire: dict[str, Any] = {"in": place, "name": name}
    content = _content(written, base, schemas)
    if content is not None:
        schema = schemas.request(content[1], content[2], where)
        wire["content"] = content[0]
    else:
        schema = _own_schema(written, base, where, schemas)
        _styled(wire, written, place, schema, schemas)
    value = constant(schemas.definition(schema)) if required else MISSING
    if value is not MISSING:
        wire["const"] = value
        return Parameter(name, place, required, schema, wire, value)
    key = place == "header" and name.lower() == "idempotency-key"
    if key:
        wire["fill"] = "idempotency_key"
        required = False
    if content is None:
        separator = _DELIMITERS.get(wire.get("style", ""), _SEPARATORS.get(wire.get("collection", "csv"), ","))
        shape = schemas.definition(schema)
        empty = written.get("allowEmptyValue") is True
        needed = required and not empty
        if place != "query" or wire.get("explode") is not True:
            schema = carried(schema, shape, place, required=needed, separator=separator)
        else:
            schema = carried(schema, shape, place, required=needed)
        schema = _or_empty(schema, shape) if empty else schema
    schema = _described(schema, written, base, where, schemas)
    return Parameter(name, place, required, schema, wire, key=name if key else "")


def _own_schema(written: Mapping[str, Any], base: str, where: str, schemas: Schemas) -> Schema:
    schema = written.get("schema", MISSING)
    if schema is not MISSING and (schemas.dialect != "2.0" or "type" not in written):
        out = schemas.request(schema, base, where)
        return out or {"type": "string"}
    if schemas.dialect == "2.0":
        inline = {key: value for key, value in written.items() if key not in _NOT_SCHEMA and key != "description"}
        return schemas.request(inline, base, where) or {"type": "string"}
    return {"type": "string"}


def _content(written: Mapping[str, Any], base: str, schemas: Schemas) -> tuple[str, Any, str] | None:
    content = written.get("content")
    if not isinstance(content, Mapping) or not content or "schema" in written:
        return None
    declared, item = next(iter(content.items()))
    body, spot = schemas.behind(item, base)
    return media.read(str(declared)).type, body.get("schema", {}), spot


def _styled(wire: dict[str, Any], written: Mapping[str, Any], place: str, schema: Schema, schemas: Schemas) -> None:
    """Only what differs from the defaults of its place."""
    if schemas.dialect == "2.0":
        if "collectionFormat" in written or schema.get("type") == "array":
            declared = written.get("collectionFormat")
            wire["collection"] = declared if declared in (*_SEPARATORS, "multi") else "csv"
            inner = schema.get("items")
            if isinstance(inner, dict) and inner.get("type") == "array":
                items = written.get("items")
                nested = items.get("collectionFormat") if isinstance(items, Mapping) else None
                wire["inner"] = nested if nested in (*_SEPARATORS,) else "csv"
        return
    styles = _STYLES.get(place, ("",))
    style = written.get("style")
    if style in styles[1:]:
        wire["style"] = style
    usual = wire.get("style", styles[0]) in {"form", "cookie"}
    explode = written.get("explode")
    if explode.__class__ is bool and explode is not usual:
        wire["explode"] = explode
    if written.get("allowReserved") is True:
        wire["reserved"] = True


def constant(shape: Any) -> Any:
    """The one legal value of a schema, or MISSING when there are more or none."""
    if not isinstance(shape, dict):
        return MISSING
    if "const" in shape:
        return shape["const"]
    values = shape.get("enum")
    if isinstance(values, list) and len(values) == 1:
        return values[0]
    return MISSING


def _or_empty(schema: Schema, shape: Any) -> Schema:
    """`allowEmptyValue`: the empty string beside what the schema says."""
    if isinstance(shape, dict) and shape.get("type") == "string":
        told = ("enum", "const", "pattern", "format", "minLength", "not", "allOf", "anyOf", "oneOf")
        if not any(key in shape or key in schema for key in told):
            return schema
    inner = {key: value for key, value in schema.items() if key != "description"}
    out: Schema = {"anyOf": [inner, {"const": ""}]}
    return {"description": schema["description"], **out} if "description" in schema else out


def _described(schema: Schema, written: Mapping[str, Any], base: str, where: str, schemas: Schemas) -> Schema:
    out: dict[str, Any] = schema
    text = written.get("description")
    if isinstance(text, str) and text and text != schema.get("description"):
        out = {**out, "description": text}
    if written.get("deprecated") is True:
        said = out.get("description", "")
        told: Schema = {"deprecated": True, "description": f"{said} (deprecated)".strip()}
        out = {**out, **told}
    if schemas.dialect != "2.0":
        for key in ("x-enum-varnames", "x-enumNames"):
            words, values = written.get(key), schema.get("enum")
            if isinstance(words, list) and isinstance(values, list):
                said = out.get("description", "")
                out = {**out, "description": f"{said}\n{enum_words(values, words)}".strip()}
    if "example" in written or "examples" in written:
        kept = _examples(out, written, base, where, schemas)
        shown: list[Any] = out.get("examples", [])
        if kept:
            out = {**out, "examples": [*shown, *(value for value in kept if value not in shown)]}
    return out


def _examples(schema: Schema, written: Mapping[str, Any], base: str, where: str, schemas: Schemas) -> list[Any]:
    """The declared examples that are what they illustrate; the others are reported."""
    kept: list[Any] = []
    for value in example_values(written, base, schemas):
        if fits(value, schema, schemas.definitions):
            kept.append(value)
        else:
            finding = Finding(
                severity=Severity.NOTE,
                code=FindingCode.SCHEMA_REDUCED,
                where=where,
                message=f"an example of parameter {written.get('name')!r} is not what its schema allows; left out",
            )
            schemas.report(finding)
    return kept[:3]


def example_values(written: Mapping[str, Any], base: str, schemas: Schemas) -> list[Any]:
    """The values of `example` and `examples`; nothing external is fetched."""
    found: list[Any] = []
    if "example" in written and schemas.dialect != "2.0":
        found.append(written["example"])
    named = written.get("examples")
    for item in named.values() if isinstance(named, Mapping) else ():
        example, _ = schemas.behind(item, base)
        if "dataValue" in example or "value" in example:
            found.append(example.get("dataValue", example.get("value")))
    return found
