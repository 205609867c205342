"""From what stands behind the colon to a type: forward references, `from __future__ import annotations`, generics."""

from __future__ import annotations

import inspect
import sys
import types
import typing
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from periplus.provider.foreign import Fault, attempt

_MISSING_NAMES = 20


class Resolved(msgspec.Struct, frozen=True):
    """A hint, and what of it could not be found."""

    hint: Any
    missing: str = ""


def resolve(annotation: Any, names: Mapping[str, Any], local: Mapping[str, Any]) -> Resolved:
    """The type an annotation means; a name nobody has counts as `Any`, so that the rest of the hint stays."""
    known: dict[str, Any] = dict(local)
    missing: list[str] = []
    for _ in range(_MISSING_NAMES):
        found = attempt(lambda: _evaluated(annotation, names, known))
        if not isinstance(found, Fault):
            return Resolved(found, _told(missing))
        name = found.error.name if isinstance(found.error, NameError) else None
        if not name or name in known:
            return Resolved(Any, _told(missing) if missing else f"{_shown(annotation)} means nothing here: {found}")
        known[name] = Any
        missing.append(name)
    return Resolved(Any, _told(missing))


def _evaluated(annotation: Any, names: Mapping[str, Any], local: Mapping[str, Any]) -> Any:
    holder = type("Holder", (), {"__annotations__": {"hint": annotation}})
    return typing.get_type_hints(holder, dict(names), dict(local), include_extras=True)["hint"]


def _told(missing: list[str]) -> str:
    if not missing:
        return ""
    return f"{', '.join(missing)} cannot be found when the module is loaded (imported for type checkers only?)"


def _shown(annotation: Any) -> str:
    text = annotation if isinstance(annotation, str) else repr(annotation)
    return repr(text[:80])


def annotations_of(owner: Any) -> dict[str, Any]:
    """The annotations of a function, class or module as they are written."""
    if sys.version_info >= (3, 14):
        import annotationlib  # noqa: PLC0415 - there only since 3.14

        asked: Callable[[], dict[str, Any]] = lambda: annotationlib.get_annotations(  # noqa: E731
            owner, format=annotationlib.Format.FORWARDREF
        )
    else:
        asked = lambda: inspect.get_annotations(owner)  # noqa: E731
    found = attempt(asked)
    return {} if isinstance(found, Fault) else found


def class_hints(kind: type) -> dict[str, Resolved]:
    """The hints of a class and its bases, each read where it was written."""
    found: dict[str, Resolved] = {}
    for base in reversed(kind.__mro__):
        names = vars(sys.modules[base.__module__]) if base.__module__ in sys.modules else {}
        # The module's names first, as Python does: a field `date: date` must not hide the type.
        local = {**vars(base), **names, **_type_parameters(base), base.__name__: base}
        for name, annotation in annotations_of(base).items():
            found[name] = resolve(annotation, names, local)
    return found


def function_names(function: Any) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    """The names a function's hints may use: its module's, and those around it that it closes over."""
    inner = inspect.unwrap(function)
    inner = getattr(inner, "func", inner)
    inner = getattr(inner, "__func__", inner)
    if not isinstance(inner, types.FunctionType):
        module = sys.modules.get(getattr(inner, "__module__", None) or "")
        return (vars(module) if module else {}), {}
    cells = zip(inner.__code__.co_freevars, inner.__closure__ or (), strict=False)
    local = dict(_type_parameters(inner))
    for name, cell in cells:
        value = attempt(lambda cell=cell: cell.cell_contents)  # type: ignore[misc]
        if not isinstance(value, Fault):
            local[name] = value
    return inner.__globals__, local


def _type_parameters(owner: Any) -> dict[str, Any]:
    return {each.__name__: each for each in getattr(owner, "__type_params__", ())}


def bound_parameters(hint: Any) -> dict[Any, Any]:
    """What the type variables of a generic class stand for, its bases' included."""
    origin = typing.get_origin(hint) or hint
    given = dict(zip(getattr(origin, "__parameters__", ()), typing.get_args(hint), strict=False))
    found = dict(given)
    for base in getattr(origin, "__orig_bases__", ()):
        inner = typing.get_origin(base)
        if inner is None or inner in {typing.Generic, typing.Protocol}:
            continue
        for variable, value in bound_parameters(substituted(base, given)).items():
            found.setdefault(variable, value)
    return found


def substituted(hint: Any, bound: Mapping[Any, Any]) -> Any:
    """The hint with its type variables filled in."""
    if not bound:
        return hint
    if isinstance(hint, typing.TypeVar):
        return bound.get(hint, hint)
    variables = getattr(hint, "__parameters__", ())
    if not variables or isinstance(hint, type):
        return hint
    filled = attempt(lambda: hint[tuple(bound.get(each, each) for each in variables)])
    return hint if isinstance(filled, Fault) else filled
