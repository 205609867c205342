"""All definitions of all directories as one snapshot, read again only where a file has changed (W-26)."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from functools import partial

import msgspec

from periplus.core.workflows.checks import checked
from periplus.core.workflows.definition import META, Definition, binds_tools
from periplus.core.workflows.loading import Folder, folders, load
from periplus.core.workflows.problems import LoadCode, LoadProblem, Severity
from periplus.core.workflows.snapshot import Snapshot
from periplus.model import Problem
from periplus.ports.shelves import Listed, Shelf

Place = tuple[int, str]
"""A layer and a folder in it."""


class Library:
    """Reads directories of definitions; `look` waits for a disk and belongs in a thread."""

    def __init__(
        self, shelves: Sequence[Shelf], shipped: Shelf, *, examples: bool, terminal: Sequence[str] = ()
    ) -> None:
        self._shelves = (*shelves, shipped)
        self._examples = examples
        self._terminal = frozenset(terminal)
        self._lock = threading.Lock()
        self._seen: tuple[tuple[Listed, ...], ...] = ()
        self._away: tuple[str, ...] = ()
        self._loaded: dict[Place, tuple[tuple[Listed, ...], Definition]] = {}
        self._good: dict[Place, Definition] = {}
        self._snapshot = Snapshot()
        self._binds: tuple[Snapshot, bool] | None = None

    @property
    def binds_tools(self) -> bool:
        """Whether a step of some definition runs a tool, as it was last read; the first time it is read for this."""
        snapshot = self._snapshot if self._seen else self.look()
        if self._binds is None or self._binds[0] is not snapshot:
            self._binds = (snapshot, binds_tools(snapshot.definitions))
        return self._binds[1]

    def look(self) -> Snapshot:
        """What the directories hold now; one call sees one state."""
        with self._lock:
            seen, away = self._listings()
            if seen != self._seen or away != self._away:
                self._read(seen)
                self._seen, self._away = seen, away
                self._snapshot = msgspec.structs.replace(self._snapshot, away=away)
            return self._snapshot

    def _listings(self) -> tuple[tuple[tuple[Listed, ...], ...], tuple[str, ...]]:
        """Every directory's files; of one that is away, those it had."""
        listings: list[tuple[Listed, ...]] = []
        away: list[str] = []
        for layer, shelf in enumerate(self._shelves):
            if self._seen and layer == len(self._shelves) - 1:
                listings.append(self._seen[layer])  # what came with the package stays while the process runs
                continue
            try:
                listings.append(shelf.files())
            except Problem as problem:
                listings.append(self._seen[layer] if self._seen else ())
                away.append(problem.message)
        return tuple(listings), tuple(away)

    def _read(self, seen: tuple[tuple[Listed, ...], ...]) -> None:
        loaded: dict[Place, tuple[tuple[Listed, ...], Definition]] = {}
        for layer, files in enumerate(seen):
            for name, own in folders(files).items():
                before = self._loaded.get((layer, name))
                loaded[layer, name] = before if before and before[0] == own else (own, self._load(layer, name, own))
        self._loaded = loaded
        every, lost = _once([one for _, one in loaded.values()])
        if not self._examples:
            every = [one for one in every if not one.shipped or one.folder == META]
        snapshot = Snapshot(definitions=tuple(every), lost=tuple(lost))
        every = [checked(one, snapshot, self._terminal) for one in every]
        for one in every:
            if one.is_whole:
                self._good[one.layer, one.folder] = one
        self._snapshot = Snapshot(definitions=tuple(every), lost=tuple(lost), good=dict(self._good))

    def _load(self, layer: int, name: str, files: tuple[Listed, ...]) -> Definition:
        shelf = self._shelves[layer]
        shipped = layer == len(self._shelves) - 1
        return load(Folder(name=name, layer=layer, shipped=shipped, files=files, read=partial(shelf.read)))


def _once(every: Sequence[Definition]) -> tuple[list[Definition], list[LoadProblem]]:
    """Definitions without those whose id another one has already; `meta` is put together from all layers."""
    kept: dict[str, Definition] = {}
    metas: list[Definition] = []
    lost: list[LoadProblem] = []
    for one in every:
        if one.folder == META:
            metas.append(one)
            continue
        first = kept.setdefault(one.id, one)
        if first is not one:
            lost += (*one.problems, _loses(one, first))
    return [*sorted(kept.values(), key=lambda one: one.id), *metas], lost


def _loses(one: Definition, first: Definition) -> LoadProblem:
    same = one.layer == first.layer
    return LoadProblem(
        severity=Severity.ERROR if same else Severity.WARNING,
        code=LoadCode.DUPLICATE_ID if same else LoadCode.SHADOWED,
        workflow=one.folder,
        file=one.folder,
        message=f"the id {one.id!r} is that of {first.folder!r}{'' if same else ' in a directory before this one'}",
    )
