"""How the tools of a source are placed beyond what the source says: divided areas, and areas of work."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet

import msgspec

from periplus.core.intake.drafts import Entry
from periplus.core.intake.fanout import Standing, divided
from periplus.core.intake.levels import told_apart
from periplus.core.intake.names import Named
from periplus.core.taxonomy.areas import Subject, Taxonomy
from periplus.model import Node


class Held(msgspec.Struct, frozen=True, kw_only=True):
    """What is settled of a source's tree before its tools are placed."""

    areas: Mapping[str, str]  # called otherwise than they are told
    places: AbstractSet[str]  # where its tools stand until now


class Placing(msgspec.Struct, frozen=True, kw_only=True):
    """What an operator wants of the tree."""

    most: int = 60  # tools in an area before it is divided; 0: any
    taxonomy: Taxonomy | None = None

    @property
    def version(self) -> str:
        """Another one means that stored sources are placed anew."""
        return f"{self.most}{self.taxonomy.version if self.taxonomy else ''}"

    def places(
        self, source: str, entries: Sequence[Entry], named: Sequence[Named], about: tuple[str, ...], held: Held
    ) -> list[tuple[str, ...]]:
        """The places of every tool of a source; `about` is what the source says of itself, its title first."""
        paths = _called([entry.paths for entry in entries], held.areas)
        fixed = {path for own in set(paths) for path in own} | {node.path for node in self.nodes()}
        if self.taxonomy:
            leaning, otherwise = self.taxonomy.leaning(*about), self.taxonomy.called(about[0])
            paths = [
                (*own, self.taxonomy.place(_subject(source, entry, name), leaning, otherwise))
                for own, entry, name in zip(paths, entries, named, strict=True)
            ]
        standing = [
            Standing(name.path.rpartition("/")[2], own, entry.hidden)
            for entry, name, own in zip(entries, named, paths, strict=True)
        ]
        moved = divided(standing, self.most)
        paths = [moved.get(number, own) for number, own in enumerate(paths)] if moved else paths
        stood = {path for own in set(paths) for path in own}
        return _called(paths, told_apart(source, stood - fixed, fixed=fixed, held=held.places))

    def nodes(self) -> list[Node]:
        """The nodes that no source describes."""
        return self.taxonomy.nodes() if self.taxonomy else []


def _called(paths: list[tuple[str, ...]], areas: Mapping[str, str]) -> list[tuple[str, ...]]:
    return [tuple(areas.get(path, path) for path in own) for own in paths] if areas else paths


def _subject(source: str, entry: Entry, named: Named) -> Subject:
    return Subject(
        ref=f"{source}/{named.path}",
        leaf=entry.want.leaf,
        areas=entry.paths,
        tags=entry.tags,
        summary=entry.summary,
    )
