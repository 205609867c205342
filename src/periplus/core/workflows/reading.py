"""A decoded part of a definition held against the model: every fault named, every default written, nothing dropped."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, NamedTuple

import msgspec
from msgspec import inspect

from periplus.core.workflows.condition_text import text_of
from periplus.core.workflows.conditions import Condition

_SHOWN = 60
_CONDITIONS = frozenset({"condition", "breakCondition"})


class Fault(NamedTuple):
    """A place, by its path inside the file, and what is wrong there."""

    where: str
    message: str


class Reading(msgspec.Struct, kw_only=True):
    """What was noticed of one file."""

    faults: list[Fault] = []
    unknown: list[str] = []

    def fault(self, where: str, message: str) -> Any:
        """Note a fault; what is faulty has no value."""
        self.faults.append(Fault(where or "the file", message))


def read(value: Any, kind: Any) -> tuple[Any, Reading]:
    """A value as answers show it, with defaults and texts of conditions; meaningless where there are faults."""
    reading = Reading()
    return _read(value, _info(kind), "", reading), reading


@cache
def _info(kind: Any) -> Any:
    return inspect.type_info(kind)


def _read(value: Any, info: Any, where: str, reading: Reading) -> Any:  # noqa: PLR0911 - one for each kind of value
    match info:
        case inspect.AnyType():
            return value
        case inspect.StructType():
            return _object(value, info, where, reading)
        case inspect.VarTupleType():
            return _list(value, info, where, reading)
        case inspect.DictType():
            return _mapping(value, info, where, reading)
        case inspect.UnionType():
            return _union(value, info, where, reading)
        case inspect.LiteralType():
            if value in info.values and isinstance(value, str):
                return value
            return reading.fault(where, f"{_shown(value)} is none of {', '.join(map(str, info.values))}")
        case _:
            return _scalar(value, info, where, reading)


def _object(value: Any, info: inspect.StructType, where: str, reading: Reading) -> Any:
    if not isinstance(value, Mapping):
        return reading.fault(where, f"{_shown(value)} is not an object")
    known = {field.encode_name: field for field in info.fields}
    done: dict[str, Any] = {info.tag_field: info.tag} if info.tag_field else {}
    for name, field in known.items():
        if name in value:
            done[name] = _read(value[name], field.type, _inside(where, name), reading)
            if name in _CONDITIONS and not reading.faults:
                done[f"{name}_text"] = text_of(msgspec.convert(done[name], Condition))
        elif field.required:
            reading.fault(_inside(where, name), "is missing")
        elif _is_written(field):
            done[name] = field.default
    for name in value:
        if name not in known and name != info.tag_field:
            _note_unknown(name, info, where, reading)
            done.setdefault(name, value[name])
    return done


def _note_unknown(name: str, info: inspect.StructType, where: str, reading: Reading) -> None:
    if info.forbid_unknown_fields:
        reading.fault(_inside(where, name), "is no key here")
    else:
        reading.unknown.append(_inside(where, name))


def _is_written(field: inspect.Field) -> bool:
    """Flags and counts have a default that answers show; what is merely optional has none."""
    return isinstance(field.default, bool | int)


def _list(value: Any, info: inspect.VarTupleType, where: str, reading: Reading) -> Any:
    if not isinstance(value, list | tuple):
        return reading.fault(where, f"{_shown(value)} is not a list")
    if info.min_length is not None and len(value) < info.min_length:
        return reading.fault(where, f"has {len(value)} items; {info.min_length} are the least")
    return [_read(item, info.item_type, f"{where}[{number}]", reading) for number, item in enumerate(value)]


def _mapping(value: Any, info: inspect.DictType, where: str, reading: Reading) -> Any:
    if not isinstance(value, Mapping):
        return reading.fault(where, f"{_shown(value)} is not an object")
    return {str(name): _read(item, info.value_type, _inside(where, str(name)), reading) for name, item in value.items()}


def _union(value: Any, info: inspect.UnionType, where: str, reading: Reading) -> Any:
    """The branch that a value is of: by its tag, else by what kind of value it is."""
    branches = [branch for branch in info.types if not isinstance(branch, inspect.NoneType)]
    tagged = {str(branch.tag): branch for branch in branches if isinstance(branch, inspect.StructType) and branch.tag}
    if tagged and isinstance(value, Mapping):
        branch = tagged.get(str(value.get("type")))
        if branch is None:
            return reading.fault(_inside(where, "type"), f"{_shown(value.get('type'))} is none of {', '.join(tagged)}")
        return _read(value, branch, where, reading)
    if value is None and len(branches) > 2:  # a value that may be null; an optional part is left out instead
        return None
    trials = list(_trials(value, branches, where))
    best = min(trials, key=lambda trial: len(trial[1].faults))
    reading.faults += best[1].faults
    reading.unknown += best[1].unknown
    return _with_location(best[0], value, branches)


def _trials(value: Any, branches: list[Any], where: str) -> Iterator[tuple[Any, Reading]]:
    fitting = [branch for branch in branches if isinstance(value, Mapping) == isinstance(branch, inspect.StructType)]
    for branch in fitting or branches:
        reading = Reading()
        yield _read(value, branch, where, reading), reading


def _with_location(done: Any, value: Any, branches: list[Any]) -> Any:
    """The short form of a place, written out: a text where an object with a `path` would do."""
    places = [one for one in branches if isinstance(one, inspect.StructType) and one.cls.__name__ == "Location"]
    return {"path": value, "gitignored": False} if places and isinstance(value, str) else done


def _scalar(value: Any, info: Any, where: str, reading: Reading) -> Any:
    if not _is_of(value, info):
        quotes = ": put it in quotes" if isinstance(info, inspect.StrType) and isinstance(value, int | float) else ""
        return reading.fault(where, f"{_shown(value)} is not {_wanted(info)}{quotes}")
    if isinstance(info, inspect.StrType):
        if info.min_length and not value:
            return reading.fault(where, "is empty")
        if info.pattern and not re.search(info.pattern, str(value)):
            return reading.fault(where, f"{_shown(value)} does not match {info.pattern}")
    if isinstance(info, inspect.IntType) and info.gt is not None and value <= info.gt:
        return reading.fault(where, f"{value} is not more than {info.gt}")
    return value


def _is_of(value: Any, info: Any) -> bool:
    match info:
        case inspect.StrType():
            return isinstance(value, str)
        case inspect.BoolType():
            return isinstance(value, bool)
        case inspect.IntType():
            return isinstance(value, int) and not isinstance(value, bool)
        case _:
            return isinstance(value, int | float) and not isinstance(value, bool)


def _wanted(info: Any) -> str:
    match info:
        case inspect.StrType():
            return "a text"
        case inspect.BoolType():
            return "true or false"
        case inspect.IntType():
            return "a whole number"
        case _:
            return "a number"


def _inside(where: str, name: str) -> str:
    return f"{where}.{name}" if where else name


def _shown(value: Any) -> str:
    if isinstance(value, Mapping):
        return "an object"
    if isinstance(value, list | tuple):
        return "a list"
    text = msgspec.json.encode(value, enc_hook=str).decode()
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "..."
