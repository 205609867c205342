"""JSON values as the Python values a hint asks for: the way back from what `hints` describe (M-46)."""

from __future__ import annotations

import math
import numbers
import sys
import types
import typing
from collections import abc
from collections.abc import Callable, Iterable, Mapping
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum, Flag
from ipaddress import IPv4Address, IPv6Address
from pathlib import PurePath
from typing import Annotated, Any, Literal, Union
from uuid import UUID

import msgspec

from periplus.provider.foreign import Fault, attempt
from periplus.provider.hints.classes import Shape, is_shaped, shape_of
from periplus.provider.hints.outside import describes_itself
from periplus.provider.hints.reader import stands_for
from periplus.provider.values import jsonable

_PARSED = (datetime, date, time, timedelta, UUID, Decimal)
_TEXTS = (PurePath, IPv4Address, IPv6Address)
_BYTES = (bytes, bytearray, memoryview)
_MARKS = frozenset({"Required", "NotRequired", "ReadOnly", "Final", "ClassVar"})
_TOLD = 120


class NotTakenError(Exception):
    """A value that a hint does not take; `pointer` leads to it."""

    def __init__(self, pointer: str, message: str) -> None:
        super().__init__(message)
        self.pointer = pointer
        self.message = message


class Taking:
    """Makes arguments; `file` gives the bytes of what stands for a file, which more than one form does."""

    def __init__(self, file: Callable[[Any, str], bytes]) -> None:
        self._file = file

    def take(self, hint: Any, value: Any, at: str) -> Any:  # noqa: PLR0911 - one line per form a hint can have
        """The value as the hint has it."""
        if hint is Any or hint is object:
            return value
        if hint is None or hint is type(None):
            return self._only(value is None, None, hint, value, at)
        origin, args = typing.get_origin(hint), typing.get_args(hint)
        if origin is Annotated:
            return self.take(hint.__origin__, value, at)
        if origin is Literal:
            return self._literal(args, value, at)
        if origin in {Union, types.UnionType}:
            return self._union(args, value, at)
        if getattr(origin, "_name", None) in _MARKS:
            return self.take(args[0], value, at)
        if (inner := stands_for(hint, origin)) is not None:
            return self.take(inner, value, at)
        kind = origin or hint
        return self._instance(hint, kind, args, value, at) if isinstance(kind, type) else value

    def _instance(self, hint: Any, kind: Any, args: tuple[Any, ...], value: Any, at: str) -> Any:
        if describes_itself(kind):
            return self._described(hint, value, at)
        if issubclass(kind, Enum):
            return self._enum(kind, value, at)
        scalar = self._scalar(kind, value, at)
        if scalar is not NotTakenError:
            return scalar
        if is_shaped(kind):
            return self._shaped(hint, kind, value, at)
        return self._container(kind, args, value, at)

    def _scalar(self, kind: Any, value: Any, at: str) -> Any:  # noqa: PLR0911 - one line per kind of scalar
        """A value of a class that goes by one; `NotTakenError` itself for other classes."""
        if issubclass(kind, bool):
            return self._only(isinstance(value, bool), value, kind, value, at)
        if issubclass(kind, int):
            whole = _is_number(value) and math.isfinite(value) and value == int(value)
            return self._made(kind, int(value), at) if whole else self._refuse(kind, value, at)
        if issubclass(kind, float):
            return self._made(kind, float(value), at) if _is_number(value) else self._refuse(kind, value, at)
        if issubclass(kind, str):
            return self._made(kind, value, at) if isinstance(value, str) else self._refuse(kind, value, at)
        if issubclass(kind, _BYTES):
            return self._made(kind, self._file(value, at.lstrip("/")), at)
        if issubclass(kind, _PARSED):
            return self._made(lambda given: _parsed(kind, given), value, at)
        if issubclass(kind, _TEXTS):
            return self._made(kind, value, at) if isinstance(value, str) else self._refuse(kind, value, at)
        if kind is numbers.Integral or kind is numbers.Real:
            return self._only(_is_number(value), value, kind, value, at)
        return NotTakenError

    def _literal(self, choices: Iterable[Any], value: Any, at: str) -> Any:
        for choice in choices:
            written = jsonable(choice)
            if written == value and isinstance(written, bool) == isinstance(value, bool):
                return choice
        raise NotTakenError(at, f"{_shown(value)} is none of {', '.join(map(repr, choices))}")

    def _enum(self, kind: Any, value: Any, at: str) -> Any:
        if issubclass(kind, Flag):
            return self._made(kind, value, at)
        return self._literal(list(kind), value, at) if not isinstance(value, kind) else value

    def _union(self, branches: tuple[Any, ...], value: Any, at: str) -> Any:
        """By the branch that is the value's own type, else the first that takes it: a text may be many."""
        if type(value) in branches and not isinstance(value, str):
            return value
        said: list[NotTakenError] = []
        for branch in branches:
            try:
                return self.take(branch, value, at)
            except NotTakenError as error:
                said.append(error)
        raise max(said, key=lambda error: len(error.pointer))

    def _described(self, hint: Any, value: Any, at: str) -> Any:
        pydantic = sys.modules["pydantic"]
        return self._made(lambda given: pydantic.TypeAdapter(hint).validate_json(msgspec.json.encode(given)), value, at)

    def _shaped(self, hint: Any, kind: Any, value: Any, at: str) -> Any:
        shape = shape_of(hint, kind, lambda _: None)
        if shape.in_order:
            return self._in_order(kind, shape, value, at)
        if not isinstance(value, Mapping):
            raise NotTakenError(at, f"{_shown(value)} is no {kind.__name__}")
        if shape.tag and value.get(shape.tag[0]) != shape.tag[1]:
            raise NotTakenError(f"{at}/{shape.tag[0]}", f"{_shown(value.get(shape.tag[0]))} is not {shape.tag[1]!r}")
        known = {field.name: field for field in shape.fields}
        made: dict[str, Any] = {}
        for name, member in value.items():
            if name in known:
                made[name] = self.take(known[name].hint, member, f"{at}/{name}")
            elif shape.tag and name == shape.tag[0]:
                continue
            elif shape.closed:
                raise NotTakenError(f"{at}/{name}", f"{kind.__name__} has no {name!r}")
            else:
                made[name] = member
        if missing := [field.name for field in shape.fields if field.required and field.name not in made]:
            raise NotTakenError(f"{at}/{missing[0]}", "is required")
        if issubclass(kind, dict):
            return made
        return self._made(lambda members: kind(**members), _by_attribute(kind, made), at)

    def _in_order(self, kind: Any, shape: Shape, value: Any, at: str) -> Any:
        if not isinstance(value, list) or not sum(f.required for f in shape.fields) <= len(value) <= len(shape.fields):
            raise NotTakenError(at, f"{_shown(value)} is no {kind.__name__}")
        items = [self.take(field.hint, each, f"{at}/{n}") for n, (field, each) in enumerate(zip(shape.fields, value))]  # noqa: B905 - the last may be left out
        if issubclass(kind, msgspec.Struct) and kind.__struct_config__.tag is not None:
            items = items[1:]
        return self._made(lambda given: kind(*given), items, at)

    def _container(self, kind: Any, args: tuple[Any, ...], value: Any, at: str) -> Any:
        if issubclass(kind, tuple):
            return self._tuple(args, value, at)
        if issubclass(kind, abc.Mapping):
            return self._mapping(kind, args, value, at)
        if not issubclass(kind, abc.Iterable | abc.AsyncIterable):
            return value
        if not isinstance(value, list):
            raise NotTakenError(at, f"{_shown(value)} is no list")
        inner = args[0] if args else Any
        items = [self.take(inner, each, f"{at}/{number}") for number, each in enumerate(value)]
        if kind in {abc.Set, abc.MutableSet}:
            return set(items)
        if issubclass(kind, abc.AsyncIterable):
            return _one_by_one(items)
        return items if _is_abstract(kind) or kind is list else self._made(kind, items, at)

    def _tuple(self, args: tuple[Any, ...], value: Any, at: str) -> Any:
        if not isinstance(value, list):
            raise NotTakenError(at, f"{_shown(value)} is no list")
        if not args:
            return tuple(value)
        if len(args) == 2 and args[1] is Ellipsis:
            return tuple(self.take(args[0], each, f"{at}/{number}") for number, each in enumerate(value))
        hints = () if args == ((),) else args
        if len(hints) != len(value):
            raise NotTakenError(at, f"it has {len(value)} items, not {len(hints)}")
        pairs = zip(hints, value, strict=True)
        return tuple(self.take(hint, each, f"{at}/{number}") for number, (hint, each) in enumerate(pairs))

    def _mapping(self, kind: Any, args: tuple[Any, ...], value: Any, at: str) -> Any:
        if not isinstance(value, Mapping):
            raise NotTakenError(at, f"{_shown(value)} is no object")
        names = args[0] if args else str
        items = int if kind.__name__ == "Counter" else args[1] if len(args) == 2 else Any
        made = {self._name(names, name, at): self.take(items, each, f"{at}/{name}") for name, each in value.items()}
        if _is_abstract(kind) or kind is dict:
            return made
        if kind.__name__ == "defaultdict":
            return kind(None, made)
        return self._made(kind, made, at)

    def _name(self, hint: Any, name: str, at: str) -> Any:
        """A member's name as its key: JSON has only texts for it."""
        try:
            return self.take(hint, name, at)
        except NotTakenError:
            number = attempt(lambda: int(name))
            return self.take(hint, name if isinstance(number, Fault) else number, at)

    def _made(self, make: Callable[[Any], Any], value: Any, at: str) -> Any:
        made = attempt(lambda: make(value))
        if isinstance(made, Fault):
            raise NotTakenError(at, str(made)) from made.error
        return made

    def _only(self, fits: bool, made: Any, hint: Any, value: Any, at: str) -> Any:  # noqa: FBT001 - what was found out
        return made if fits else self._refuse(hint, value, at)

    def _refuse(self, hint: Any, value: Any, at: str) -> Any:
        raise NotTakenError(at, f"{_shown(value)} is no {getattr(hint, '__name__', hint)}")


def _parsed(kind: Any, value: Any) -> Any:
    if issubclass(kind, time) and isinstance(value, str):
        return kind.fromisoformat(value)  # seconds may be left out
    return msgspec.convert(value, kind, strict=False)


def _by_attribute(kind: Any, made: dict[str, Any]) -> dict[str, Any]:
    """Members under the names of attributes, which a Struct may write otherwise."""
    if not issubclass(kind, msgspec.Struct):
        return made
    names = {field.encode_name: field.name for field in msgspec.structs.fields(kind)}
    return {names[name]: value for name, value in made.items() if name in names}


def _is_abstract(kind: Any) -> bool:
    return kind.__module__ in {"collections.abc", "typing"}


async def _one_by_one(items: list[Any]) -> abc.AsyncIterator[Any]:
    for item in items:
        yield item


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= _TOLD else f"{text[:_TOLD]}..."
