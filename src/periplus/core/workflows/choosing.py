"""The three ways to resolve a checkpoint, each with its own conditions (W-62 to W-66)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import msgspec

from periplus.core.conditions.truth import Lack
from periplus.core.workflows.call import OWN, Call, Warned
from periplus.core.workflows.condition_text import text_of
from periplus.core.workflows.conditions import holds, resolve, variables_of
from periplus.core.workflows.model import Checkpoint, Option
from periplus.core.workflows.record import Mode, Pending
from periplus.model import Code, Problem

MODES: tuple[Mode, ...] = ("option_id", "auto_advance", "condition_not_met")


class Choice(NamedTuple):
    """How a checkpoint is to be resolved; the option is empty when it is dismissed."""

    mode: Mode
    option: str


def chosen_mode(arguments: Mapping[str, Any]) -> Mode:
    """The one way that was chosen; `false`, an empty text and null choose nothing (W-63)."""
    chosen: list[Mode] = [mode for mode in MODES if arguments.get(mode) not in (None, False, "")]
    if len(chosen) != 1:
        came = ", ".join(chosen) or "none"
        raise Problem(
            Code.BAD_INPUT,
            f"Exactly one of option_id, auto_advance and condition_not_met is needed; {came} came",
            hints=('send option_id with the option, or "auto_advance": true, or "condition_not_met": true',),
        )
    return chosen[0]


def accepted(
    call: Call, point: Checkpoint, waiting: Pending | None, mode: Mode, arguments: Mapping[str, Any]
) -> tuple[Choice, list[Warned]]:
    """What is chosen, and what is to be said with it; refused where this way is not open."""
    if waiting is None and mode != "option_id":
        raise Problem(Code.NOT_ALLOWED, f"{point.id!r} is optional: it takes option_id only", hints=(_valid(point),))
    if mode == "condition_not_met":
        return Choice(mode, ""), _dismissable(call, point)
    option = str(arguments["option_id"]) if mode == "option_id" else _advancing(point)
    if mode == "option_id":
        check_option(point, option)
    if waiting is not None:
        _check_time(call, point, waiting, mode)
    return Choice(mode, option), []


def check_option(point: Checkpoint, option: str) -> Option:
    """The option of this id, else a problem with those there are."""
    found = point.option(option)
    if found is None:
        raise Problem(Code.BAD_INPUT, f"Invalid option {option!r} for {point.id!r}", hints=(_valid(point),))
    return found


def _valid(point: Checkpoint) -> str:
    return f"Valid options: {', '.join(one.id for one in point.options)}"


def _advancing(point: Checkpoint) -> str:
    """The option that time chooses, where time may choose at all."""
    if point.answered_by == "human":
        raise Problem(Code.NOT_ALLOWED, f"{point.id!r} is answered by a person, not by time", hints=(_valid(point),))
    if point.blocking:
        raise Problem(Code.NOT_ALLOWED, f"{point.id!r} is blocking: it waits for an answer", hints=(_valid(point),))
    if not point.default_option or not point.auto_advance_ms:
        said = f"{point.id!r} cannot advance by itself: missing defaultOption or autoAdvanceMs"
        raise Problem(Code.NOT_ALLOWED, said, hints=(_valid(point),))
    if point.option(point.default_option) is None:
        said = f"Default option {point.default_option!r} of {point.id!r} is none of its options"
        raise Problem(Code.NOT_ALLOWED, said, hints=(_valid(point),))
    return point.default_option


def _check_time(call: Call, point: Checkpoint, waiting: Pending, mode: Mode) -> None:
    """Milliseconds since the question was asked, against those it takes (W-64)."""
    by_time = mode == "auto_advance"
    needed = float(point.auto_advance_ms or 0) if by_time else call.rules.min_response_ms
    elapsed = max(0, call.now - waiting.issued)
    if elapsed >= needed:
        return
    left = math.ceil(needed - elapsed)
    if by_time:
        said = f"auto-advance of {point.id!r}: timer not elapsed, {elapsed} ms of {needed:.12g} ms."
        options = " or ".join(f'"{one.id}"' for one in point.options)
        hints = (f"retry after {left} ms", f"or answer with option_id {options}")
        args: dict[str, Any] = {"checkpoint_id": point.id, "auto_advance": True}
    else:
        said = f"{point.id!r} was answered too fast: {elapsed} ms of {needed:.12g} ms."
        hints = (f"retry after {left} ms", "show it to the person and take the time to read the answer")
        args = {"checkpoint_id": point.id, "option_id": "<the person's choice>"}
    raise Problem(
        Code.TOO_EARLY,
        said,
        hints=hints,
        next_action={"op": "respond_checkpoint", "args": args},
        retryable=True,
        details={"retry_after": math.ceil(left / 1000)},
    )


def _dismissable(call: Call, point: Checkpoint) -> list[Warned]:
    """A question that does not arise may be dismissed; not one that is known to (W-66)."""
    if point.condition is None:
        raise Problem(
            Code.NOT_ALLOWED,
            f"{point.id!r} has no condition: it cannot be dismissed as not met",
            hints=(_valid(point),),
        )
    surely = holds(point.condition, call.facts.known)
    if surely is False or call.rules.verify == "off":
        return []
    if surely and call.rules.verify == "refuse":
        raise Problem(
            Code.NOT_ALLOWED,
            f"the condition of {point.id!r} is met: {text_of(point.condition)}, with {_values(call, point)}",
            hints=(_valid(point),),
        )
    # The word these warnings may not use belongs to those about transitions.
    return [(OWN, f"the dismissal of {point.id!r} is not verified: {_values(call, point)}")]


def _values(call: Call, point: Checkpoint) -> str:
    names = variables_of(point.condition) if point.condition else ()
    told: list[str] = []
    for name in names:
        value = resolve(name, call.facts.assumed)
        shown = "?" if isinstance(value, Lack) else msgspec.json.encode(value).decode()
        told.append(f"{name} = {shown} ({call.facts.source(name.partition('.')[0])})")
    return ", ".join(told)
