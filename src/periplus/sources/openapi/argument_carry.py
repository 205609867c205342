"""What a place in a request cannot carry, as part of the argument's schema (S-44)."""

from __future__ import annotations

from typing import Any, Final

from periplus.model import Schema

_SAFE_FORMATS: Final = frozenset(
    {"date", "date-time", "time", "duration", "uuid", "email", "ipv4", "ipv6", "hostname", "uri"}
)
_OUTER: Final = r"\x21-\x7e\xa1-\xff"
_LATIN: Final = rf"^(?:[{_OUTER}](?:[\x20-\x7e\xa0-\xff]*[{_OUTER}])?)?$"
# One item of a list in a header: what separates items cannot be inside one.
_APART: Final = {
    ",": r"^(?:[\x21-\x2b\x2d-\x7e\xa1-\xff](?:[\x20-\x2b\x2d-\x7e\xa0-\xff]*[\x21-\x2b\x2d-\x7e\xa1-\xff])?)?$",
    " ": rf"^[{_OUTER}]*$",
    "\t": _LATIN,
    "|": r"^(?:[\x21-\x7b\x7d\x7e\xa1-\xff](?:[\x20-\x7b\x7d\x7e\xa0-\xff]*[\x21-\x7b\x7d\x7e\xa1-\xff])?)?$",
}
# In a query these separators look the same whether they separate or belong to an item; a comma does not.
_IN_QUERY: Final = {" ": "^[^ ]*$", "\t": r"^[^\t]*$", "|": "^[^|]*$"}
_DOTS: Final[Schema] = {"enum": [".", ".."]}
_NONE: Final[Schema] = {}


def carried(schema: Schema, shape: Any, place: str, *, required: bool, separator: str = ",") -> Schema:
    """The schema, held to what its place can carry; `shape` is what it stands for behind references."""
    if not isinstance(shape, dict):
        return schema
    kinds = shape.get("type")
    if required and isinstance(kinds, list) and "null" in kinds and "type" in schema:
        # Null is sent as absence, and a required parameter is never absent.
        left = [kind for kind in kinds if kind != "null"]
        schema = {**schema, "type": left[0] if len(left) == 1 else left} if left else schema
    added: Schema = {}
    if _can_be(kinds, "string"):
        added.update(_string(shape, place, required=required))
    if required and _can_be(kinds, "array") and not (kinds is None and "items" not in shape):
        added["minItems"] = 1
    if required and _can_be(kinds, "object") and not (kinds is None and "properties" not in shape):
        added["minProperties"] = 1
    listed = place in {"header", "cookie", "path"} or (place == "query" and separator in _IN_QUERY)
    if _can_be(kinds, "array") and listed and isinstance(shape.get("items"), dict):
        inside = _item(shape["items"], place, separator)
        if inside:
            added["items"] = inside
    return also(schema, added) if added else schema


def _can_be(kinds: Any, kind: str) -> bool:
    return kinds is None or kind == kinds or (isinstance(kinds, list) and kind in kinds)


def _string(shape: dict[str, Any], place: str, *, required: bool) -> Schema:
    values = shape.get("enum", [shape["const"]] if "const" in shape else None)
    if isinstance(values, list):
        return _NONE
    if place == "path":
        safe = shape.get("format") in _SAFE_FORMATS
        if safe:
            return _NONE
        least = shape.get("minLength", 0)
        return {"minLength": max(1, least)} if least > 2 else {"minLength": max(1, least), "not": _DOTS}
    if place == "query":
        return {"minLength": 1} if required and "minLength" not in shape else _NONE
    if place in {"header", "cookie"} and shape.get("format") not in _SAFE_FORMATS:
        return {"pattern": _LATIN}
    return _NONE


def _item(items: dict[str, Any], place: str, separator: str) -> Schema:
    if not _can_be(items.get("type"), "string") or "enum" in items or "const" in items:
        return _NONE
    if place == "path":
        return _NONE if items.get("format") in _SAFE_FORMATS else {"minLength": 1, "not": _DOTS}
    if place == "query":
        return _NONE if items.get("format") in _SAFE_FORMATS else {"pattern": _IN_QUERY[separator]}
    return _NONE if items.get("format") in _SAFE_FORMATS else {"pattern": _APART[separator]}


def also(schema: Schema, added: Schema) -> Schema:
    """Both schemas at once, in one object where their keywords allow it."""
    out = dict(schema)
    apart: list[Schema] = []
    for key, value in added.items():
        if key not in out or out[key] == value:
            out[key] = value
        elif key in {"minLength", "minItems", "minProperties"}:
            out[key] = max(out[key], value)
        elif key == "items" and isinstance(out[key], dict):
            out[key] = also(out[key], value)
        else:
            apart.append({key: value})
    if apart:
        out["allOf"] = [*out.get("allOf", ()), *apart]
    return out
