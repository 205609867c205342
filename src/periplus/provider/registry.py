"""Where an author lists tools: a registry, or the mark `@tool` on a function."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, Unpack, overload

import msgspec

from periplus.model import Code, Problem
from periplus.provider.declared import Category, Declared, Options, declared

MARK = "__periplus_tool__"
Function = TypeVar("Function", bound=Callable[..., Any])


class Published(msgspec.Struct, frozen=True):
    """A function under the name of its tool."""

    name: str
    function: Callable[..., Any]
    declared: Declared = Declared()


class Registry:
    """The tools of one service, in the order they were written; two of one name are refused at once (M-45)."""

    def __init__(self, name: str, *, version: str = "", description: str = "") -> None:
        self.name = name
        self.version = version
        self.description = description
        self.tools: dict[str, Published] = {}
        self.categories: dict[str, Category] = {}

    @overload
    def tool(self, function: Function, /, **options: Unpack[Options]) -> Function: ...
    @overload
    def tool(self, function: None = None, /, **options: Unpack[Options]) -> Callable[[Function], Function]: ...
    def tool(self, function: Any = None, /, **options: Unpack[Options]) -> Any:
        """Publish a function; it stays what it was."""
        said = declared(options)

        def publish(function: Function) -> Function:
            name = said.name or name_of(function)
            if name in self.tools:
                raise Problem(
                    Code.CONFLICT,
                    f"registry {self.name!r} has a tool {name!r} already",
                    hints=("give one of the two another name=",),
                )
            self.tools[name] = Published(name, function, said)
            return function

        return publish if function is None else publish(function)

    def category(self, id: str, name: str = "", *, description: str = "", display_order: int = 0) -> None:  # noqa: A002 - the protocol's own word
        """Describe a category; the first description of one stays."""
        self.categories.setdefault(id, Category(id, name, description, display_order))


@overload
def tool(function: Function, /, **options: Unpack[Options]) -> Function: ...
@overload
def tool(function: None = None, /, **options: Unpack[Options]) -> Callable[[Function], Function]: ...
def tool(function: Any = None, /, **options: Unpack[Options]) -> Any:
    """Mark a function or method as a tool: where anything is marked, only what is marked is published."""
    said = declared(options)

    def mark(function: Function) -> Function:
        setattr(function, MARK, said)
        return function

    return mark if function is None else mark(function)


def mark_of(function: Any) -> Declared | None:
    """What `@tool` wrote on a function, also on a method or behind a decorator that keeps its attributes."""
    said = getattr(function, MARK, None)
    return said if isinstance(said, Declared) else None


def name_of(function: Any) -> str:
    """The name a function goes by."""
    named = getattr(function, "func", function)  # a partial goes by what it calls
    name = getattr(named, "__name__", None)
    return name if isinstance(name, str) else type(function).__name__
