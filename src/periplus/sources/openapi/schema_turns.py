"""The keywords whose meaning involves others: old spellings become those of 2020-12."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from periplus.documents.schemas.patterns import runs
from periplus.model import FindingCode, Schema, Severity
from periplus.sources.openapi.schema_tags import tag_branches

if TYPE_CHECKING:
    from periplus.sources.openapi.schema_walk import Walk

BASE64: Final = "^[A-Za-z0-9+/_-]*={0,2}$"  # both alphabets: many who write `byte` mean the URL-safe one
_BOUNDS: Final = {"int32": (-(2**31), 2**31 - 1), "int64": (-(2**63), 2**63 - 1)}


def turn(walk: Walk, schema: dict[str, Any], out: Schema) -> Schema:
    """A copy of `out`, in which no keyword of an older dialect is left."""
    out = dict(out)
    for key, step in _STEPS.items():
        if key in out:
            step(walk, schema, out)
    names = walk.moved.pop(id(schema), None)
    if names:
        out["required"] = list(dict.fromkeys([*out.get("required", ()), *names]))
    return out


def _nullable(walk: Walk, schema: dict[str, Any], out: Schema) -> None:
    _nullable_if(walk, schema, out, "nullable", allowed=walk.targets.dialect == "3.0")


def _x_nullable(walk: Walk, schema: dict[str, Any], out: Schema) -> None:
    _nullable_if(walk, schema, out, "x-nullable", allowed=walk.targets.dialect in {"2.0", "3.0"})


def _nullable_if(walk: Walk, schema: dict[str, Any], out: Schema, key: str, *, allowed: bool) -> None:
    value = out.pop(key)
    if value.__class__ is not bool:
        walk.complain(schema, key, value)
    elif value and not allowed:
        message = f"{key} means nothing in OpenAPI {walk.targets.dialect}: null is not accepted"
        walk.report(FindingCode.SCHEMA_REDUCED, Severity.NOTE, schema, message)
    elif value and "type" in out:
        kinds = out["type"] if isinstance(out["type"], list) else [out["type"]]
        out["type"] = kinds if "null" in kinds else [*kinds, "null"]


def _type(_walk: Walk, _schema: dict[str, Any], out: Schema) -> None:
    if out["type"] == "file":
        out.update(type="string", format="binary")


def _format(_walk: Walk, _schema: dict[str, Any], out: Schema) -> None:
    kinds = out.get("type", ())
    if out["format"] == "byte" and "string" in kinds:
        del out["format"]
        out["contentEncoding"] = "base64"
        out.setdefault("pattern", BASE64)
    elif out["format"] in _BOUNDS and ("integer" in kinds or "number" in kinds):
        least, most = _BOUNDS[out["format"]]
        if out.get("minimum", least) <= least and out.get("exclusiveMinimum") in (None, False):
            out["minimum"] = least
        if out.get("maximum", most) >= most and out.get("exclusiveMaximum") in (None, False):
            out["maximum"] = most


def _exclusive(bound: str) -> Callable[[Walk, dict[str, Any], Schema], None]:
    key = f"exclusive{bound.capitalize()}"

    def step(_walk: Walk, schema: dict[str, Any], out: Schema) -> None:
        if out[key].__class__ is bool and out.pop(key) and bound in schema and bound in out:
            out[key] = out.pop(bound)

    return step


def _items(walk: Walk, _schema: dict[str, Any], out: Schema) -> None:
    rest = out.pop("additionalItems", None)
    if isinstance(out.get("items"), list):
        out["prefixItems"] = out.pop("items")
        if isinstance(rest, dict | bool) and rest is not True:
            out["items"] = walk.node(rest)


def _additional_items(_walk: Walk, _schema: dict[str, Any], out: Schema) -> None:
    out.pop("additionalItems", None)


def _dependencies(walk: Walk, _schema: dict[str, Any], out: Schema) -> None:
    written = out.pop("dependencies")
    if not isinstance(written, dict):
        return
    names = {key: value for key, value in written.items() if isinstance(value, list)}
    schemas = {key: walk.node(value) for key, value in written.items() if isinstance(value, dict | bool)}
    if names:
        out["dependentRequired"] = {**names, **out.get("dependentRequired", {})}
    if schemas:
        out["dependentSchemas"] = {**schemas, **out.get("dependentSchemas", {})}


def _pattern(walk: Walk, schema: dict[str, Any], out: Schema) -> None:
    pattern = out["pattern"]
    if not runs(pattern):
        del out["pattern"]
        add_text(out, f"Pattern: {pattern[:500]}")
        message = f"pattern {pattern[:200]!r} does not run here; it is shown, and not checked"
        walk.report(FindingCode.PATTERN_UNSUPPORTED, Severity.WARNING, schema, message)


def _example(_walk: Walk, _schema: dict[str, Any], out: Schema) -> None:
    value = out.pop("example")
    others = out.get("examples", [])
    out["examples"] = others if value in others else [value, *others]


def _discriminator(walk: Walk, schema: dict[str, Any], out: Schema) -> None:
    written = out.pop("discriminator")
    tag_branches(walk, schema, written, out)


def _dynamic(key: str) -> Callable[[Walk, dict[str, Any], Schema], None]:
    def step(walk: Walk, schema: dict[str, Any], out: Schema) -> None:
        text = out.pop(key)
        target = walk.link(text, schema) if isinstance(text, str) else None
        if target is not None:
            out.update(target.reference)

    return step


def _enum_words(key: str) -> Callable[[Walk, dict[str, Any], Schema], None]:
    def step(_walk: Walk, _schema: dict[str, Any], out: Schema) -> None:
        words = out.pop(key)
        values = out.get("enum")
        if isinstance(words, dict):
            words = [words.get(str(value), "") for value in values or ()]
        if isinstance(words, list) and values:
            add_text(out, enum_words(values, words))

    return step


def enum_words(values: list[Any], words: list[Any]) -> str:
    """What each value of an enumeration is called: `1 = open, 2 = closed`."""
    pairs = zip(values, words, strict=False)
    return ", ".join(f"{value} = {word}" for value, word in pairs if word and str(word) != str(value))


def add_text(out: Schema, text: str) -> None:
    """One more line of description."""
    if text:
        before = out.get("description", "")
        out["description"] = f"{before}\n{text}" if before else text


# In this order: a format looks at its type, bounds at the format, texts come last.
_STEPS: Final[dict[str, Callable[[Walk, dict[str, Any], Schema], None]]] = {
    "nullable": _nullable,
    "x-nullable": _x_nullable,
    "type": _type,
    "exclusiveMinimum": _exclusive("minimum"),
    "exclusiveMaximum": _exclusive("maximum"),
    "format": _format,
    "items": _items,
    "additionalItems": _additional_items,
    "dependencies": _dependencies,
    "example": _example,
    "$dynamicRef": _dynamic("$dynamicRef"),
    "$recursiveRef": _dynamic("$recursiveRef"),
    "discriminator": _discriminator,
    "x-enum-varnames": _enum_words("x-enum-varnames"),
    "x-enumNames": _enum_words("x-enumNames"),
    "x-enum-descriptions": _enum_words("x-enum-descriptions"),
    "pattern": _pattern,
}
