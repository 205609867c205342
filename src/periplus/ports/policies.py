"""Where the policy in force comes from."""

from __future__ import annotations

from typing import Protocol

from periplus.model import Policy, Problem


class Policies(Protocol):
    """The policy as its file says now; while the file is broken, as it last said."""

    def current(self) -> Policy:
        """The same object as long as nothing changed."""
        ...

    def fault(self) -> Problem | None:
        """Why the file's present content is not in force."""
        ...
