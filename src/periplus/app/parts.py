"""Choosing an adapter by its kind: the name of its module is the registration."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from functools import cache
from importlib.metadata import entry_points

from periplus import sources
from periplus.model import Code, Problem
from periplus.ports import Source

_GROUP = "periplus.sources"


@cache
def kinds() -> tuple[str, ...]:
    """Every kind of source there is: our modules, and packages that declare an entry point."""
    own = {module.name for module in pkgutil.iter_modules(sources.__path__) if not module.name.startswith("_")}
    return tuple(sorted(own | {point.name for point in entry_points(group=_GROUP)}))


@cache
def source(kind: str) -> Source:
    """The adapter of a kind; imported now, because some bring a large library."""
    if kind not in kinds():
        raise Problem(Code.UNSUPPORTED, f"no source is of kind {kind[:40]!r}", hints=(f"kinds: {', '.join(kinds())}",))
    for point in entry_points(group=_GROUP, name=kind):
        make: Callable[[], Source] = point.load()
        return make()
    module = importlib.import_module(f"{sources.__name__}.{kind}")
    adapter: Callable[[], Source] = module.ADAPTER
    return adapter()
