"""Whether a step that failed is tried again, and after how long (H-69)."""

from __future__ import annotations

from periplus.core.sequence.plan import Planned
from periplus.model import Code, Effect, Problem, Retry, Tool

_MOST_S = 20.0
_PASSING = frozenset({Code.RATE_LIMITED, Code.TIMEOUT, Code.UNAVAILABLE})


def pause(planned: Planned, tool: Tool | None, problem: Problem, attempt: int, jitter: float) -> float | None:
    """Seconds until the next attempt, full jitter of a wait that doubles; None where there must be none.

    `jitter` is from 0 to 1. What asks for a longer wait gets it. A write that may not be repeated is sent again only
    where it certainly had no effect.
    """
    retry = planned.step.retry
    if retry is None or attempt > retry.times or not _is_worth(retry, problem):
        return None
    if not (tool is None or _may_repeat(tool) or _had_no_effect(problem)):
        return None
    longest = min(_MOST_S, retry.delay_s * 2.0 ** (attempt - 1))
    return max(_asked(problem) or 0.0, jitter * longest)


def _is_worth(retry: Retry, problem: Problem) -> bool:
    if retry.codes:
        return problem.code.value in retry.codes or problem.details.get("http_status") in retry.codes
    return problem.code in _PASSING or (problem.code is Code.UPSTREAM_ERROR and problem.retryable)


def _may_repeat(tool: Tool) -> bool:
    return tool.effect is Effect.READ or tool.idempotent


def _had_no_effect(problem: Problem) -> bool:
    """Nothing was reached, or what was reached said to come back later."""
    if problem.details.get("not_processed"):
        return True
    status = problem.details.get("http_status")
    if status is None:
        return problem.code is Code.RATE_LIMITED  # a limit of our own: it was never sent
    return status == 429 or (status == 503 and _asked(problem) is not None)


def _asked(problem: Problem) -> float | None:
    asked = problem.details.get("retry_after")
    return float(asked) if isinstance(asked, int | float) and asked >= 0 else None
