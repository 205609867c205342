"""What must survive: the catalog on disk, and the changes it takes."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Protocol

import msgspec

from periplus.model import Node, Placed, Scope, SourceRecord, Tool, ToolLine, ToolRef, placed_mark
from periplus.ports.rows import Row


class Known(msgspec.Struct, frozen=True, gc=False):
    """What a store tells of a stored tool when its source is read again."""

    path: str
    fingerprint: str
    version: str
    places: tuple[str, ...] = ()  # below its source, in rising order; `~...` in a tree of its own

    @property
    def mark(self) -> str:
        """Changes whenever the tool does or stands elsewhere; an index keeps it."""
        return placed_mark(self.fingerprint, self.places)


class Shape(msgspec.Struct, frozen=True):
    """One shared schema definition of a source: its content hash, what it refers to directly, and itself."""

    hash: str
    refers: tuple[str, ...]
    schema: bytes  # JSON


class Change(msgspec.Struct, kw_only=True):
    """Everything one read of a source changes; a store applies it whole or not at all, as one revision."""

    record: SourceRecord  # with counts as they will be; `revision` is set by the store
    rows: Iterable[Row] = ()  # streamed once, in a worker thread; what it raises undoes the change
    removed: Sequence[str] = ()  # keys
    # All areas below the source with paths from its root, `""` being the source itself; None: as they were. A node
    # that is not listed lives while a tool stands in it. Stores count for themselves.
    nodes: Sequence[Node] | None = None
    shapes: Mapping[str, Shape] | None = None  # all definitions by name; None: as they were


class Store(Protocol):
    """The catalog on disk. Reads see one whole revision; `apply` is the only way tools change.

    Not here: what a name means (core), who may see what (a `Scope` comes in), the search index.
    """

    async def revision(self) -> int:
        """Grows by one with each applied change, by whichever process."""
        ...

    async def sources(self) -> Sequence[SourceRecord]: ...
    async def source(self, source: str) -> SourceRecord | None: ...

    async def known(self, source: str) -> Mapping[str, Known]:
        """Key -> what is stored, for a diff."""
        ...

    async def retired(self, source: str, since: float) -> Mapping[str, str]:
        """Paths that nobody else gets yet, and whose each was.

        Those of tools removed after `since` (epoch seconds), and all former ones of tools that live.
        """
        ...

    async def apply(self, change: Change, at: float) -> int:
        """Write one change in one transaction; the new revision.

        Two tools with one key or path are a `conflict`. What was acknowledged outlives the process.
        """
        ...

    async def mark(self, record: SourceRecord) -> None:
        """Keep a source's state, reason, spec or report without touching its tools or the revision."""
        ...

    async def remove(self, source: str, at: float) -> int:
        """Forget a source and all it brought; the new revision. Unknown: `source_not_found`."""
        ...

    async def tool(self, ref: ToolRef, scope: Scope) -> Tool | None:
        """One tool with its `$defs`; None when it is missing or out of scope, which look the same."""
        ...

    async def resolve(self, folded: str, scope: Scope, limit: int) -> Sequence[tuple[ToolRef, tuple[str, ...]]]:
        """Visible tools with this normalised name or alias, in order of ref, each with its names as written.

        Those are its ref, path, leaf, aliases and former refs.
        """
        ...

    async def node(self, path: str, scope: Scope) -> Node | None:
        """A visible node, counted inside the scope; `""` is the root."""
        ...

    async def nodes_at(self, paths: Sequence[str], scope: Scope) -> Sequence[Node]:
        """Those of these nodes that are visible, as `node` gives them."""
        ...

    async def children(self, path: str, scope: Scope, after: str, limit: int, *, depth: int = 1) -> Sequence[Node]:
        """Visible nodes below this one in order of path, those after `after`: so many levels of them; 0: all."""
        ...

    async def tags(self, paths: Sequence[str], scope: Scope, limit: int) -> Mapping[str, tuple[str, ...]]:
        """For each of these nodes the tags that visible tools below it have, the most frequent first.

        None of a node with so many tools that not all of them are looked at.
        """
        ...

    async def nodes(self, path: str, scope: Scope) -> Sequence[Node]:
        """A visible node and all visible ones below it, in order of path; nothing where it is not there."""
        ...

    async def tools(self, path: str, scope: Scope, after: str, limit: int, *, deep: bool = False) -> Sequence[ToolLine]:
        """Visible tools at this node (`deep`: anywhere below it), in order of ref, those after `after`."""
        ...

    async def tools_from(self, path: str, scope: Scope, offset: int, limit: int) -> tuple[Sequence[ToolRef], int]:
        """Visible tools at this node itself from the `offset`-th on, in order of ref, and how many there are."""
        ...

    async def standing(self, path: str, scope: Scope) -> Mapping[str, int]:
        """How many visible tools stand right at a node and at each one below it, where there are any."""
        ...

    async def several(self, refs: Sequence[ToolRef], scope: Scope) -> Sequence[Tool]:
        """Those of these tools that are there and in scope, in the order asked, each with its `$defs`."""
        ...

    async def placed(self, refs: Sequence[ToolRef], scope: Scope) -> Mapping[ToolRef, Placed]:
        """Those of these tools that are visible, with all places where they stand."""
        ...

    def walk(self, source: str | None = None) -> AsyncIterator[Tool]:
        """All tools, for building an index; hidden ones included, without `$defs`."""
        ...

    async def near(self, words: Sequence[str], scope: Scope, limit: int) -> Sequence[ToolRef]:
        """Visible refs that share words with these, most and rarest first, for "did you mean".

        The store splits what it is given (`getPets` are two words) as it split the paths.
        """
        ...

    async def lease(self, name: str, holder: str, until: float, now: float) -> bool:
        """Take or renew the right to do `name` alone (S-110); `until=now` gives it up."""
        ...

    async def close(self) -> None: ...


StoreFactory = AbstractAsyncContextManager[Store]
