"""execute_sequence: steps in order, each through the one door, and what became of every one of them (section 10)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from periplus.core.mending.lenient import Leniency
from periplus.core.sequence.plan import Bounds
from periplus.core.shaping.cut import cut, size_of
from periplus.core.verbs.surveying import Seen
from periplus.faces.handshake import steps
from periplus.faces.handshake.calls import call_text, json_text
from periplus.faces.handshake.errors import error_object
from periplus.faces.handshake.faults import in_words, told
from periplus.faces.handshake.results import compact
from periplus.faces.handshake.steps import ASIDE, Written
from periplus.faces.handshake.turn import Turn
from periplus.model import Code, Outcome, Problem, Ran, StepState
from periplus.ports import Reply

_ROW = 130  # what a row takes beside its result
_LEAST = 200


class Known(msgspec.Struct, frozen=True, kw_only=True):
    """A step, and its tool where that is needed."""

    step: Written
    seen: Seen | None = None


async def run(turn: Turn, leniency: Leniency, inner: Any) -> Reply:
    """Read the steps, run them, and show every one."""
    actions: Sequence[Any] = turn.given["actions"]
    made = await steps.read(turn, actions)
    settings = turn.settings
    try:
        ran = await turn.gateway.run(
            made.steps,
            principal=turn.principal,
            session=turn.talk.name,
            approval=str(turn.given.get("approval_id") or turn.request.approval),
            own={name: _aside(turn, inner, name) for name in ASIDE},
            leniency=leniency,
            bounds=Bounds(steps=settings.max_steps, calls=settings.max_calls, seconds=settings.sequence_seconds),
            timeout_s=turn.given.get("timeout_seconds"),
            presented=turn.request.presented,
            progress=turn.request.progress,
            listener=turn.request.listener,
        )
    except Problem as problem:
        raise await refused(turn, problem, made.written, actions) from problem
    return _reply(turn, await _failed(turn, made.written, ran), ran)


def _aside(turn: Turn, inner: Any, name: str) -> Any:
    """A step that looks instead of acting: its value is what programs get of it."""

    async def answer(arguments: dict[str, Any]) -> Any:
        reply: Reply = await inner(turn, name, arguments)
        if reply.problem is not None:
            raise reply.problem
        return {key: value for key, value in reply.body.items() if key != "text"}

    return answer


async def told_rows(turn: Turn, written: Sequence[Written], ran: Ran) -> list[dict[str, Any]]:
    """Every step as it is told."""
    return _rows(turn, await _failed(turn, written, ran), ran)


async def _failed(turn: Turn, written: Sequence[Written], ran: Ran) -> list[Known]:
    """The steps, with the tools of those that failed: what went wrong is told by their schemas."""
    failed = [outcome.number for outcome in ran.steps if outcome.state is StepState.ERROR or outcome.items]
    refs = [ref for number in failed if (ref := written[number].ref) is not None]
    seen = {one.tool.ref: one for one in await turn.gateway.seen(refs, principal=turn.principal)} if refs else {}
    return [Known(step=one, seen=seen.get(one.ref) if one.ref else None) for one in written]


async def refused(turn: Turn, problem: Problem, written: Sequence[Written], actions: Sequence[Any]) -> Problem:
    """Nothing ran; the step that is at fault is named (H-65)."""
    number = problem.details.get("step")
    if problem.code is Code.APPROVAL_REQUIRED:
        approval = str(problem.details.get("approval", ""))
        again = {"actions": list(actions), "approval_id": approval}
        return told(
            problem,
            problem.message,
            f"Ask a person to approve it ({problem.hints[0]}), then send the same steps with approval_id.",
            example=f'execute_sequence(actions=<the same steps>, approval_id="{approval}")',
            then=("execute_sequence", again),
        )
    if not isinstance(number, int) or not 0 <= number < len(written):
        return problem
    one = written[number]
    seen = await turn.gateway.seen([one.ref], principal=turn.principal) if one.ref else ()
    made = in_words(problem, next(iter(seen), None), one.action, one.parameters)
    made.details["step"] = number
    return made


def _reply(turn: Turn, known: Sequence[Known], ran: Ran) -> Reply:
    rows = _rows(turn, known, ran)
    text = json_text(rows)
    if ran.notes or turn.notes:
        text += "\n" + "\n".join(f"**NOTE**: {note}" for note in (*turn.notes, *ran.notes))
    problem = _problem(ran)
    body: dict[str, Any] = {
        "status": "error" if problem else "success",
        "steps": rows,
        "notes": [*turn.notes, *ran.notes],
        "trace_id": ran.trace,
    }
    if problem is not None:
        body |= {"code": problem.code.value, "retryable": problem.retryable}
    if not body["notes"]:
        del body["notes"]
    structured = _structured(turn, body, text)
    content = tuple(block for one in ran.steps if one.result for block in one.result.content)
    status = problem.code.status.http if problem else 200
    return Reply(
        body=body | {"text": text}, text=text, structured=structured, content=content, problem=problem, status=status
    )


def _structured(turn: Turn, body: dict[str, Any], text: str) -> dict[str, Any] | None:
    """Steps without their results where both would be longer than the text."""
    if turn.settings.structured == "off":
        return None
    if turn.settings.structured == "full" or len(json_text(body)) <= len(text):
        return body
    bare = [{name: row[name] for name in ("step", "alias", "status")} for row in body["steps"]]
    return compact(body | {"steps": bare}, len(text))


def _problem(ran: Ran) -> Problem | None:
    """Why it counts as failed, if it does (H-67)."""
    if not ran.failed:
        return None
    return ran.problem or next(one.problem for one in ran.steps if one.problem is not None)


def _rows(turn: Turn, known: Sequence[Known], ran: Ran) -> list[dict[str, Any]]:
    results = [_result(one, outcome) for one, outcome in zip(known, ran.steps, strict=True)]
    shares = fair([size_of(result) for result in results], turn.settings.sequence_chars - _ROW * len(results))
    return [
        _row(one, outcome, result, share)
        for one, outcome, result, share in zip(known, ran.steps, results, shares, strict=True)
    ]


def _result(one: Known, outcome: Outcome) -> Any:
    if outcome.items:
        return [_result(one, item) for item in outcome.items]
    if outcome.problem is not None:
        return error_object(_in_words(one, outcome.problem))
    return outcome.value


def _in_words(one: Known, problem: Problem) -> Problem:
    if problem.code is Code.APPROVAL_REQUIRED:
        return told(
            problem,
            problem.message,
            f"Ask a person to approve it ({problem.hints[0]}), then send the same steps with approval_id: "
            "they go on from here.",
        )
    return in_words(problem, one.seen, one.step.action, one.step.parameters)


def _row(one: Known, outcome: Outcome, result: Any, share: int) -> dict[str, Any]:
    fit = cut(result, share)
    row: dict[str, Any] = {
        "step": outcome.number,
        "action": one.step.action,
        "alias": outcome.name,
        "status": outcome.state.value,
        "duration_ms": round(outcome.ms),
        "result": fit.value,
        "_truncated": fit.is_cut,
    }
    if fit.is_cut and outcome.state is StepState.OK:
        following = {"_offset": fit.shown} if fit.what in ("rows", "characters") else {}
        row["remedy"] = f"next: {call_text('list_aliases', {'alias': outcome.name, **following})}"
    if outcome.attempts > 1:
        row["attempts"] = outcome.attempts
    notes = [*one.step.part.notes, *(outcome.result.notes if outcome.result else ())]
    if notes:
        row["_NOTES"] = list(dict.fromkeys(notes))
    return row


def fair(sizes: Sequence[int], room: int) -> list[int]:
    """A share of the room for each: who needs less leaves the rest to the others (H-67)."""
    shares: dict[int, int] = {}
    left, waiting = max(room, 0), sorted(range(len(sizes)), key=lambda place: sizes[place])
    for count, place in enumerate(waiting):
        each = left // (len(waiting) - count)
        shares[place] = max(min(sizes[place], each), _LEAST)
        left -= min(sizes[place], each)
    return [shares[place] for place in range(len(sizes))]
