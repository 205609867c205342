"""Argument sets from a tool's schema: required only, all, at the bounds, awkward, and each branch of a union."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import jsonschema_rs

from benchmarks.oracle.patterns import matching

_DEEPEST = 5
_LONGEST = 300
_FORMATS = {
    "date": ("2031-05-02", "2024-02-29"),
    "date-time": ("2031-05-02T10:00:00Z", "2024-02-29T23:59:59.5+02:00"),
    "time": ("10:00:00Z", "23:59:59Z"),
    "duration": ("P1D", "PT1H30M"),
    "uuid": ("6ba7b810-9dad-11d1-80b4-00c04fd430c8", "00000000-0000-0000-0000-000000000000"),
    "email": ("ann@example.com", "a.b+c@example.org"),
    "uri": ("https://example.com/a?b=c", "urn:x:y"),
    "ipv4": ("192.0.2.1", "0.0.0.0"),  # noqa: S104 - a value, bound to nothing
    "ipv6": ("2001:db8::1", "::"),
    "hostname": ("example.com", "a"),
}
_XML_TEXT = "The whole body as XML text, in place of its members."
_AWKWARD = (
    "a/b?x=1#z&c=d+e%20f;g,h|i \"j\" 'k' <l> é",
    "../admin",
    "x%2F..%2Fy=&[]{}",
    "tab\there, line\nthere 日本 😀",
    "é&=+/?#",
    "a/b=c&d+e",
    "a+b=c/d",
    "A-1_~",
    "~",
)


class Style(NamedTuple):
    """Which of a schema's values are wanted."""

    name: str
    optional: bool = False  # members that may be left out are given
    bounds: str = ""  # "low" or "high"
    awkward: bool = False
    branch: int = 0


STYLES = (
    Style("required only"),
    Style("all", optional=True),
    Style("low", optional=True, bounds="low"),
    Style("high", optional=True, bounds="high"),
    Style("awkward", optional=True, awkward=True),
    Style("branch 1", optional=True, branch=1),
    Style("branch 2", optional=True, branch=2),
    Style("branch 3", optional=True, branch=3),
)


class Given(NamedTuple):
    """One set of arguments, and how it was made."""

    style: str
    arguments: dict[str, Any]


def argument_sets(schema: dict[str, Any]) -> list[Given]:
    """Different sets that the schema accepts; fewer where there are not five different ones."""
    validator = jsonschema_rs.Draft202012Validator(
        schema, validate_formats=True, pattern_options=jsonschema_rs.RegexOptions(), offline=True
    )
    found: list[Given] = []
    for style in STYLES:
        made = _Maker(schema.get("$defs", {}), style).value(schema, 0)
        arguments = _mended(validator, made, frozenset(schema.get("required", ())))
        if arguments is not None and all(arguments != one.arguments for one in found):
            found.append(Given(style.name, arguments))
    return found


def _mended(
    validator: jsonschema_rs.Draft202012Validator, made: Any, required: frozenset[str]
) -> dict[str, Any] | None:
    """The set without the optional arguments that did not turn out well."""
    if not isinstance(made, dict):
        return None
    for _ in range(12):
        wrong = next(validator.iter_errors(made), None)
        if wrong is None:
            return made
        names = {str(wrong.instance_path[0])} if wrong.instance_path else made.keys() - required
        if not wrong.instance_path and len(made) == len(required & made.keys()):
            return None
        left = names & made.keys() - required
        if not left:
            return None
        gone = left if wrong.instance_path else {max(left)}
        made = {name: value for name, value in made.items() if name not in gone}
    return None


