"""One hint at a time: which kind it is, and so what its schema is."""

from __future__ import annotations

import dataclasses
import types
import typing
from collections.abc import Callable
from typing import Annotated, Any, Literal, NewType, TypeVar, Union

from periplus.model import Schema
from periplus.provider.foreign import Fault, attempt
from periplus.provider.hints.classes import is_shaped, schema_of, shape_of
from periplus.provider.hints.constraints import constrained
from periplus.provider.hints.containers import container
from periplus.provider.hints.definitions import Definitions
from periplus.provider.hints.outside import describes_itself, own_schema
from periplus.provider.hints.plain import literal, scalar
from periplus.provider.hints.resolve import substituted
from periplus.provider.hints.unions import union

_DEEP = 30
_TRANSPARENT = frozenset({"Required", "NotRequired", "ReadOnly", "Final", "ClassVar"})


class Hints:
    """Turns hints into schemas; what has no JSON form becomes "anything" and is complained of.

    `gives` is for results: what a class writes may differ from what it reads.
    """

    def __init__(self, definitions: Definitions, complain: Callable[[str], None], *, gives: bool = False) -> None:
        self._definitions = definitions
        self._complain = complain
        self._gives = gives
        self._depth = 0

    def of(self, hint: Any) -> Schema:
        """The schema of a hint; no hint raises."""
        if self._depth >= _DEEP:
            self._complain(f"{_name(hint)} nests deeper than {_DEEP}")
            return {}
        self._depth += 1
        try:
            found = attempt(lambda: self._of(hint))
        finally:
            self._depth -= 1
        if isinstance(found, Fault):
            self._complain(f"{_name(hint)} cannot be read: {found}")
            return {}
        return found

    def _of(self, hint: Any) -> Schema:  # noqa: PLR0911 - one line per form a hint can have
        if hint is Any or hint is object:
            return {}
        if hint is None:
            return {"type": "null"}
        origin, args = typing.get_origin(hint), typing.get_args(hint)
        if origin is Annotated:
            return constrained(self.of(hint.__origin__), hint.__metadata__, self._complain)
        if origin is Literal:
            return self._known(hint, literal(args))
        if origin in {Union, types.UnionType}:
            return union([self.of(arg) for arg in args])
        if getattr(origin, "_name", None) in _TRANSPARENT:
            return self.of(args[0])
        if (inner := stands_for(hint, origin)) is not None:
            return self._alias(hint, inner)
        return self._class(hint, origin or hint, args)

    def _alias(self, hint: Any, inner: Any) -> Schema:
        """What only stands for another hint; an alias may mention itself, so it is a definition."""
        if isinstance(hint, TypeVar | NewType | dataclasses.InitVar) or _is_text_alias(hint):
            return self.of(inner)
        name = _name(hint)
        return self._definitions.reference(_key(hint), name, name, lambda: self.of(inner))

    def _class(self, hint: Any, kind: Any, args: tuple[Any, ...]) -> Schema:
        if not isinstance(kind, type):
            return self._known(hint, None)
        if describes_itself(kind):
            return self._definitions.adopt(own_schema(hint, gives=self._gives, complain=self._complain))
        if (plain := scalar(kind, gives=self._gives)) is not None:
            return plain
        if is_shaped(kind):
            identity = f"{kind.__module__}.{kind.__qualname__} {hint!r}"
            return self._definitions.reference(_key(hint), _name(hint), identity, lambda: self._defined(hint, kind))
        return self._known(hint, container(kind, args, self.of))

    def _defined(self, hint: Any, kind: type) -> Schema:
        return schema_of(kind, shape_of(hint, kind, self._complain), self.of)

    def _known(self, hint: Any, schema: Schema | None) -> Schema:
        if schema is None:
            self._complain(f"{_name(hint)} has no JSON form; any value is taken")
        return schema or {}


def stands_for(hint: Any, origin: Any) -> Any:
    """The hint behind a `NewType`, a type variable, an `InitVar` or a `type X = ...`; None where it is none."""
    if isinstance(hint, NewType):
        return hint.__supertype__
    if isinstance(hint, dataclasses.InitVar):
        return hint.type
    if isinstance(hint, TypeVar):
        constraints = hint.__constraints__
        # `X | Y` is for hints that are written; these are found.
        return Union[constraints] if constraints else hint.__bound__ or Any  # noqa: UP007
    if _is_text_alias(hint):
        return str
    if type(origin or hint).__name__ == "TypeAliasType":
        alias = origin or hint
        bound = dict(zip(alias.__type_params__, typing.get_args(hint), strict=False))
        return substituted(alias.__value__, bound)
    return None


def _is_text_alias(hint: Any) -> bool:
    return getattr(hint, "_name", None) in {"LiteralString", "AnyStr"} and not isinstance(hint, TypeVar)


def _key(hint: Any) -> Any:
    return repr(hint) if isinstance(attempt(lambda: hash(hint)), Fault) else hint


def _name(hint: Any) -> str:
    """A hint as a name: `Box[int]` -> `Box_int`."""
    origin, args = typing.get_origin(hint), typing.get_args(hint)
    own = getattr(origin or hint, "__name__", None) or repr(hint)[:80]
    return "_".join([str(own), *(_name(arg) for arg in args)]) if origin else str(own)
