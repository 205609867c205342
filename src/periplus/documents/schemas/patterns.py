"""Whether the validator's linear-time engine can run a pattern: servers write for other engines."""

from __future__ import annotations

from functools import lru_cache

import jsonschema_rs

_ENGINE = jsonschema_rs.RegexOptions()


@lru_cache(maxsize=16_384)
def runs(pattern: str) -> bool:
    """Look-around and back references do not, and what is no regular expression neither."""
    try:
        jsonschema_rs.validator_for({"pattern": pattern}, pattern_options=_ENGINE)
    except (jsonschema_rs.ValidationError, ValueError):
        return False
    return True
