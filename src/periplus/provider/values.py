"""Python values as the JSON a caller would write for them."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from datetime import date, time, timedelta
from decimal import Decimal
from enum import Enum
from ipaddress import IPv4Address, IPv6Address
from math import isfinite
from pathlib import PurePath
from typing import Any, Final
from uuid import UUID

import msgspec

from periplus.provider.foreign import Fault, attempt

_DEEP = 40
_WHOLE = 1 << 63


class Nothing:
    """No JSON says this."""


NOTHING: Final = Nothing()


def jsonable(value: Any, depth: int = 0) -> Any:  # noqa: PLR0911 - one line per kind of value
    """The JSON form of a value, or `NOTHING`; bytes have none, since a text there would mean a text."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, Enum):
        return enum_value(value)
    if isinstance(value, str):
        return str(value).encode("utf-8", "replace").decode()
    if isinstance(value, int):
        return int(value) if -_WHOLE <= value < _WHOLE else NOTHING
    if isinstance(value, float):
        return float(value) if isfinite(value) else NOTHING
    if isinstance(value, date | time | timedelta | UUID | Decimal):
        return msgspec.to_builtins(value)
    if isinstance(value, PurePath | IPv4Address | IPv6Address):
        return str(value)
    return _gathered(value, depth + 1) if depth < _DEEP else NOTHING


def enum_value(member: Enum) -> Any:
    """An enum member goes by its value where JSON can say all values of its class, else by its name."""
    return member.value if goes_by_value(type(member)) else member.name


def goes_by_value(kind: type[Enum]) -> bool:
    return all(
        isinstance(each.value, str | bool | int | float) and not isinstance(jsonable(each.value), Nothing)
        for each in kind
    )


def _gathered(value: Any, depth: int) -> Any:
    if isinstance(value, Mapping):
        names = [jsonable(name, depth) for name in value]
        items = [jsonable(item, depth) for item in value.values()]
        if not all(isinstance(name, str) for name in names):
            return NOTHING
        return NOTHING if NOTHING in items else dict(zip(names, items, strict=True))
    if isinstance(value, list | tuple | AbstractSet):
        items = [jsonable(item, depth) for item in value]
        return NOTHING if NOTHING in items else items
    members = _members(value)
    return NOTHING if members is None else jsonable(members, depth)


def _members(value: Any) -> Any:
    """An object of a class made of fields, as the object a caller writes for it."""
    dump = getattr(value, "model_dump", None)
    if callable(dump):
        dumped = attempt(lambda: dump(mode="json", by_alias=True))
        return None if isinstance(dumped, Fault) else dumped
    if isinstance(value, msgspec.Struct):
        built = attempt(lambda: msgspec.to_builtins(value))
        return None if isinstance(built, Fault) else built
    fields = getattr(type(value), "__dataclass_fields__", None)
    if not isinstance(fields, Mapping):
        return None
    return {name: getattr(value, name, NOTHING) for name, field in fields.items() if field.init}
