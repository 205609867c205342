"""The index of the values that a conversation keeps by name, and what has to go where they grow too many (H-70)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from periplus.core.sequence.names import NUMBERED, STEP

VALUE_BYTES, ALL_BYTES = 32 << 20, 64 << 20
LAST = "last"
# The index is read and written with every call.
_MOST, NUMBERED_MOST = 1000, 100


class Named(msgspec.Struct, frozen=True, kw_only=True, array_like=True):
    """A value under a name: where it lies, and what it looks like; stored as a row, for there are many."""

    handle: str
    size: int
    outline: str
    tool: str
    at: float


class Shelf(msgspec.Struct, frozen=True, kw_only=True):
    """All of a conversation's, oldest first."""

    names: dict[str, Named] = {}
    count: int = 0  # how many values were numbered so far

    @property
    def last(self) -> str:
        """The newest numbered value; empty where there is none."""
        return f"r{self.count}" if f"r{self.count}" in self.names else ""

    def found(self, name: str) -> Named | None:
        return self.names.get(self.last if name == LAST else name)

    def since(self, moment: float) -> Shelf:
        """What was put there after a moment: the values before it have ended."""
        if all(one.at > moment for one in self.names.values()):
            return self
        kept = {name: one for name, one in self.names.items() if one.at > moment}
        return msgspec.structs.replace(self, names=kept)

    def without_steps(self) -> Shelf:
        """As the next sequence finds it: the values of the one before are known by their own names alone."""
        kept = {name: one for name, one in self.names.items() if not STEP.fullmatch(name)}
        return msgspec.structs.replace(self, names=kept)

    def numbered(self) -> tuple[Shelf, str]:
        """One more number, and the name it gives."""
        return msgspec.structs.replace(self, count=self.count + 1), f"r{self.count + 1}"

    def put(self, names: Sequence[str], value: Named) -> Shelf:
        """A value under its names; it is the newest there is."""
        kept = {name: one for name, one in self.names.items() if name not in names}
        return msgspec.structs.replace(self, names=kept | dict.fromkeys(names, value))

    def fitted(self) -> tuple[Shelf, tuple[str, ...]]:
        """As much of it as may be kept, and the names that went for want of room: given ones first, oldest first.

        Of numbered ones the newest stay, and nobody is told of the others: they were never asked for by name.
        """
        names = dict(self.names)
        numbered = [name for name in names if NUMBERED.fullmatch(name)]
        for name in numbered[:-NUMBERED_MOST]:
            del names[name]
        gone: list[str] = []
        if _size(names) > ALL_BYTES or len(names) > _MOST:
            for name in _in_order_of_leaving(dict(names)):
                del names[name]
                gone.append(name)
                if _size(names) <= ALL_BYTES and len(names) <= _MOST:
                    break
        return msgspec.structs.replace(self, names=names), tuple(gone)

    def handles(self) -> frozenset[str]:
        return frozenset(one.handle for one in self.names.values())


def _in_order_of_leaving(names: dict[str, Named]) -> Iterator[str]:
    given = [name for name in names if NUMBERED.fullmatch(name) or STEP.fullmatch(name)]
    yield from given
    yield from (name for name in names if name not in given)


def _size(names: dict[str, Named]) -> int:
    """What they take; two names of one value take it once."""
    return sum({one.handle: one.size for one in names.values()}.values())


def read_shelf(text: bytes) -> Shelf:
    """The index from its stored form."""
    return msgspec.json.decode(text, type=Shelf)


def shelf_text(shelf: Shelf) -> bytes:
    """The index as it is stored, sealed: what a value looks like is told by the names of its members."""
    return msgspec.json.encode(shelf)
