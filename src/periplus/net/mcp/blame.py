"""Whose fault it was: a problem that names its source and tells no secret of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from periplus.model import Problem


def named(source: str, problem: Problem, masked: Callable[[str], str]) -> Problem:
    """The same problem, saying whose it is and telling no secret (S-92)."""
    start = f"source {source!r}"
    text = problem.message if problem.message.startswith(start) else f"{start}: {problem.message}"
    return Problem(
        problem.code,
        masked(text),
        hints=problem.hints,
        next_action=problem.next_action,
        where=problem.where,
        retryable=problem.retryable,
        details={name: _masked(value, masked) for name, value in problem.details.items()},
    )


def _masked(value: Any, masked: Callable[[str], str]) -> Any:
    return masked(value) if isinstance(value, str) else value
