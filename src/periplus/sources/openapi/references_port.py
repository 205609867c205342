"""What reading schemas and arguments needs of references; `references.py` is the one that follows them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, Protocol


class Resolved(NamedTuple):
    """Where a reference leads: `base` and `pointer` identify the target, `name` is its last segment."""

    value: Any
    base: str
    pointer: str
    name: str


class Unresolved(Exception):  # noqa: N818 - three reasons below, each a finding and not a crash
    """A reference that leads nowhere; `text` is the reference as written."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.text = text


class Dangling(Unresolved):
    """Its target does not exist."""


class Refused(Unresolved):
    """Its target may not be read (S-35)."""


class Cycle(Unresolved):
    """It leads back to itself, or on without end."""


class References(Protocol):
    """Follows the `$ref` written in a node of the document `base`; raises `Dangling`, `Refused` or `Cycle`.

    `base` is a document's key without fragment, or that joined with an enclosing `$id`.
    """

    def resolve(self, node: Mapping[str, Any], base: str) -> Resolved:
        """The end of the chain: its value is no reference (parameters, bodies, responses, headers)."""
        ...

    def hop(self, node: Mapping[str, Any], base: str) -> Resolved:
        """One step: the value may be a reference again, whose siblings count (schemas)."""
        ...
