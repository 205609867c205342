"""Members of forms and multipart bodies: which are files, and how each is written."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from periplus.model import Schema
from periplus.sources.openapi import media
from periplus.sources.openapi.argument_carry import also
from periplus.sources.openapi.argument_parameters import MISSING, constant
from periplus.sources.openapi.schemas import Schemas

_DEEPEST: Final = 8  # unions in unions of a body; deeper ones keep their files as text
_KEPT: Final = ("contentType", "style", "explode", "allowReserved", "collection")


def as_parts(
    properties: dict[str, Any], written: Mapping[str, Any], schemas: Schemas
) -> tuple[dict[str, Any], list[str]]:
    """The members as parts of a multipart body, and which of them are files."""
    encoding = written.get("encoding")
    told = encoding if isinstance(encoding, Mapping) else {}
    out: dict[str, Any] = {}
    files: list[str] = []
    for name, child in properties.items():
        shape = schemas.definition(child)
        declared = told.get(name)
        kind = declared.get("contentType") if isinstance(declared, Mapping) else None
        binary = isinstance(kind, str) and all(media.read(one).kind == "file" for one in kind.split(","))
        if _is_file(shape, binary=binary):
            out[name] = _with_text(schemas.file(), shape)
            files.append(name)
        elif isinstance(shape, dict) and _is_file(schemas.definition(shape.get("items")), binary=binary):
            rest = {key: value for key, value in shape.items() if key != "items"}
            out[name] = {**rest, "type": "array", "items": schemas.file()}
            files.append(name)
        else:
            out[name] = child
    return out, files


def parted(schema: Any, written: Mapping[str, Any], schemas: Schemas, files: dict[str, None], depth: int = 0) -> Any:
    """A body that stays whole, its file members as files in every branch; `files` takes their names."""
    shape = schemas.definition(schema)
    if not isinstance(shape, dict) or depth > _DEEPEST:
        return schema
    out: dict[str, Any] = {}
    if isinstance(shape.get("properties"), dict):
        parts, found = as_parts(shape["properties"], written, schemas)
        if found:
            out["properties"] = parts
            files.update(dict.fromkeys(found))
    for key in ("allOf", "anyOf", "oneOf"):
        before = shape.get(key, [])
        after = [parted(branch, written, schemas, files, depth + 1) for branch in before]
        if any(new is not old for new, old in zip(after, before, strict=True)):
            out[key] = after
    return {**shape, **out} if out else schema


def _is_file(shape: Any, *, binary: bool) -> bool:
    """`format: binary`, a content type of bytes, or the bare schema that 3.1 writes for a file."""
    if not isinstance(shape, dict) or shape.get("contentEncoding", "binary") != "binary" or "enum" in shape:
        return False
    kinds = shape.get("type")
    if kinds not in (None, "string", ["string", "null"]):
        return False
    told = shape.get("contentMediaType")
    typed = isinstance(told, str) and media.read(told).kind == "file"
    told_binary = shape.get("format") == "binary" or "contentEncoding" in shape
    return told_binary or typed or (binary and {"properties", "items"}.isdisjoint(shape))


def never_empty(
    members: dict[str, Any], required: tuple[str, ...], encoding: Mapping[str, Any], schemas: Schemas
) -> dict[str, Any]:
    """Required members that something is sent for: an empty list and null are sent as absence (S-40)."""
    out = dict(members)
    for name in required:
        child = members.get(name)
        shape = schemas.definition(child)
        if not isinstance(child, dict) or not isinstance(shape, dict):
            continue
        kinds = shape.get("type")
        if kinds == "array" or "items" in shape:
            out[name] = also(child, {"minItems": 1})
        elif kinds == "object" and "style" in encoding.get(name, {}):
            out[name] = also(child, {"minProperties": 1})
        elif isinstance(kinds, list) and "null" in kinds and "type" in child:
            left = [kind for kind in kinds if kind != "null"]
            out[name] = {**child, "type": left[0] if len(left) == 1 else left} if left else child
    return out


def _with_text(reference: Schema, shape: dict[str, Any]) -> Schema:
    texts: Schema = {key: shape[key] for key in ("title", "description", "deprecated") if key in shape}
    return {**reference, **texts} if texts else reference


def encodings(written: Mapping[str, Any], base: str, schemas: Schemas) -> dict[str, Any]:
    """What `encoding` says of each member; of headers only those with one value, which are sent."""
    encoding = written.get("encoding")
    out: dict[str, Any] = {}
    for name, told in encoding.items() if isinstance(encoding, Mapping) else ():
        if not isinstance(told, Mapping):
            continue
        entry = {key: told[key] for key in _KEPT if key in told}
        headers = _fixed_headers(told.get("headers"), base, schemas)
        if headers:
            entry["headers"] = headers
        if entry:
            out[str(name)] = entry
    return out


def _fixed_headers(declared: Any, base: str, schemas: Schemas) -> dict[str, Any]:
    out: dict[str, Any] = {}
    for name, header in declared.items() if isinstance(declared, Mapping) else ():
        written, spot = schemas.behind(header, base)
        if str(name).lower() == "content-type":
            continue
        schema = schemas.definition(schemas.request(written.get("schema", {}), spot, ""))
        value = constant(schema)
        value = schema.get("default", MISSING) if value is MISSING and isinstance(schema, dict) else value
        if value is not MISSING:
            out[str(name)] = value
    return out
