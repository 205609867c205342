"""The port's face of the search room: catalog tools in, hits out, one memory a tenant beside the index files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import msgspec

from periplus.model import (
    Code,
    Found,
    Grepped,
    Matches,
    NodeHit,
    Problem,
    Resolved,
    Scope,
    Selector,
    Tool,
    ToolRef,
    Use,
)
from periplus.ports import Grep
from periplus.search.clauses import split
from periplus.search.encoder import load
from periplus.search.engine import Engine
from periplus.search.grep import as_literal, grep
from periplus.search.memory import Memories, learned_upto, note_learned
from periplus.search.records import record_of


class SearchRoom:
    """Implements `SearchEngine` over the files of one folder."""

    def __init__(self, folder: Path, *, quality: bool = False) -> None:
        self._folder = folder
        self._engine = Engine(folder, encoder=load() if quality else None)
        self._memories: dict[str, tuple[int, Memories]] = {}

    @property
    def revision(self) -> int:
        return self._engine.revision

    @property
    def damage(self) -> str:
        return self._engine.damage

    @property
    def outdated(self) -> bool:
        return self._engine.outdated

    def lacking(self, most: int) -> Sequence[str]:
        return self._engine.refining.lacking(most) if self._engine.refining else ()

    def refine(self, tools: Sequence[Tool]) -> int:
        return self._engine.refining.refine(tools) if self._engine.refining else 0

    def refresh(self) -> bool:
        return self._engine.refresh()

    def rebuild(self, revision: int, tools: Iterable[tuple[Tool, str]]) -> None:
        self._engine.rebuild(revision, (record_of(tool, line) for tool, line in tools))

    def update(
        self, revision: int, changed: Iterable[tuple[Tool, str]], removed: Iterable[str], *, anew: bool = False
    ) -> None:
        self._engine.update(revision, (record_of(tool, line) for tool, line in changed), removed, anew=anew)

    @property
    def scattered(self) -> bool:
        return self._engine.scattered

    @property
    def unread(self) -> int:
        return self._engine.lacking

    def settle(self) -> bool:
        return self._engine.settle()

    def sources(self) -> set[str]:
        return self._engine.sources()

    def stale(self, source: str, wanted: Mapping[str, str]) -> tuple[set[str], set[str]]:
        return self._engine.stale(source, wanted)

    def search(
        self,
        goal: str,
        scope: Scope,
        *,
        limit: int,
        start: int,
        within: Selector | None,
        boosts: Mapping[str, float] | None,
    ) -> Found:
        return self._engine.search(goal, scope, limit=limit, start=start, within=within, boosts=boosts)

    def chances(
        self, goal: str, scope: Scope, *, boosts: Mapping[str, float] | None
    ) -> tuple[tuple[ToolRef, float], ...]:
        return self._engine.chances(goal, scope, boosts=boosts)

    def together(self, chances: Sequence[float], missed: float, share: float) -> float:
        return self._engine.together(chances, missed, share)

    def search_nodes(self, goal: str, scope: Scope, *, limit: int, within: Selector | None) -> tuple[NodeHit, ...]:
        return self._engine.search_nodes(goal, scope, limit=limit, within=within)

    def similar(self, ref: ToolRef, scope: Scope, *, limit: int) -> Found:
        return self._engine.similar(ref, scope, limit=limit)

    def match(self, pattern: str, scope: Scope, *, limit: int, after: str) -> Matches:
        return self._engine.match(pattern, scope, limit=limit, after=after)

    def grep(self, ask: Grep, scope: Scope) -> Grepped:
        view = self._engine.view(scope, ask.within)
        try:
            return grep(view, ask.pattern, ask)
        except Problem as problem:
            if problem.code is not Code.BAD_INPUT:
                raise
            return msgspec.structs.replace(grep(view, as_literal(ask.pattern), ask), literal=True)

    def resolve(self, name: str, scope: Scope) -> Resolved:
        return self._engine.resolve(name, scope)

    def split(self, goal: str) -> tuple[str, ...]:
        return tuple(split(goal))

    def boosts(self, goal: str, tenant: str, now: float) -> Mapping[str, float]:
        memories = self._of(tenant)
        return memories.boosts(self._engine.model.goals([goal])[0], now) if len(memories) else {}

    @property
    def learned(self) -> int:
        return learned_upto(self._folder)

    def learn(self, uses: Iterable[Use], upto: int | None = None) -> None:
        by_tenant: dict[str, list[Use]] = {}
        for use in uses:
            by_tenant.setdefault(use.tenant, []).append(use)
        for tenant, several in by_tenant.items():
            memories = self._of(tenant)
            memories.learn(several)
            memories.save()
            self._memories[tenant] = (self._stamp(tenant), memories)
        if upto is not None:
            note_learned(self._folder, upto)

    def remembered(self, tenant: str) -> bytes:
        return self._of(tenant).export()

    def forget(self, tenant: str) -> None:
        self._of(tenant).erase()
        self._memories.pop(tenant, None)

    def _of(self, tenant: str) -> Memories:
        """A tenant's memories as they are on disk: another process may have learned something since."""
        stamp = self._stamp(tenant)
        known = self._memories.get(tenant)
        if known is None or known[0] != stamp:
            known = (stamp, Memories(self._folder, tenant, self._engine.model))
            self._memories[tenant] = known
        return known[1]

    def _stamp(self, tenant: str) -> int:
        place = Memories.place(self._folder, tenant)
        return place.stat().st_mtime_ns if place.exists() else 0
