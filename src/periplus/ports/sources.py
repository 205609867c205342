"""A description becomes drafts."""

from __future__ import annotations

from typing import ClassVar, Protocol

from periplus.model import Document, Reading, SourceSpec, Unchanged
from periplus.ports.wires import Wires


class Source(Protocol):
    """One kind of description.

    Found by the name of its module in `periplus.sources`, or by an entry point of that group.
    """

    kind: ClassVar[str]

    async def read(self, spec: SourceSpec, wires: Wires, known: Document | None) -> Reading | Unchanged:
        """Read the description; `known` is what was read last time, for conditional requests (S-106).

        Fetches everything first, then gives a stream of drafts that needs no more input. No input raises
        anything but `Problem`, and a fault inside costs only the smallest thing it spoils (S-3).
        """
        ...
