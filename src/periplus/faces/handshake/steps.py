"""The steps of a sequence as models write them, read into the core's (section 10)."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from periplus.faces.handshake import landmarks
from periplus.faces.handshake.errors import PROTOCOL, refusal
from periplus.faces.handshake.hygiene import MEMBERS, Part, split
from periplus.faces.handshake.sites import Site
from periplus.faces.handshake.turn import Turn
from periplus.model import Code, Each, Problem, Retry, Step, Together, ToolRef

ASIDE = ("search_landmarks", "inspect_landmark", "get_manifest", "get_landmarks", "list_aliases")
_NEVER = ("connect_to_site", "clear_session", "execute_sequence")
_MEMBERS = (
    "action", "parameters", "alias", "site", *MEMBERS, "on_error", "retry", "retryOn", "condition", "foreach",
    "max_items", "concurrency",
)  # fmt: skip
_IGNORED = frozenset({"toolAction", "toolSummary", "waitForPreviousTools"})
_SERVER_FAULTS = tuple(range(500, 600))
_CODES: Mapping[str, tuple[str | int, ...]] = {
    **{word: tuple(code.value for code, one in PROTOCOL.items() if one == word) for word in set(PROTOCOL.values())},
    "SERVER_ERROR": _SERVER_FAULTS,
    "REMOTE_ERROR": (Code.UPSTREAM_ERROR.value,),
    "EXECUTION_FAILED": (Code.UPSTREAM_ERROR.value,),
    "GRAPHQL_ERROR": (Code.UPSTREAM_ERROR.value,),
}


class Written(msgspec.Struct, frozen=True, kw_only=True):
    """A step as it was written, and as it will be run."""

    action: str  # the id as it is printed, where it names one
    step: Step
    part: Part = Part()
    parameters: dict[str, Any] = {}
    ref: ToolRef | None = None


class Course(msgspec.Struct, frozen=True, kw_only=True):
    """All steps in their order, and as the core runs them."""

    written: tuple[Written, ...]
    steps: tuple[Step | Together, ...]


async def read(turn: Turn, actions: Sequence[Any]) -> Course:
    """Every step, its action found on its site; a fault of one that may fail stays its own."""
    written: list[Written] = []
    steps: list[Step | Together] = []
    here = await turn.site()
    for one in actions:
        entry = _object(one, len(written))
        if "parallel" not in entry:
            written.append(await _step(turn, here, entry, len(written)))
            steps.append(written[-1].step)
            continue
        group: list[Step] = []
        for inner in _group(entry, len(written)):
            written.append(await _step(turn, here, _object(inner, len(written)), len(written)))
            group.append(written[-1].step)
        steps.append(Together(steps=tuple(group)))
    return Course(written=tuple(written), steps=tuple(steps))


def _object(one: Any, number: int) -> dict[str, Any]:
    if isinstance(one, str):
        try:
            one = msgspec.json.decode(one)
        except msgspec.DecodeError:
            one = None
    if not isinstance(one, dict):
        raise _wrong(number, "it is not an object", 'Write {"action": "...", "parameters": {...}}.')
    return {str(name): value for name, value in one.items() if name not in _IGNORED}


def _group(entry: Mapping[str, Any], number: int) -> list[Any]:
    inner = entry["parallel"]
    if len(entry) > 1 or not isinstance(inner, list):
        raise _wrong(number, "parallel stands alone and holds a list of steps", 'Write {"parallel": [step, step]}.')
    if any(isinstance(one, dict) and "parallel" in one for one in inner):
        raise _wrong(number, "a parallel group holds no other group", "Put its steps into one group.")
    return inner


async def _step(turn: Turn, here: Site, entry: dict[str, Any], number: int) -> Written:
    entry = _unwrapped(entry)
    for name in entry:
        if name not in _MEMBERS:
            near = difflib.get_close_matches(name, _MEMBERS, n=1, cutoff=0.5)
            hint = f"Did you mean {near[0]!r}?" if near else f"A step has {', '.join(_MEMBERS)}."
            raise _wrong(number, f"there is no member {name[:60]!r}", hint)
    action = entry.get("action")
    if not isinstance(action, str) or not action.strip():
        raise _wrong(number, "action is required", "Give the id of an action.")
    parameters = _parameters(entry.get("parameters"), number)
    control = _control(entry, number)
    name = landmarks.plain(action)
    if name in _NEVER:
        raise _wrong(number, f"{name} may not be a step", "Call it by itself.")
    if name in ASIDE:
        beside = {member: entry[member] for member in (*MEMBERS, "site") if member in entry}
        return Written(action=name, step=Step(tool=name, arguments={**parameters, **beside}, **control))
    try:
        return await _action(turn, here, entry, action, parameters, control)
    except Problem as problem:
        if problem.code is Code.BAD_INPUT:
            raise _at(number, problem) from problem
        fault = Step(tool=action, fault=problem, **control)
        return Written(action=action, step=fault, parameters=parameters)


def _unwrapped(entry: dict[str, Any]) -> dict[str, Any]:
    """A step that calls `call_action` is the call in its parameters (H-66)."""
    if landmarks.plain(str(entry.get("action", ""))) != "call_action":
        return entry
    inner = _parameters(entry.get("parameters"), 0)
    rest = {name: value for name, value in entry.items() if name not in ("action", "parameters")}
    return {**rest, **inner} if inner else entry


async def _action(
    turn: Turn,
    here: Site,
    entry: Mapping[str, Any],
    action: str,
    parameters: dict[str, Any],
    control: Mapping[str, Any],
) -> Written:
    site = await turn.at(str(entry["site"])) if entry.get("site") else here
    found = await landmarks.action(turn, site, action, parameters)
    if found.tool is None:
        raise await landmarks.unknown(turn, site, action)
    arguments, part = split(found.tool, parameters, entry)
    step = Step(
        tool=str(found.tool.ref),
        arguments=arguments,
        select=part.select,
        filter=part.filter,
        limit=part.limit,
        offset=part.offset,
        **control,
    )
    return Written(action=found.id, step=step, part=part, parameters=parameters, ref=found.tool.ref)


def _parameters(value: Any, number: int) -> dict[str, Any]:
    if isinstance(value, str) and value.strip():
        try:
            value = msgspec.json.decode(value)
        except msgspec.DecodeError as error:
            raise _wrong(number, f"parameters are no JSON: {error}", "Send parameters as an object.") from error
    if value is None or value == "":
        return {}
    if not isinstance(value, dict):
        raise _wrong(number, "parameters are not an object", "Send parameters as an object.")
    return value


def _control(entry: Mapping[str, Any], number: int) -> dict[str, Any]:
    """When, how often and for what a step is run."""
    on_error = entry.get("on_error") or "stop"
    if on_error not in ("stop", "continue"):
        raise _wrong(number, f"on_error is {str(on_error)[:40]!r}", 'on_error is "stop" or "continue".')
    alias, condition = entry.get("alias") or "", entry.get("condition") or ""
    for name, text in (("alias", alias), ("condition", condition)):
        if not isinstance(text, str):
            raise _wrong(number, f"{name} is no text", f"Write {name} as a text.")
    return {
        "name": alias.removeprefix("$"),
        "condition": condition,
        "each": _each(entry, number),
        "retry": _retry(entry, number),
        "goes_on": on_error == "continue",
    }


def _each(entry: Mapping[str, Any], number: int) -> Each | None:
    if "foreach" not in entry:
        return None
    items = entry["foreach"]
    if isinstance(items, str) and items.lstrip().startswith("["):
        try:
            items = msgspec.json.decode(items)
        except msgspec.DecodeError as error:
            raise _wrong(number, f"foreach is no JSON: {error}", "Give an array or a reference.") from error
    most, at_once = (_count(entry, name, number, default) for name, default in (("max_items", 50), ("concurrency", 1)))
    return Each(items=items, most=most, at_once=at_once)


def _retry(entry: Mapping[str, Any], number: int) -> Retry | None:
    said = entry.get("retry")
    more = entry.get("retryOn")
    if said is None and more is None:
        return None
    table: dict[str, Any] = said if isinstance(said, dict) else {} if said is None else {"max": said}
    unknown = [name for name in table if name not in ("max", "codes", "delay_seconds")]
    if unknown:
        raise _wrong(number, f"retry has no member {unknown[0]!r}", "It is a number, or {max, codes, delay_seconds}.")
    codes = table.get("codes") or more or []
    delay = table.get("delay_seconds", 0.5)
    if isinstance(delay, bool) or not isinstance(delay, int | float):
        raise _wrong(number, "delay_seconds is no number", "Give seconds.")
    listed = codes if isinstance(codes, list) else [codes]
    return Retry(
        times=_count(table, "max", number, 1),
        codes=tuple(code for one in listed for code in _codes(one, number)),
        delay_s=float(delay),
    )


def _codes(said: Any, number: int) -> tuple[str | int, ...]:
    """What a step is tried again after, in the core's words."""
    text = str(said)
    if text.isdigit():
        return (int(text),)
    if text.upper() in _CODES:
        return _CODES[text.upper()]
    if any(text == code.value for code in Code):
        return (text,)
    near = difflib.get_close_matches(text.upper(), _CODES, n=1, cutoff=0.4)
    hint = f"Did you mean {near[0]}?" if near else f"There are {', '.join(sorted(_CODES))}."
    raise _wrong(number, f"there is no code {text[:40]!r}", hint)


def _count(table: Mapping[str, Any], name: str, number: int, default: int) -> int:
    value = table.get(name, default)
    if isinstance(value, str) and value.isdigit():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int):
        raise _wrong(number, f"{name} is {str(value)[:40]!r}", f"{name} is a whole number.")
    return value


def _wrong(number: int, what: str, remedy: str) -> Problem:
    return _at(number, refusal(Code.BAD_INPUT, f"step {number}: {what}", remedy))


def _at(number: int, problem: Problem) -> Problem:
    problem.details.setdefault("step", number)
    return problem
