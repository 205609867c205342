"""Problems in this protocol's form: a code, hints, and a next action that works as it stands (E-37, E-38)."""

from __future__ import annotations

import difflib
from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple

import msgspec

from periplus.core.facing import Operands, conversation
from periplus.core.gateway import Gateway
from periplus.core.survey import LIMIT_MAX, View
from periplus.faces.expansion.expansions import Expansions
from periplus.faces.expansion.showing import Shown
from periplus.faces.expansion.words import TAKES
from periplus.model import Code, Problem
from periplus.ports import Reply, Request

_CODES = {
    Code.NO_MATCH: "NO_MATCH_IN_CATEGORY",
    Code.FORBIDDEN: "NOT_AUTHORIZED",
    Code.BAD_INPUT: "INVALID_REQUEST",
}
_SEARCH = "search_tool_by_category"
_HINTS = 5
_GOAL = 2000
Action = dict[str, Any]


class _Met(NamedTuple):
    """A problem, and the request that met it."""

    problem: Problem
    op: str
    arguments: dict[str, Any]
    request: Request


class Refusals:
    """Tells problems of one gateway's callers."""

    def __init__(
        self,
        gateway: Gateway,
        operands: Operands,
        view: View,
        shown: Shown,
        expansions: Expansions,
        attempt: Callable[[str, dict[str, Any], Request], Awaitable[Reply]],
    ) -> None:
        self._gateway = gateway
        self._operands = operands
        self._view = view
        self._shown = shown
        self._expansions = expansions
        self._attempt = attempt
        self._tellers: dict[Code, Callable[[_Met], Awaitable[Reply]]] = {
            Code.NO_MATCH: self._no_match,
            Code.UNKNOWN_PATH: self._unknown_path,
            Code.TOOL_NOT_FOUND: self._tool_not_found,
            Code.AMBIGUOUS_NAME: self._ambiguous,
            Code.FORBIDDEN: self._forbidden,
            Code.EXPAND_REQUIRED: self._unread,
            Code.SCHEMA_CHANGED: self._changed,
            Code.APPROVAL_REQUIRED: self._asking,
            Code.BAD_INPUT: self._bad_input,
            Code.INVALID_CURSOR: self._bad_cursor,
        }

    def plain(self, problem: Problem) -> Reply:
        """A problem that belongs to no operation."""
        return _refusal(problem, list(problem.hints), _action("list"))

    async def told(self, problem: Problem, op: str, arguments: dict[str, Any], request: Request) -> Reply:
        """A problem of an operation, with what to send next."""
        tell = self._tellers.get(problem.code)
        if tell is not None:
            return await tell(_Met(problem, op, arguments, request))
        hints = list(problem.hints)
        if (wait := problem.details.get("retry_after")) is not None:
            hints.insert(0, f"wait {wait} s")
        if problem.retryable:
            return _refusal(problem, hints, _action(op, arguments))
        return _refusal(problem, hints, _reading(arguments))

    # --- one for each code that says more ---------------------------------------------------------------------------

    async def _no_match(self, met: _Met) -> Reply:
        query = met.arguments["query"]
        view = msgspec.structs.replace(self._view, goal=query, tools=False)
        page = await self._gateway.survey(view, principal=met.request.principal, limit=LIMIT_MAX)
        wanted = met.arguments.get("category_path", [])
        asked = wanted if isinstance(wanted, list) else _names(wanted)
        others = [entry for entry in page.entries if not _leads(self._shown.path(entry.place), asked)][:_HINTS]
        hints = [{"path": self._shown.path(entry.place), "confidence": entry.chance} for entry in others]
        following = _action("list")
        if hints:
            following = _action(_SEARCH, {"query": query, "category_path": hints[0]["path"]})
        return _refusal(met.problem, hints, following)

    async def _unknown_path(self, met: _Met) -> Reply:
        details = met.problem.details
        prefix, near = _names(details.get("prefix", "")), [_names(path) for path in details.get("near", ())]
        hints: list[Any] = [*([prefix] if prefix else []), *near]
        hints = hints or list(met.problem.hints)
        return _refusal(met.problem, hints, _action("list", {"path": prefix}))

    async def _tool_not_found(self, met: _Met) -> Reply:
        goal = str((met.problem.next_action or {}).get("args", {}).get("goal", ""))[:_GOAL]
        following = _action("list")
        if goal.strip():
            view = msgspec.structs.replace(self._view, goal=goal, nodes=False)
            if (await self._gateway.survey(view, principal=met.request.principal, limit=1)).entries:
                following = _action(_SEARCH, {"query": goal})
        return _refusal(met.problem, [hint for hint in met.problem.hints if " " not in hint], following)

    async def _ambiguous(self, met: _Met) -> Reply:
        hints = list(met.problem.hints)
        return _refusal(met.problem, hints, _action("expand_tool", {"tool_id": hints[0]}))

    async def _forbidden(self, met: _Met) -> Reply:
        details = met.problem.details
        area = str(details.get("tool", "")).rpartition("/")[0]
        following = _action("list", {} if self._view.tree or not area else {"path": area.split("/")})
        return _refusal(met.problem, [details.get("reason") or details.get("rule") or met.problem.message], following)

    async def _unread(self, met: _Met) -> Reply:
        return _refusal(met.problem, [], _reading(met.arguments))

    async def _changed(self, met: _Met) -> Reply:
        session = conversation(str(met.arguments.get("session", "")), met.request)
        read, _ = await self._expansions.read(str(met.arguments["tool_id"]), met.request.principal, session)
        again = {**met.arguments, "expansion_token": read["expansion_token"]}
        return _refusal(met.problem, [], _action("call_tool", again), more={"expansion": read})

    async def _asking(self, met: _Met) -> Reply:
        approval = str(met.problem.details.get("approval", ""))
        following = _action(met.op, {**met.arguments, "approval_id": approval})
        reply = _refusal(met.problem, [approval, *met.problem.hints], following)
        told = {"tool_id": met.arguments.get("tool_id"), "status": "pending_approval", "approval_id": approval}
        body = told | reply.body
        return msgspec.structs.replace(reply, body=body, structured=body, text=_text(body))

    async def _bad_input(self, met: _Met) -> Reply:
        hints = list(met.problem.hints)
        if met.op == "call_tool":  # nothing runs because somebody guessed what was meant
            return _refusal(met.problem, hints, _reading(met.arguments))
        corrected = self._corrected(met.op, met.arguments)
        if corrected is None or corrected == met.arguments:
            return _refusal(met.problem, hints, _action("list"))
        # What is left may be wrong in its turn: then what that leads to is next.
        reply = await self._attempt(met.op, corrected, met.request)
        following = reply.body["error"]["next_action"] if reply.problem else _action(met.op, corrected)
        return _refusal(met.problem, hints, following)

    async def _bad_cursor(self, met: _Met) -> Reply:
        rest = {name: value for name, value in met.arguments.items() if name != "cursor"}
        return _refusal(met.problem, list(met.problem.hints), _action(met.op, rest))

    # --- making the next action ---------------------------------------------------------------------------------

    def _corrected(self, op: str, arguments: dict[str, Any]) -> dict[str, Any] | None:
        """The same call with what is wrong renamed, brought into range or left out; None when that is no call."""
        properties: dict[str, Any] = TAKES[op]["properties"]
        kept: dict[str, Any] = {}
        for name, value in arguments.items():
            near = name if name in properties else next(iter(difflib.get_close_matches(name, properties, 1, 0.5)), "")
            if near and near not in kept and (good := self._good(op, near, value)) is not None:
                kept[near] = good
        return kept if self._holds(op, kept) else None

    def _good(self, op: str, name: str, value: Any) -> Any:
        if self._holds(op, {**_least(op), name: value}):
            return value
        bounds = TAKES[op]["properties"][name]
        if name == "query" and isinstance(value, str) and value.strip():
            return value[: bounds["maxLength"]]
        if bounds.get("type") == "integer" and isinstance(value, int | float) and not isinstance(value, bool):
            return max(bounds["minimum"], min(int(value), bounds.get("maximum", LIMIT_MAX)))
        return None

    def _holds(self, op: str, arguments: dict[str, Any]) -> bool:
        try:
            self._operands.checked(op, arguments)
        except Problem:
            return False
        return True


