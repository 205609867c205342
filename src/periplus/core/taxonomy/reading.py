"""A taxonomy as it is written: a table for each area, its path as the name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from periplus.core.taxonomy.areas import Area, Taxonomy
from periplus.model import Code, Problem

_DEEPEST = 4
_HINT = 'write ["Finance/Invoices"] with words = ["invoice", ...], tags and refs as you like'


def read_taxonomy(tree: Mapping[str, Any], origin: str) -> Taxonomy:
    """The taxonomy of a TOML tree, or what is wrong with it."""
    areas: list[Area] = []
    for path, table in tree.items():
        names = path.split("/")
        if not all(name.strip() for name in names) or len(names) > _DEEPEST or not isinstance(table, dict):
            raise Problem(Code.BAD_SETTING, f"{origin}: {path!r} is no area", hints=(_HINT,))
        try:
            areas.append(msgspec.convert({"path": path, **table}, Area))
        except msgspec.ValidationError as error:
            raise Problem(Code.BAD_SETTING, f"{origin}: {path!r}: {error}", hints=(_HINT,)) from error
    if not areas:
        raise Problem(Code.BAD_SETTING, f"{origin} has no areas", hints=(_HINT,))
    return Taxonomy(areas)
