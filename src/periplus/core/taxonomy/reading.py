"""A taxonomy as it is written: a table for each area, its path as the name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from periplus.core.taxonomy.areas import Area, Taxonomy
from periplus.model import Code, Problem, area_path, fold

_DEEPEST = 4
_HINT = 'write ["Finance/Invoices"] with words = ["invoice", ...], tags and refs as you like'


def read_taxonomy(tree: Mapping[str, Any], origin: str) -> Taxonomy:
    """The taxonomy of a TOML tree, or what is wrong with it."""
    areas: list[Area] = []
    spelled: dict[str, str] = {}
    for path, table in tree.items():
        names = path.split("/")
        if not all(name.strip() for name in names) or len(names) > _DEEPEST or not isinstance(table, dict):
            raise Problem(Code.BAD_SETTING, f"{origin}: {path!r} is no area", hints=(_HINT,))
        _check_apart(path, spelled, origin)
        try:
            areas.append(msgspec.convert({"path": path, **table}, Area))
        except msgspec.ValidationError as error:
            raise Problem(Code.BAD_SETTING, f"{origin}: {path!r}: {error}", hints=(_HINT,)) from error
    if not areas:
        raise Problem(Code.BAD_SETTING, f"{origin} has no areas", hints=(_HINT,))
    return Taxonomy(areas)


def _check_apart(path: str, spelled: dict[str, str], origin: str) -> None:
    """Refuse an area that is called as another one, but for case and punctuation (E-5)."""
    names = tuple(path.split("/"))
    for end in range(1, len(names) + 1):
        written = area_path(names[:end])
        other = spelled.setdefault("/".join(fold(name) for name in written.split("/")), written)
        if other != written:
            raise Problem(
                Code.BAD_SETTING,
                f"{origin}: {written!r} and {other!r} differ only in case or punctuation",
                hints=("write one name in one way",),
            )
