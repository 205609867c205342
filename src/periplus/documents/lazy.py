"""Objects whose members are decoded only when asked for: a large document is walked without being held."""

from __future__ import annotations

from collections.abc import ItemsView, Iterator, Mapping
from typing import Any

import msgspec

from periplus.documents.decode import clean_text, decode, looks_like_json
from periplus.documents.json_text import check_size, decode_part
from periplus.documents.values import DEFAULT_LIMITS, DecodeLimits, Note, Notes
from periplus.model import Code, Problem

_MEMBERS = msgspec.json.Decoder(dict[str, msgspec.Raw])


class LazyObject(Mapping[str, Any]):
    """A JSON object over its own text. Each access decodes that member anew and keeps nothing.

    `notes` tells what was read leniently before the members were told apart; only the top level has any.
    """

    def __init__(self, members: Mapping[str, Any], notes: tuple[Note, ...] = ()) -> None:
        self._members = members
        self.notes = notes

    def __getitem__(self, key: str) -> Any:
        return _value(self._members[key])

    def __iter__(self) -> Iterator[str]:
        return iter(self._members)

    def __len__(self) -> int:
        return len(self._members)

    def __contains__(self, key: object) -> bool:
        return key in self._members

    def items(self) -> ItemsView[str, Any]:
        """Pairs whose values are decoded one at a time, as the loop reaches them."""
        return ItemsView(self)

    def opened(self, key: str) -> LazyObject | None:
        """The member as a lazy object itself, or None where it is missing or no object."""
        member = self._members.get(key)
        if isinstance(member, dict):
            return LazyObject(member)
        if not isinstance(member, msgspec.Raw):
            return None
        return _over(member)


def members(
    data: bytes,
    *,
    name: str,
    media_type: str | None = None,
    limits: DecodeLimits = DEFAULT_LIMITS,
) -> LazyObject:
    """The top level of a document, member by member; YAML and lenient JSON are decoded whole behind it."""
    notes = Notes(name)
    clean = clean_text(data, notes, name=name, media_type=media_type, limits=limits)
    if looks_like_json(clean):
        check_size(clean, name, limits)
        lazy = _over(clean, notes.all())
        if lazy is not None:
            return lazy
    decoded = decode(clean, name=name, media_type=media_type, limits=limits)
    if not isinstance(decoded.value, dict):
        raise Problem(
            Code.PARSE_ERROR,
            f"{name}: a list came; an object was expected",
            hints=("use the address of one description",),
            where=name,
        )
    return LazyObject(decoded.value, notes.all() + decoded.notes)


def _over(text: bytes | msgspec.Raw, notes: tuple[Note, ...] = ()) -> LazyObject | None:
    try:
        return LazyObject(_MEMBERS.decode(text), notes)
    except (msgspec.DecodeError, RecursionError):
        return None


def _value(member: Any) -> Any:
    return decode_part(member) if isinstance(member, msgspec.Raw) else member
