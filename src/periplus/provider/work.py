"""A published function made ready to be called: which argument goes where, as which Python value (M-46, M-47)."""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from periplus.provider.context import CallContext
from periplus.provider.functions import Described, Refused, describe, signature_of
from periplus.provider.hints import Definitions
from periplus.provider.hints.resolve import function_names, resolve
from periplus.provider.registry import Published
from periplus.provider.taking import NotTakenError, Taking


class Called(msgspec.Struct, frozen=True):
    """How a function is called."""

    positional: tuple[Any, ...]
    named: dict[str, Any]


class Work:
    """One function. Made once; its hints are read then."""

    def __init__(self, published: Published, described: Described) -> None:
        self.function: Callable[..., Any] = published.function
        self.is_async = inspect.iscoroutinefunction(_called(published.function)) or inspect.isasyncgenfunction(
            _called(published.function)
        )
        self._described = described
        self._hints = {} if published.declared.parameters is not None else _hints(published.function)

    def called(self, arguments: Mapping[str, Any], context: CallContext, file: Callable[[Any, str], bytes]) -> Called:
        """The call with these arguments; raises `NotTakenError` with the place of the one that does not fit."""
        taking = Taking(file)
        made = {name: taking.take(self._hint(name), value, f"/{name}") for name, value in arguments.items()}
        made |= dict.fromkeys(self._described.context, context)
        positional: list[Any] = []
        for name in self._described.positional:
            if name not in made:
                break  # the rest have defaults
            positional.append(made.pop(name))
        return Called(tuple(positional), made)

    def _hint(self, name: str) -> Any:
        return self._hints.get(name, self._hints.get(self._described.extra, Any) if self._described.extra else Any)


def work_of(published: Published) -> Work | Refused:
    """The function ready to be called, or why it cannot be."""
    described = describe(published, Definitions())
    return described if isinstance(described, Refused) else Work(published, described)


def _hints(function: Any) -> dict[str, Any]:
    names, local = function_names(function)
    found: dict[str, Any] = {}
    for parameter in signature_of(function).parameters.values():
        if parameter.annotation is parameter.empty:
            continue
        hint = resolve(parameter.annotation, names, local).hint
        if parameter.default is None:
            hint = hint | None if isinstance(hint, type) else typing.Optional[hint]  # noqa: UP045 - found, not written
        if getattr(typing.get_origin(hint), "_name", None) == "Unpack":
            found |= typing.get_type_hints(typing.get_args(hint)[0], include_extras=True)
        else:
            found[parameter.name] = hint
    return found


def _called(function: Any) -> Any:
    inner = getattr(function, "func", function)
    return inner if inspect.isroutine(inner) else getattr(inner, "__call__", inner)  # noqa: B004 - what is called


__all__ = ["Called", "NotTakenError", "Work", "work_of"]
