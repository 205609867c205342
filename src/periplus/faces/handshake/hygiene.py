"""How much of a result is wanted: members that stand beside the parameters or among them (H-58)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from periplus.faces.handshake.arguments import number
from periplus.faces.handshake.errors import refusal
from periplus.model import Code, Tool

MEMBERS = ("_select", "_filter", "_limit", "_offset")
_MOST = 10_000


class Part(msgspec.Struct, frozen=True, kw_only=True):
    """The part of a result that is asked for."""

    select: str | tuple[str, ...] = ""
    filter: str | dict[str, Any] = ""
    limit: int | None = None
    offset: int = 0
    notes: tuple[str, ...] = ()

    @property
    def is_whole(self) -> bool:
        return not (self.select or self.filter or self.limit is not None or self.offset)

    def written(self) -> dict[str, Any]:
        """As somebody would write it again."""
        select = list(self.select) if isinstance(self.select, tuple) else self.select
        said = {"_select": select, "_filter": self.filter, "_limit": self.limit, "_offset": self.offset}
        return {name: value for name, value in said.items() if value}


def split(tool: Tool, parameters: Mapping[str, Any], beside: Mapping[str, Any]) -> tuple[dict[str, Any], Part]:
    """The parameters of an action, and the part of its result that is wanted; a name the tool has is the tool's."""
    properties = tool.args_schema.get("properties")
    own = properties if isinstance(properties, dict) else {}
    inside = {name: parameters[name] for name in MEMBERS if name in parameters and name not in own}
    rest = {name: value for name, value in parameters.items() if name not in inside}
    return rest, part_of({**inside, **{name: beside[name] for name in MEMBERS if beside.get(name) is not None}})


def part_of(said: Mapping[str, Any]) -> Part:
    """What these members ask for."""
    notes: list[str] = []
    limit, offset = said.get("_limit"), said.get("_offset")
    return Part(
        select=_select(said.get("_select")),
        filter=_filter(said.get("_filter")),
        limit=None if limit is None else number("_limit", limit, _MOST, notes),
        offset=0 if offset is None else number("_offset", offset, _MOST, notes),
        notes=tuple(notes),
    )


def _select(given: Any) -> str | tuple[str, ...]:
    value = _decoded(given)
    if not value and not isinstance(value, int | float):
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, list) and all(isinstance(one, str) for one in value):
        return tuple(value)
    raise refusal(
        Code.BAD_INPUT, f"_select is {str(given)[:80]}", 'Write _select="id,owner.email", or a list of texts.'
    )


def _filter(given: Any) -> str | dict[str, Any]:
    value = _decoded(given)
    if value is None or isinstance(value, str | dict):
        return value or ""
    raise refusal(Code.BAD_INPUT, f"_filter is {str(given)[:80]}", 'Write _filter="status=open, length_m>=30".')


def _decoded(given: Any) -> Any:
    """A list or an object that came as text."""
    if isinstance(given, str) and given.lstrip().startswith(("[", '{"')):
        try:
            return msgspec.json.decode(given)
        except msgspec.DecodeError:
            return given
    return given
