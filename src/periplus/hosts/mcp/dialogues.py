"""Between a client and an upstream that both speak MCP: what the one can be asked, what the other asks of it.

A client of 2026-07-28 gets a question as a result and comes again with the answer; an older one is asked while the call
waits. The upstream's state travels sealed, to this call and this caller.
"""

from __future__ import annotations

import hashlib
from typing import Any

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp.shared.message import ServerMessageMetadata
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import ValidationError

from periplus.core.seal import Seal
from periplus.documents.canonical import canonical
from periplus.model import Principal, Problem
from periplus.ports import Dialogue

_PURPOSE = "question of a server"
_TTL_S = 3600.0
_ABOUT_NOW = {"_meta", "inputResponses", "requestState"}
_ASKED: dict[str, tuple[str, Any, Any]] = {
    "elicitation/create": ("elicitation", types.ElicitRequest, types.ElicitResult),
    "sampling/createMessage": ("sampling", types.CreateMessageRequest, types.CreateMessageResult),
    "roots/list": ("roots", types.ListRootsRequest, types.ListRootsResult),
}
Context = ServerRequestContext[Any, Any]
Params = types.CallToolRequestParams | types.GetPromptRequestParams | types.ReadResourceRequestParams


class Dialogues:
    """Makes the dialogues of one host's requests."""

    def __init__(self, seal: Seal) -> None:
        self._seal = seal

    def begin(self, context: Context, params: Params, principal: Principal) -> Dialogue:
        """What the upstream may ask of this client, and what the client has answered it."""
        said = context.session.client_capabilities
        capabilities = _plain(said) if said else {}
        if context.protocol_version not in MODERN_PROTOCOL_VERSIONS:
            return Dialogue(capabilities=capabilities, ask=_Asker(context, capabilities))
        answers = {name: _plain(answer) for name, answer in (params.input_responses or {}).items()}
        return Dialogue(capabilities=capabilities, answers=answers, state=self._state(params, principal))

    def is_ours(self, params: Params) -> bool:
        """Whether a request's state is an upstream's, and not that of an approval."""
        try:
            self._seal.open(_PURPOSE, params.request_state or "")
        except Problem:
            return False
        return True

    def question(self, value: dict[str, Any], params: Params, principal: Principal) -> types.InputRequiredResult | None:
        """The upstream's question as this client gets it; None when its result is no question."""
        if value.get("resultType") != "input_required":
            return None
        state = value.get("requestState")
        sealed = [state, _digest(params), principal.tenant, principal.id]
        try:
            return types.InputRequiredResult.model_validate(
                {
                    "inputRequests": value.get("inputRequests"),
                    "requestState": self._seal.seal(_PURPOSE, sealed, _TTL_S) if isinstance(state, str) else None,
                }
            )
        except ValidationError as error:
            raise MCPError(types.INTERNAL_ERROR, "the upstream asks in a form that MCP does not know") from error

    def _state(self, params: Params, principal: Principal) -> str:
        if not params.request_state or not self.is_ours(params):
            return ""
        state, *bound = self._seal.open(_PURPOSE, params.request_state)
        if bound != [_digest(params), principal.tenant, principal.id]:
            raise MCPError(types.INVALID_PARAMS, "requestState belongs to another call")
        return str(state)


class _Asker:
    """Asks a client of an older revision, while its call waits."""

    def __init__(self, context: Context, capabilities: dict[str, Any]) -> None:
        self._context = context
        self._capabilities = capabilities

    async def __call__(self, method: str, params: dict[str, Any]) -> dict[str, Any] | None:
        capability, request, result = _ASKED.get(method, ("", None, None))
        session = self._context.session
        if capability not in self._capabilities or not session.can_send_request:
            return None
        about = ServerMessageMetadata(related_request_id=self._context.request_id)
        try:
            asked = request.model_validate({"method": method, "params": params})
            answer = await session.send_request(asked, result, metadata=about)
        except (MCPError, ValidationError):  # a client that promised to answer and does not: nobody answers
            return None
        return _plain(answer)


def _plain(value: Any) -> dict[str, Any]:
    made: dict[str, Any] = value.model_dump(by_alias=True, mode="json", exclude_none=True)
    return made


def _digest(params: Params) -> str:
    asked = {name: value for name, value in _plain(params).items() if name not in _ABOUT_NOW}
    return hashlib.sha256(canonical(asked)).hexdigest()
