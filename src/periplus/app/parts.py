"""Choosing a part by the kind it is for: the name of its module is the registration."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from functools import cache
from importlib.metadata import entry_points
from types import ModuleType
from typing import Any

from periplus import faces, sources, transports
from periplus.core.gateway import Gateway
from periplus.model import Code, Problem
from periplus.ports import Face, Source, Transport
from periplus.settings import Settings

MakeFace = Callable[[Gateway, Settings], Face]


@cache
def kinds() -> tuple[str, ...]:
    """Every kind of source there is: our modules, and packages that declare an entry point."""
    return _kinds(sources)


@cache
def source(kind: str) -> Source:
    """The adapter that reads a kind; imported now, because some bring a large library."""
    make: Callable[[], Source] = _part(sources, kind, "source")
    return make()


@cache
def transport(kind: str) -> Transport:
    """The one that sends calls of a kind; imported at the first call, as `source`."""
    make: Callable[[], Transport] = _part(transports, kind, "transport")
    return make()


@cache
def face_names() -> tuple[str, ...]:
    """Every face there is."""
    return _kinds(faces)


@cache
def face(name: str) -> MakeFace:
    """What makes a face over a gateway."""
    make: MakeFace = _part(faces, name, "face")
    return make


def _kinds(room: ModuleType) -> tuple[str, ...]:
    own = {module.name for module in pkgutil.iter_modules(room.__path__) if not module.name.startswith("_")}
    return tuple(sorted(own | {point.name for point in entry_points(group=room.__name__)}))


def _part(room: ModuleType, kind: str, what: str) -> Any:
    """What makes the part: an entry point named as the room is, else `ADAPTER` of the room's module."""
    known = _kinds(room)
    if kind not in known:
        raise Problem(Code.UNSUPPORTED, f"there is no {what} {kind[:40]!r}", hints=(f"there are {', '.join(known)}",))
    for point in entry_points(group=room.__name__, name=kind):
        return point.load()
    return importlib.import_module(f"{room.__name__}.{kind}").ADAPTER
