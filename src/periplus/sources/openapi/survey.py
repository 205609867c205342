"""What must be known of all operations before the first can be named: twins, tags, targets of links."""

from __future__ import annotations

from collections.abc import Iterable

from periplus.sources.openapi.areas import tags_of
from periplus.sources.openapi.operations import Operation


class Survey:
    """One look over all operations. Nothing of them is kept but names."""

    def __init__(self, operations: Iterable[Operation]) -> None:
        self.count = 0
        self.slashed_tags: set[str] = set()
        self._ids: dict[str, int] = {}
        self.twins: dict[str, list[str]] = {}  # operationId of several operations -> those met while drafting
        for operation in operations:
            self._see(operation)

    def _see(self, operation: Operation) -> None:
        self.count += 1
        self.slashed_tags.update(tag for tag in tags_of(operation.written) if "/" in tag)
        name = operation_id(operation)
        if not name:
            return
        self._ids[name] = times = self._ids.get(name, 0) + 1
        if times > 1:
            self.twins.setdefault(name, [])

    def key(self, operation: Operation) -> str:
        """What identifies an operation in its document: its operationId if no other has it, else where it is."""
        name = operation_id(operation)
        # An id with a blank may look like another operation's `METHOD /path`; as its own it is what follows anyway.
        if name and name not in self.twins and " " not in name:
            return name
        return f"{operation.origin} ({operation.place.pointer})" if operation.twin else operation.origin

    def has_id(self, name: str) -> bool:
        return name in self._ids

    def forget_names(self) -> None:
        """Without links nobody asks which names exist."""
        self._ids = {}


def operation_id(operation: Operation) -> str:
    """The operationId as text; YAML may have made it a number."""
    name = operation.written.get("operationId")
    if isinstance(name, str):
        return name.strip()
    return str(name) if isinstance(name, int | float) and not isinstance(name, bool) else ""