def _least(op: str) -> dict[str, Any]:
    """The least that an operation takes."""
    return {"query": {"query": "x"}, "tool_id": {"tool_id": "x"}}.get("".join(TAKES[op]["required"]), {})


def _action(op: str, arguments: dict[str, Any] | None = None) -> Action:
    return {"op": op, "args": arguments or {}}


def _reading(arguments: dict[str, Any]) -> Action:
    kept: dict[str, Any] = {name: arguments[name] for name in ("tool_id", "session") if name in arguments}
    return _action("expand_tool", kept) if "tool_id" in kept else _action("list")


def _names(path: str) -> list[str]:
    return path.split("/") if path else []


def _leads(path: list[str], asked: list[str]) -> bool:
    """Whether a node is the asked category, below it or above it."""
    shorter = min(len(path), len(asked))
    return path[:shorter] == asked[:shorter]


def _refusal(problem: Problem, hints: list[Any], following: Action, *, more: dict[str, Any] | None = None) -> Reply:
    code = _CODES.get(problem.code, problem.code.value.upper())
    error: dict[str, Any] = {
        "code": code,
        "message": problem.message,
        "hints": hints,
        "next_action": following,
        "retryable": problem.retryable or problem.code in (Code.NO_MATCH, Code.EXPAND_REQUIRED),
    }
    body: dict[str, Any] = {"error": error | (more or {})}
    return Reply(body=body, text=_text(body), structured=body, problem=problem)


def _text(body: dict[str, Any]) -> str:
    return msgspec.json.encode(body).decode()
