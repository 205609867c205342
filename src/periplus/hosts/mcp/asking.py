"""A call that needs a person's agreement, put to the person at the client where the client can ask (T-5).

From 2026-07-28 on the call is answered with a question and comes again with the answer; before that the client is
asked while the call waits. A client that can do neither gets the refusal, which carries the approval's id.
"""

from __future__ import annotations

import hashlib
from collections.abc import Awaitable, Callable
from typing import Any

import mcp_types as types
import msgspec
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from periplus.core.gateway import Gateway
from periplus.documents.canonical import canonical
from periplus.model import Code, Principal, Problem
from periplus.ports import Request

_PURPOSE = "question to a person"
_TTL_S = 3600.0
_KEY = "approval"
_FORM: dict[str, Any] = {
    "type": "object",
    "properties": {
        "approve": {"type": "boolean", "title": "Approve this call", "description": "It runs once, exactly as shown."}
    },
    "required": ["approve"],
}
Context = ServerRequestContext[Any, Any]
Answered = tuple[types.CallToolResult | types.InputRequiredResult, Problem | None]
Run = Callable[[Request], Awaitable[Answered]]


class Asking:
    """Puts approvals to the person behind an MCP client, and runs the call again when they agree."""

    def __init__(self, gateway: Gateway, *, named: bool = False) -> None:
        self._gateway = gateway
        self._seal = gateway.seal
        self._named = named  # whether callers have to say who they are

    async def through(
        self, context: Context, params: types.CallToolRequestParams, request: Request, run: Run
    ) -> types.CallToolResult | types.InputRequiredResult:
        """The call's result, with a question in between where policy wants one and the client can ask it."""
        if params.request_state and self._may_agree(request) and (agreed := self._agreed(params, request)):
            request = await self._granted(agreed, request)
        result, problem = await run(request)
        approval = _approval_of(problem)
        if problem is None or not approval or request.approval or not (self._may_agree(request) and _can_ask(context)):
            return result
        if context.protocol_version in MODERN_PROTOCOL_VERSIONS:
            return self._question(params, problem, approval, request)
        if not await _asked(context, problem):
            return result
        result, _ = await run(await self._granted(approval, request))
        return result

    async def _granted(self, approval: str, request: Request) -> Request:
        asker = request.principal
        person = Principal(id=asker.id, tenant=asker.tenant, scopes=asker.scopes | {"admin"})
        await self._gateway.grant(approval, principal=person, why="agreed at the client")
        return msgspec.structs.replace(request, approval=approval)

    def _may_agree(self, request: Request) -> bool:
        """Whether the person at the client may: where callers name themselves, only those who are trusted with it."""
        return not self._named or bool(request.principal.scopes & {"approve", "admin"})

    def _question(
        self, params: types.CallToolRequestParams, problem: Problem, approval: str, request: Request
    ) -> types.InputRequiredResult:
        state = {"approval": approval, "call": _call_digest(params), "principal": request.principal.id}
        asked = types.ElicitRequest(
            params=types.ElicitRequestFormParams(message=problem.message, requested_schema=_FORM)
        )
        return types.InputRequiredResult(
            input_requests={_KEY: asked}, request_state=self._seal.seal(_PURPOSE, state, _TTL_S)
        )

    def _agreed(self, params: types.CallToolRequestParams, request: Request) -> str:
        """The approval the person has agreed to; nothing when they have not."""
        try:
            state = self._seal.open(_PURPOSE, params.request_state or "")
        except Problem as problem:
            raise MCPError(types.INVALID_PARAMS, f"requestState: {problem.message}") from problem
        if state["call"] != _call_digest(params) or state["principal"] != request.principal.id:
            raise MCPError(types.INVALID_PARAMS, "requestState belongs to another call")
        answer = (params.input_responses or {}).get(_KEY)
        return str(state["approval"]) if isinstance(answer, types.ElicitResult) and _yes(answer) else ""


def _approval_of(problem: Problem | None) -> str:
    if problem is None or problem.code is not Code.APPROVAL_REQUIRED:
        return ""
    return str(problem.details.get("approval", ""))


def _can_ask(context: Context) -> bool:
    capabilities = context.session.client_capabilities
    if capabilities is None or capabilities.elicitation is None:
        return False
    return context.protocol_version in MODERN_PROTOCOL_VERSIONS or context.session.can_send_request


async def _asked(context: Context, problem: Problem) -> bool:
    try:
        answer = await context.session.elicit_form(problem.message, _FORM, related_request_id=context.request_id)
    except MCPError:  # a client that promised to ask and does not: the refusal stands
        return False
    return _yes(answer)


def _yes(answer: types.ElicitResult) -> bool:
    return answer.action == "accept" and bool((answer.content or {}).get("approve"))


def _call_digest(params: types.CallToolRequestParams) -> str:
    return hashlib.sha256(canonical({"name": params.name, "arguments": params.arguments or {}})).hexdigest()
