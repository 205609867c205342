"""A goal becomes tools."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

import msgspec

from periplus.model import Found, Grepped, Lines, Matches, NodeHit, Resolved, Scope, Selector, Tool, ToolRef, Use


class Grep(msgspec.Struct, frozen=True, kw_only=True):
    """A search by regular expression; what is no expression is looked for as words."""

    pattern: str
    within: Selector | None = None
    qualified: bool = False  # ids are told with their source in front
    areas: Lines = Lines()
    below: str = ""  # the node under which matches are counted by area
    start: int = 0
    limit: int = 10
    tools: bool = True  # whether tools are looked for


class SearchEngine(Protocol):
    """Ranking over index files that every process of a catalog shares; plain functions, run off the event loop.

    A scope is applied before anything is ranked. Not here: keeping in step with the store, cursors, audit.
    """

    @property
    def revision(self) -> int:
        """The catalog revision that searches see; 0 when there is no usable index yet."""
        ...

    @property
    def damage(self) -> str:
        """Why the files that were found cannot be used, or nothing."""
        ...

    @property
    def outdated(self) -> bool:
        """Written with another version of the model: worth a rebuild."""
        ...

    @property
    def scattered(self) -> bool:
        """In so many pieces that `settle` makes searches faster."""
        ...

    @property
    def unread(self) -> int:
        """How many tools only names and patterns find, because their words are still to be read."""
        ...

    def settle(self) -> bool:
        """A step of a second or two towards an index without unread tools, and a quick one; False: nothing is left."""
        ...

    def lacking(self, most: int) -> Sequence[str]:
        """Refs of tools that could be understood better than they are by now, the first of them."""
        ...

    def refine(self, tools: Sequence[Tool]) -> int:
        """Understand these tools better, for all processes; how many of them were the ones that are indexed."""
        ...

    def refresh(self) -> bool:
        """Take over an index another process wrote."""
        ...

    def rebuild(self, revision: int, tools: Iterable[tuple[Tool, str]]) -> None:
        """Index exactly these tools, each with its one-line signature; searches see all of it or what was before."""
        ...

    def update(
        self, revision: int, changed: Iterable[tuple[Tool, str]], removed: Iterable[str], *, anew: bool = False
    ) -> None:
        """Take in new and changed tools, forget removed refs; `anew`: everything that was there before, too.

        Of thousands the words are left to `settle`; names and patterns find them at once.
        """
        ...

    def sources(self) -> set[str]: ...

    def stale(self, source: str, wanted: Mapping[str, str]) -> tuple[set[str], set[str]]:
        """Of a source's tools (path -> mark, as a store knows it): the paths to index anew, and the refs to forget."""
        ...

    def search(
        self,
        goal: str,
        scope: Scope,
        *,
        limit: int,
        start: int,
        within: Selector | None,
        boosts: Mapping[str, float] | None,
    ) -> Found: ...

    def chances(
        self, goal: str, scope: Scope, *, boosts: Mapping[str, float] | None
    ) -> tuple[tuple[ToolRef, float], ...]:
        """Every tool that may be shown with its probability, likeliest first, equal ones in order of ref.

        The probability is one among all that the scope shows, so it is the same wherever the tool is looked for.
        """
        ...

    def together(self, chances: Sequence[float], missed: float, share: float) -> float:
        """The probability that one of several tools is right, or one that was not found and stands with them.

        `missed`: that no tool that was found is right; `share`: the part of what was not found that stands there.
        """
        ...

    def search_nodes(self, goal: str, scope: Scope, *, limit: int, within: Selector | None) -> tuple[NodeHit, ...]: ...

    def similar(self, ref: ToolRef, scope: Scope, *, limit: int) -> Found: ...

    def match(self, pattern: str, scope: Scope, *, limit: int, after: str) -> Matches: ...

    def grep(self, ask: Grep, scope: Scope) -> Grepped:
        """Tools and areas by regular expression over ids, parameters, tags and texts."""
        ...

    def resolve(self, name: str, scope: Scope) -> Resolved: ...

    def split(self, goal: str) -> tuple[str, ...]:
        """The clauses of a goal that asks for several things."""
        ...

    def boosts(self, goal: str, tenant: str, now: float) -> Mapping[str, float]:
        """What earlier calls after similar goals say for which refs."""
        ...

    @property
    def learned(self) -> int:
        """The row of the trail up to which uses were learned; 0 at first."""
        ...

    def learn(self, uses: Iterable[Use], upto: int | None = None) -> None:
        """Remember what went well and doubt what did not; `upto`: the trail was read as far as this row."""
        ...

    def remembered(self, tenant: str) -> bytes:
        """All memories of a tenant, as JSON."""
        ...

    def forget(self, tenant: str) -> None: ...
