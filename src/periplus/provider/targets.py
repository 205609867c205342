"""What a name in a module publishes: a registry, marked functions, a function, an object, a whole module."""

from __future__ import annotations

import difflib
import functools
import inspect
import types
from collections.abc import Iterator
from typing import Any

import msgspec

from periplus.model import Code, Problem
from periplus.provider.declared import Category
from periplus.provider.docstrings import parse
from periplus.provider.foreign import Fault, attempt
from periplus.provider.registry import Published, Registry, mark_of, name_of

_FUNCTIONS = (types.FunctionType, types.MethodType, types.BuiltinFunctionType, functools.partial)
_NEAR = 5


class Target(msgspec.Struct, frozen=True, kw_only=True):
    """Functions that stand together, and what is said of them all. `chosen` means that somebody named each."""

    published: tuple[Published, ...]
    chosen: bool = True
    title: str = ""
    version: str = ""
    instructions: str = ""
    categories: tuple[Category, ...] = ()
    missing: tuple[str, ...] = ()  # named in `__all__`, but not there


def target(module: types.ModuleType, name: str = "") -> Target:
    """What `module` or `module:name` publishes."""
    found = _named(module, name)
    if isinstance(found, Registry):
        return _registry(found)
    if isinstance(found, types.ModuleType):
        return _module(found)
    if isinstance(found, type):
        found = _instance(found, name)
    if isinstance(found, _FUNCTIONS) or mark_of(found):
        return Target(published=(_function(found, name.rpartition(".")[2]),), title=name_of(found))
    if methods := tuple(_methods(found)):
        doc = parse(inspect.getdoc(type(found)))
        return Target(published=methods, title=type(found).__name__, instructions=doc.description)
    if callable(found):
        return Target(published=(_function(found, name.rpartition(".")[2]),), title=name_of(found))
    raise Problem(
        Code.BAD_INPUT,
        f"{module.__name__}:{name} is a {type(found).__name__}, which publishes nothing",
        hints=("name a Registry, a function, or an object with public methods",),
    )


def _named(module: types.ModuleType, name: str) -> Any:
    found: Any = module
    for piece in name.split(".") if name else ():
        owner = found
        found = attempt(lambda owner=owner, piece=piece: getattr(owner, piece))  # type: ignore[misc]
        if isinstance(found, Fault):
            public = [each for each in dir(owner) if not each.startswith("_")]
            near = difflib.get_close_matches(piece, public, _NEAR) or public[:_NEAR]
            raise Problem(
                Code.NOT_FOUND,
                f"module {module.__name__} has no {name!r}",
                hints=tuple(f"{module.__name__}:{each}" for each in near) or ("the module has no public names",),
                where=getattr(module, "__file__", None) or module.__name__,
            )
    return found


def _instance(kind: type, name: str) -> Any:
    made = attempt(kind)
    if isinstance(made, Fault):
        raise Problem(
            Code.BAD_INPUT,
            f"{name} is a class that cannot be made without arguments: {made}",
            hints=("make an object of it in the module and name that",),
        )
    return made


def _registry(registry: Registry) -> Target:
    return Target(
        published=tuple(registry.tools.values()),
        title=registry.name,
        version=registry.version,
        instructions=registry.description,
        categories=tuple(sorted(registry.categories.values(), key=lambda each: (each.display_order, each.id))),
    )


def _module(module: types.ModuleType) -> Target:
    """Its registries and marked functions; where it has none, its public functions."""
    told = parse(module.__doc__).description
    names = _public(module)
    objects = [(name, vars(module).get(name)) for name in names]
    registries = _distinct(each for _, each in objects if isinstance(each, Registry))
    own = [(name, each) for name, each in objects if isinstance(each, types.FunctionType)]
    marked = [(name, each) for name, each in own if mark_of(each)]
    version = vars(module).get("__version__")
    title = module.__name__.rpartition(".")[2]
    if registries or marked:
        parts = [_registry(each) for each in registries]
        return Target(
            published=(*(each for part in parts for each in part.published), *_functions(marked)),
            title=parts[0].title if len(parts) == 1 else title,
            version=parts[0].version if len(parts) == 1 else version if isinstance(version, str) else "",
            instructions=(parts[0].instructions if len(parts) == 1 else "") or told,
            categories=tuple(each for part in parts for each in part.categories),
        )
    return Target(
        published=_functions(own),
        chosen=False,
        title=title,
        version=version if isinstance(version, str) else "",
        instructions=told,
        missing=tuple(name for name in names if name not in vars(module)),
    )


def _public(module: types.ModuleType) -> list[str]:
    """`__all__`, else what was written in this module under a public name."""
    listed = vars(module).get("__all__")
    if isinstance(listed, list | tuple):
        return [name for name in dict.fromkeys(listed) if isinstance(name, str)]
    return [
        name
        for name, found in vars(module).items()
        if not name.startswith("_")
        and (isinstance(found, Registry) or getattr(found, "__module__", None) == module.__name__)
    ]


def _functions(named: list[tuple[str, Any]]) -> tuple[Published, ...]:
    """Each function once, under its own name where it has several."""
    by_function: dict[int, tuple[str, Any]] = {}
    for name, function in named:
        known = by_function.get(id(function))
        if known is None or name == name_of(function):
            by_function[id(function)] = (name, function)
    return tuple(_function(function, name) for name, function in by_function.values())


def _function(function: Any, name: str) -> Published:
    said = mark_of(function)
    return Published((said.name if said else "") or name or name_of(function), function, *((said,) if said else ()))


def _methods(owner: Any) -> Iterator[Published]:
    """The public methods of an object, those of its class first written first; only the marked, if any is."""
    names: dict[str, None] = {}
    for kind in reversed(type(owner).__mro__):
        names.update(dict.fromkeys(vars(kind)))
    names.update(dict.fromkeys(getattr(owner, "__dict__", {})))
    found = [
        (name, getattr(owner, name))
        for name in names
        if not name.startswith("_") and isinstance(_unbound(owner, name), types.FunctionType)
    ]
    marked = [(name, method) for name, method in found if mark_of(method)]
    yield from (_function(method, name) for name, method in marked or found)


def _unbound(owner: Any, name: str) -> Any:
    """A member without running any property."""
    member = inspect.getattr_static(owner, name, None)
    return member.__func__ if isinstance(member, staticmethod | classmethod) else member


def _distinct(registries: Iterator[Registry]) -> list[Registry]:
    return list({id(each): each for each in registries}.values())
