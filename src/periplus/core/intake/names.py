"""Settling names: one ref per tool, none lost, none changed without need (S-15, S-16, S-20, S-21)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from sys import intern

import msgspec

from periplus.model import area_path, leaf_segment, segment, short_hash
from periplus.model.ref import REF_MAX


class Wanted(msgspec.Struct, frozen=True, gc=False):
    """The name an operation asks for. `key` is unique here."""

    key: str
    area: str
    leaf: str
    method: str
    origin: str
    told: str = ""  # the area as it is told, where another one is called almost so


class Named(msgspec.Struct, frozen=True, gc=False):
    """What it got: its path, the one it had before if that changed, and whether others wanted it too."""

    path: str
    former: str = ""
    collided: bool = False


def wanted(key: str, areas: tuple[str, ...], leaf: str, method: str, origin: str) -> Wanted:
    """The raw texts of a draft as the segments they will be."""
    return Wanted(key, areas[0] if areas else "", leaf_segment(leaf), intern(segment(method.lower(), "")), origin)


def area_paths(areas: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    """All places of a tool as paths, each once, primary first."""
    return tuple(dict.fromkeys(area_path(area) for area in areas)) or ("",)


def settle_names(
    source: str,
    asked: Sequence[Wanted],
    stored: Mapping[str, str],
    retired: Mapping[str, str],
) -> list[Named]:
    """One path each, in the order asked, depending on nothing but the set (and on what is stored already).

    A stored operation keeps its path while its area stays. Of the rest, all that want one path get their method
    behind it, and those still equal get a hash of where they come from.
    """
    room = REF_MAX - len(source) - 1
    paths: dict[str, str] = {want.key: kept for want in asked if (kept := _kept(want, stored, room))}
    own = {key: path for path, key in retired.items()}  # who comes back gets its old name back
    settled = set(paths.values()) | (retired.keys() - {own[want.key] for want in asked if want.key in own})
    open_ = [want for want in asked if want.key not in paths]
    collided: set[str] = set()
    for level in _LEVELS:
        names = [_fit(want.area, level(want), room) for want in open_]
        count = Counter(names)
        alone = [count[name] == 1 and name not in settled for name in names]
        paths.update((want.key, name) for want, name, ok in zip(open_, names, alone, strict=True) if ok)
        settled.update(name for name, ok in zip(names, alone, strict=True) if ok)
        open_ = [want for want, ok in zip(open_, alone, strict=True) if not ok]
        collided.update(want.key for want in open_)
        if not open_:
            break
    return [_named(paths[want.key], stored.get(want.key, ""), want.key in collided) for want in asked]


def _named(path: str, before: str, collided: bool) -> Named:  # noqa: FBT001 - a value, not a switch
    return Named(path, before if before != path else "", collided)


def _kept(want: Wanted, stored: Mapping[str, str], room: int) -> str | None:
    """The stored path, if it is still a name this operation could have got."""
    path = stored.get(want.key)
    if path is None:
        return None
    area, _, leaf = path.rpartition("/")
    fits = area in {want.area, want.told or want.area} and (leaf == want.leaf or leaf.startswith(f"{want.leaf}_"))
    return path if fits or path == _fit(want.area, want.leaf, room) else None


# What a leaf becomes while others want the same: it, with its method, with a hash of its origin, of its key.
_LEVELS: tuple[Callable[[Wanted], str], ...] = (
    lambda want: want.leaf,
    lambda want: _with(want.leaf, want.method),
    lambda want: _with(_with(want.leaf, want.method), short_hash(want.origin, 4)),
    lambda want: _with(_with(want.leaf, want.method), short_hash(want.origin, 12)),
    lambda want: _with(_with(want.leaf, want.method), short_hash(want.key, 40)),
)


def _with(leaf: str, suffix: str) -> str:
    return f"{leaf}_{suffix}" if suffix else leaf


def _fit(area: str, leaf: str, room: int) -> str:
    path = f"{area}/{leaf}" if area else leaf
    if len(path) <= room:
        return path
    keep = room - len(leaf) - 8
    return f"{area[: max(keep, 0)].rstrip('/')}_{short_hash(area, 6)}/{leaf}"
