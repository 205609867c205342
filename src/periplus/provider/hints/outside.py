"""Classes of pydantic, which describe themselves. It is asked only where the author has loaded it."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from periplus.model import Schema
from periplus.provider.foreign import Fault, attempt
from periplus.provider.values import Nothing, jsonable


def describes_itself(kind: type) -> bool:
    """Whether a class is a pydantic model or a pydantic dataclass."""
    return "pydantic" in sys.modules and callable(getattr(kind, "__get_pydantic_core_schema__", None))


def own_schema(hint: Any, *, gives: bool, complain: Callable[[str], None]) -> Schema:
    """What pydantic says of a hint, for what is given back (`gives`) or taken."""
    pydantic = sys.modules["pydantic"]
    mode = "serialization" if gives else "validation"
    found = attempt(lambda: pydantic.TypeAdapter(hint).json_schema(mode=mode))
    if isinstance(found, Fault):
        complain(f"pydantic cannot describe {getattr(hint, '__name__', hint)}: {found}")
        return {}
    written = jsonable(found)
    return {} if isinstance(written, Nothing) else written
