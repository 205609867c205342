"""How the tools of a source are placed beyond what the source says: divided areas, and areas of work."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from periplus.core.intake.drafts import Entry
from periplus.core.intake.fanout import Standing, divided
from periplus.core.intake.names import Named
from periplus.core.taxonomy.areas import Subject, Taxonomy
from periplus.model import Node


class Placing(msgspec.Struct, frozen=True, kw_only=True):
    """What an operator wants of the tree."""

    most: int = 60  # tools in an area before it is divided; 0: any
    taxonomy: Taxonomy | None = None

    @property
    def version(self) -> str:
        """Another one means that stored sources are placed anew."""
        return f"{self.most}{self.taxonomy.version if self.taxonomy else ''}"

    def places(
        self, source: str, entries: Sequence[Entry], named: Sequence[Named], about: tuple[str, ...]
    ) -> list[tuple[str, ...]]:
        """The places of every tool of a source; `about` is what the source says of itself."""
        paths = [entry.paths for entry in entries]
        if self.taxonomy:
            leaning = self.taxonomy.leaning(*about)
            paths = [
                (*own, self.taxonomy.place(_subject(source, entry, name), leaning))
                for own, entry, name in zip(paths, entries, named, strict=True)
            ]
        standing = [
            Standing(name.path.rpartition("/")[2], own, entry.hidden)
            for entry, name, own in zip(entries, named, paths, strict=True)
        ]
        moved = divided(standing, self.most)
        return [moved.get(number, own) for number, own in enumerate(paths)] if moved else paths

    def nodes(self) -> list[Node]:
        """The nodes that no source describes."""
        return self.taxonomy.nodes() if self.taxonomy else []


def _subject(source: str, entry: Entry, named: Named) -> Subject:
    return Subject(
        ref=f"{source}/{named.path}",
        leaf=entry.want.leaf,
        areas=entry.paths,
        tags=entry.tags,
        summary=entry.summary,
    )
