"""Classes made of fields: dataclasses, TypedDicts, NamedTuples, msgspec Structs."""

from __future__ import annotations

import dataclasses
import typing
from collections.abc import Callable, Iterator
from typing import Any

import msgspec

from periplus.model import Schema
from periplus.provider.docstrings import parse
from periplus.provider.hints.containers import row
from periplus.provider.hints.plain import own_doc
from periplus.provider.hints.resolve import Resolved, bound_parameters, class_hints, substituted
from periplus.provider.values import NOTHING, jsonable

Of = Callable[[Any], Schema]
_EMPTY: dict[Any, Any] = {list: [], dict: {}, set: [], frozenset: [], tuple: []}
_WRAPPERS = frozenset({"Required", "NotRequired", "ReadOnly"})


class Field(msgspec.Struct, frozen=True):
    """One member: under which name it is written, what it takes, whether it may be left out."""

    name: str
    hint: Any
    required: bool = True
    default: Any = NOTHING
    description: str = ""


class Shape(msgspec.Struct, frozen=True):
    """What a class is made of. `tag` is the member that tells it from others, with its value."""

    fields: tuple[Field, ...]
    in_order: bool = False  # an array, each field in its place
    closed: bool = True
    tag: tuple[str, Any] | None = None


def is_shaped(kind: type) -> bool:
    """Whether a class is made of fields."""
    return any(is_one(kind) for is_one, _ in _SHAPES)


def shape_of(hint: Any, kind: type, complain: Callable[[str], None]) -> Shape:
    """The fields of a class that is made of them."""
    make = next(make for is_one, make in _SHAPES if is_one(kind))
    bound = bound_parameters(hint)
    hints: dict[str, Any] = {}
    for name, resolved in class_hints(kind).items():
        hints[name] = substituted(_reported(resolved, f"{kind.__name__}.{name}", complain), bound)
    return make(kind, hints)


def schema_of(kind: type, shape: Shape, of: Of) -> Schema:
    """The schema of a class made of these fields."""
    said = parse(kind.__doc__ if own_doc(kind) else None).parameters
    members = {field.name: described(of(field.hint), field, said.get(field.name, "")) for field in shape.fields}
    text = own_doc(kind)
    told: Schema = {"description": text} if text else {}
    if shape.in_order:
        titled = [{"title": name} | schema for name, schema in members.items()]
        return told | row(titled, sum(field.required for field in shape.fields))
    required = [field.name for field in shape.fields if field.required]
    if shape.tag:
        name, value = shape.tag
        members, required = {name: {"const": value}, **members}, [name, *required]
    return (
        {"type": "object"}
        | told
        | {"properties": members}
        | ({"required": required} if required else {})
        | ({"additionalProperties": False} if shape.closed else {})
    )


def described(schema: Schema, field: Field, said: str = "") -> Schema:
    """The schema of a member with its default and what is said of it; a hint's own words count first."""
    made = dict(schema)
    text = field.description or said
    if text and ("$ref" in made or not made.get("description")):
        made["description"] = text
    default = jsonable(field.default) if field.default is not NOTHING else NOTHING
    return made if default is NOTHING else made | {"default": default}


def _reported(resolved: Resolved, where: str, complain: Callable[[str], None]) -> Any:
    if resolved.missing:
        complain(f"{where}: {resolved.missing}")
    return resolved.hint


def _dataclass(kind: Any, hints: dict[str, Any]) -> Shape:
    def fields() -> Iterator[Field]:
        # `InitVar`s are parameters but no fields, which `dataclasses.fields` leaves out.
        for name, field in kind.__dataclass_fields__.items():
            if (
                not field.init
                or typing.get_origin(hints.get(name)) is typing.ClassVar
                or hints.get(name) is typing.ClassVar
            ):
                continue
            default = field.default
            if default is dataclasses.MISSING:
                default = _EMPTY.get(field.default_factory, NOTHING)
            required = field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING
            text = field.metadata.get("description", "") or getattr(field, "doc", None)
            yield Field(name, hints.get(name, Any), required, default, text if isinstance(text, str) else "")

    return Shape(tuple(fields()))


def _typed_dict(kind: Any, hints: dict[str, Any]) -> Shape:
    def fields() -> Iterator[Field]:
        for name, hint in hints.items():
            inner, required = hint, name in kind.__required_keys__
            # Python reads these marks only where annotations are no texts; here they count always.
            while getattr(typing.get_origin(inner), "_name", None) in _WRAPPERS:
                mark = typing.get_origin(inner)._name  # noqa: SLF001 - typing and typing_extensions have one each
                required = mark == "Required" or (mark != "NotRequired" and required)
                inner = typing.get_args(inner)[0]
            yield Field(name, inner, required)

    return Shape(
        tuple(fields()), closed=getattr(kind, "__extra_items__", None) in {None, typing.Never, typing.NoReturn}
    )


def _named_tuple(kind: Any, hints: dict[str, Any]) -> Shape:
    defaults: dict[str, Any] = kind._field_defaults
    return Shape(
        tuple(
            Field(name, hints.get(name, Any), name not in defaults, defaults.get(name, NOTHING))
            for name in kind._fields
        ),
        in_order=True,
    )


def _struct(kind: Any, hints: dict[str, Any]) -> Shape:
    config = kind.__struct_config__
    fields = tuple(
        Field(
            field.encode_name,
            hints.get(field.name, field.type),
            field.required,
            _EMPTY.get(field.default_factory, NOTHING) if field.default is msgspec.NODEFAULT else field.default,
        )
        for field in msgspec.structs.fields(kind)
    )
    tag = None if config.tag is None else (config.tag_field, config.tag)
    if config.array_like and tag:
        fields = (Field(tag[0], typing.Literal[tag[1]]), *fields)
    return Shape(fields, in_order=config.array_like, tag=None if config.array_like else tag)


def _is_named_tuple(kind: type) -> bool:
    return issubclass(kind, tuple) and hasattr(kind, "_fields")


_SHAPES: tuple[tuple[Callable[[type], bool], Callable[[Any, dict[str, Any]], Shape]], ...] = (
    (lambda kind: issubclass(kind, msgspec.Struct), _struct),
    (dataclasses.is_dataclass, _dataclass),
    (lambda kind: hasattr(kind, "__total__") and hasattr(kind, "__required_keys__"), _typed_dict),
    (_is_named_tuple, _named_tuple),
)
