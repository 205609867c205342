"""Which workflows a principal may see: policy knows them as `workflow/ID` (W-49)."""

from __future__ import annotations

import msgspec

from periplus.core.workflows.definition import META, Definition
from periplus.core.workflows.snapshot import Snapshot
from periplus.model import Effect, Scope


class Seen(msgspec.Struct, frozen=True, kw_only=True):
    """A workflow as a scope looks at it."""

    source: str
    path: str
    tags: tuple[str, ...]
    paths: tuple[str, ...] = ("",)
    effect: Effect = Effect.READ
    hidden: bool = False


def is_visible(definition: Definition, scope: Scope) -> bool:
    """Whether a scope admits a workflow; what comes with the package is everybody's."""
    if definition.folder == META and definition.shipped:
        return True
    tags = definition.workflow.tags if definition.workflow else ()
    return scope.admits(Seen(source="workflow", path=definition.id, tags=tags))


def within(snapshot: Snapshot, scope: Scope) -> Snapshot:
    """The same without what a scope hides."""
    if scope.is_everything:
        return snapshot
    kept = tuple(one for one in snapshot.definitions if is_visible(one, scope))
    return msgspec.structs.replace(snapshot, definitions=kept, lost=())
