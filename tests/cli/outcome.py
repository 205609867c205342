"""What a run of the command line left behind."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, NamedTuple


class Outcome(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The one JSON document on stdout."""
        return json.loads(self.out)

    @property
    def error(self) -> dict[str, Any]:
        """The problem that `--json` wrote to stderr."""
        (line,) = self.err.splitlines()
        problem: dict[str, Any] = json.loads(line)["error"]
        return problem


Run = Callable[..., Outcome]