class _Maker:
    """Makes values of one style."""

    def __init__(self, definitions: dict[str, Any], style: Style) -> None:
        self._definitions = definitions
        self._style = style

    def value(self, schema: Any, depth: int) -> Any:
        """A value of the schema, as far as one can be made without searching."""
        shape = self._flat(schema, 0)
        if "const" in shape:
            return shape["const"]
        if shape.get("enum"):
            choices = shape["enum"]
            return choices[-1 if self._style.bounds == "high" else self._style.branch % len(choices)]
        return getattr(self, f"_{self._kind(shape)}")(shape, depth)

    def _flat(self, schema: Any, depth: int) -> dict[str, Any]:
        """The schema with its references, `allOf` and one branch of each union put into one object."""
        if not isinstance(schema, dict) or depth > 20:
            return {}
        out = {
            key: value
            for key, value in schema.items()
            if key not in {"$ref", "allOf", "anyOf", "oneOf", "if", "then", "else"}
        }
        parts = list(schema.get("allOf", ()))
        if isinstance(schema.get("$ref"), str):
            parts.append(self._definitions.get(schema["$ref"].removeprefix("#/$defs/"), {}))
        for union in ("anyOf", "oneOf"):
            branches = [one for one in schema.get(union, ()) if one is not False]
            if branches:
                parts.append(branches[self._style.branch % len(branches)])
        for part in parts:
            _merge(out, self._flat(part, depth + 1))
        return out

    def _kind(self, shape: dict[str, Any]) -> str:
        kinds = shape.get("type")
        if isinstance(kinds, list):
            wanted = [kind for kind in kinds if kind != "null"] or kinds
            return str(
                kinds[-1] if self._style.branch == 2 and "null" in kinds else wanted[self._style.branch % len(wanted)]
            )
        if isinstance(kinds, str):
            return kinds
        if "properties" in shape or "additionalProperties" in shape or "required" in shape:
            return "object"
        if "items" in shape or "prefixItems" in shape:
            return "array"
        if "minimum" in shape or "maximum" in shape:
            return "number"
        return "string" if depth_free(shape) else ("string", "integer", "object", "array")[self._style.branch % 4]

    def _object(self, shape: dict[str, Any], depth: int) -> dict[str, Any]:
        properties: dict[str, Any] = shape.get("properties", {})
        required = set(shape.get("required", ()))
        out: dict[str, Any] = {}
        for name, child in properties.items():
            wanted = name in required or (self._style.optional and depth < _DEEPEST and len(out) < 60)
            if isinstance(child, dict) and child.get("description") == _XML_TEXT and self._style.branch != 3:
                continue  # else the members would have to make way for it in every set
            if wanted and child is not False:
                out[name] = self.value(child, depth + 1)
        for name in required - out.keys():
            out[name] = self.value(shape.get("additionalProperties", {}), depth + 1)
        further = shape.get("additionalProperties", False if properties else {})
        if further is not False and self._style.optional and depth < _DEEPEST:
            out.setdefault("further", self.value(further, depth + 1))
        return dict(list(out.items())[: max(shape.get("maxProperties", len(out)), len(required))])

    def _array(self, shape: dict[str, Any], depth: int) -> list[Any]:
        least, most = shape.get("minItems", 0), shape.get("maxItems", 4)
        count = max(least, min(most, 3 if self._style.bounds == "high" else 2 if self._style.awkward else 1))
        if self._style.bounds == "low" or (depth >= _DEEPEST):
            count = least
        first = shape.get("prefixItems", [])
        items = [self.value(one, depth + 1) for one in first][: max(count, len(first))]
        while len(items) < min(count, 20) and shape.get("items") is not False:
            items.append(self.value(shape.get("items", {"type": "string"}), depth + 1))
        if shape.get("uniqueItems"):
            items = self._unique(items, shape.get("items", {}))
        return items

    def _unique(self, items: list[Any], schema: Any) -> list[Any]:
        choices = self._flat(schema, 0).get("enum")
        if choices and len(items) > 1:
            return list(choices[: len(items)])
        return [one for at, one in enumerate(items) if one not in items[:at]]

    def _string(self, shape: dict[str, Any], _: int) -> str:
        known = _FORMATS.get(shape.get("format", ""))
        if known:
            return known[1 if self._style.bounds or self._style.awkward else 0]
        if shape.get("contentEncoding") == "base64":
            return "/+8A" * max(1, math.ceil(shape.get("minLength", 0) / 4))
        patterns = _patterns(shape)
        least, most = shape.get("minLength", 0), min(shape.get("maxLength", _LONGEST), _LONGEST)
        for text in self._texts(least, most):
            if least <= len(text) <= max(most, least) and all(_matches(one, text) for one in patterns):
                return text
        for one in patterns:
            text = matching(one, least, shape.get("maxLength", 1000))
            if text is not None and all(_matches(other, text) for other in patterns):
                return text
        return "a" * max(least, 1)

    def _texts(self, least: int, most: int) -> Iterator[str]:
        if self._style.awkward:
            for text in _AWKWARD:
                yield (text * (least // len(text) + 1))[: max(least, min(most, len(text)))]
        if self._style.bounds == "low":
            yield "a" * least
        if self._style.bounds == "high":
            yield "z" * most
        yield "text"
        yield "a" * max(least, min(most, 4))
        yield "7" * max(least, min(most, 4))

    def _integer(self, shape: dict[str, Any], _: int) -> int:
        low, high = _bounds(shape, 1)
        wanted = (
            low if self._style.bounds == "low" else high if self._style.bounds == "high" else max(low, min(high, 3))
        )
        step = shape.get("multipleOf", 1)
        number = math.ceil(wanted / step) * step
        return int(number if number <= high else number - step)

    def _number(self, shape: dict[str, Any], _: int) -> float:
        low, high = _bounds(shape, 0.5)
        wanted = (
            low if self._style.bounds == "low" else high if self._style.bounds == "high" else max(low, min(high, 2.5))
        )
        step = shape.get("multipleOf")
        return float(math.ceil(wanted / step) * step) if step else float(wanted)

    def _boolean(self, _shape: dict[str, Any], _: int) -> bool:
        return self._style.bounds != "low"

    def _null(self, _shape: dict[str, Any], _: int) -> None:
        return None


def depth_free(shape: dict[str, Any]) -> bool:
    return bool(shape.keys() & {"pattern", "format", "minLength", "maxLength", "contentEncoding"})


def _merge(into: dict[str, Any], more: dict[str, Any]) -> None:
    for key, value in more.items():
        if key == "properties":
            into[key] = {**value, **into.get(key, {})}
        elif key == "required":
            into[key] = [*into.get(key, []), *value]
        elif key == "pattern" and key in into:
            into.setdefault("_patterns", []).append(value)
        elif key in {"minLength", "minItems", "minimum"} and key in into:
            into[key] = max(into[key], value)
        elif key == "type" and key in into:
            both = [kind for kind in _kinds(into[key]) if kind in _kinds(value)]
            into[key] = both or into[key]
        else:
            into.setdefault(key, value)


def _kinds(value: Any) -> list[str]:
    return value if isinstance(value, list) else [value]


def _patterns(shape: dict[str, Any]) -> list[str]:
    return [*([shape["pattern"]] if "pattern" in shape else []), *shape.get("_patterns", [])]


def _matches(pattern: str, text: str) -> bool:
    try:
        return jsonschema_rs.Draft202012Validator(
            {"pattern": pattern}, pattern_options=jsonschema_rs.RegexOptions()
        ).is_valid(text)
    except (jsonschema_rs.ValidationError, ValueError):
        return True


def _bounds(shape: dict[str, Any], step: float) -> tuple[Any, Any]:
    low = shape.get("minimum", shape["exclusiveMinimum"] + step if "exclusiveMinimum" in shape else -7)
    high = shape.get("maximum", shape["exclusiveMaximum"] - step if "exclusiveMaximum" in shape else low + 99)
    return min(low, high) if "minimum" not in shape else low, high
