"""What an author wrote, as far as it can be stored and checked: halves of characters and odd patterns go."""

from __future__ import annotations

from functools import lru_cache
from typing import TypeVar, cast

import jsonschema_rs

from periplus.sources.python.findings import Findings

_ENGINE = jsonschema_rs.RegexOptions()
_DATA = frozenset({"const", "enum", "default", "examples", "properties", "$defs"})
Value = TypeVar("Value")


def tidied(value: Value, findings: Findings | None = None, *, is_schema: bool = True) -> Value:
    """The value with each lone surrogate replaced and, in schemas, patterns left out that the validator cannot run."""
    return cast("Value", _tidied(value, findings, is_schema=is_schema))


def _tidied(value: object, findings: Findings | None, *, is_schema: bool) -> object:
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf-8", "replace").decode()
    if isinstance(value, list | tuple):
        return [_tidied(item, findings, is_schema=is_schema) for item in value]
    if not isinstance(value, dict):
        return value
    made: dict[object, object] = {}
    for key, item in value.items():
        if is_schema and key == "pattern" and isinstance(item, str) and not runs(item):
            if findings:
                findings.pattern(item)
            continue
        # Below `properties` stand names, below `default` data: neither is a keyword there.
        inside = is_schema and key not in _DATA
        made[_tidied(key, None, is_schema=False)] = (
            {name: _tidied(each, findings, is_schema=True) for name, each in item.items()}
            if is_schema and key == "properties" and isinstance(item, dict)
            else _tidied(item, findings, is_schema=inside)
        )
    return made


@lru_cache(maxsize=4096)
def runs(pattern: str) -> bool:
    """Whether the validator's engine can run a pattern."""
    try:
        jsonschema_rs.validator_for({"pattern": pattern}, pattern_options=_ENGINE)
    except (jsonschema_rs.ValidationError, ValueError):
        return False
    return True
