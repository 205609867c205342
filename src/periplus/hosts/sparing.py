"""Packages that are opened only as far as somebody reaches into them."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Generator
from contextlib import contextmanager
from threading import RLock
from types import ModuleType
from typing import Any

_opening = RLock()
_opened: set[str] = set()


class Unopened(ModuleType):
    """A package whose modules can be imported, and whose own `__init__` runs when a name of it is asked for."""

    def __getattr__(self, name: str) -> object:
        """The name, after the package was opened; what no package has by import is asked of none."""
        if not name.startswith("__"):
            _open(self)
            if name in vars(self):
                return vars(self)[name]
        raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")


def open_sparingly(*names: str) -> None:
    """Let modules of these packages be imported without all that the packages themselves import; outer ones first."""
    for name in names:
        if name in sys.modules:
            continue
        spec = importlib.util.find_spec(name)
        if spec is None:
            return
        package = importlib.util.module_from_spec(spec)
        package.__class__ = Unopened
        sys.modules[name] = package
        outer, _, inner = name.rpartition(".")
        if outer:
            setattr(sys.modules[outer], inner, package)


@contextmanager
def without(name: str) -> Generator[None]:
    """Imports in the block do without a package that they would take if it were installed."""
    if name in sys.modules:
        yield
        return
    nothing: Any = None  # how the import system says that there is none
    sys.modules[name] = nothing
    try:
        yield
    finally:
        del sys.modules[name]


def _open(package: Unopened) -> None:
    """Run what the package says of itself, once."""
    with _opening:
        spec = package.__spec__
        if spec is not None and spec.loader is not None and package.__name__ not in _opened:
            _opened.add(package.__name__)
            spec.loader.exec_module(package)
