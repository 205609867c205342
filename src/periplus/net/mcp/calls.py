"""Calls over the pooled sessions: the port `McpOut`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import anyio

from periplus.model import Code, Principal, Problem, SourceSpec
from periplus.net.mcp.blame import named
from periplus.net.mcp.inquiries import described, plain_answer, unanswered
from periplus.net.mcp.pool import McpPool
from periplus.ports import Calling, Dialogue, McpRequest, Site, Stop, Told, here, no_progress, traceparent

_ROUNDS = 10
_FIRST_PAUSE_S, _MOST_PAUSE_S = 0.05, 1.0


class McpCalls:
    """Sends requests to servers, each within its own deadline; what ends a call ends it at the server too (S-97)."""

    def __init__(self, pool: McpPool) -> None:
        self._pool = pool

    async def call(self, request: McpRequest, site: Site, calling: Calling) -> dict[str, Any]:
        """The result. A server that wants to be asked again is; one that wants a person or a model is refused.

        Unless the caller speaks MCP: then it is asked now, or the question is the result.
        """
        ends = anyio.current_time() + calling.timeout_s
        place = traceparent(here())
        whole = request.params | ({"_meta": {"traceparent": place}} if place else {})
        talk = calling.dialogue
        params, pause = whole | _resumed(talk), _FIRST_PAUSE_S
        for _ in range(_ROUNDS):
            left = max(ends - anyio.current_time(), 0.001)
            result = await self._once(request, params, site.spec, calling, left)
            if result.get("resultType") != "input_required":
                return result
            if talk and talk.ask is None:
                return result
            began = anyio.current_time()
            answers = await _answers(site.spec, result, talk)
            ends += anyio.current_time() - began  # a person may think for as long as they like
            if not answers:
                await anyio.sleep(pause)
                pause = min(pause * 2, _MOST_PAUSE_S)
            params = {**whole, **answers, **_state(result)}
        raise Problem(Code.UPSTREAM_ERROR, f"source {site.spec.id!r} wants to be asked again more than {_ROUNDS} times")

    async def watch(self, uri: str, site: Site, principal: Principal, told: Told) -> Stop:
        """Changes inside a resource, over the session that its principal's calls use."""
        return await self._pool.watch(site.spec, uri, told, principal=principal)

    async def _once(
        self, request: McpRequest, params: dict[str, Any], spec: SourceSpec, calling: Calling, seconds: float
    ) -> dict[str, Any]:
        return await self._pool.request(
            spec,
            request.method,
            params,
            principal=calling.principal,
            timeout_s=seconds,
            headers=request.headers,
            on_progress=None if calling.progress is no_progress else _Told(calling),
            dialogue=calling.dialogue,
            listener=calling.listener,
        )


class _Told:
    """Progress as callers hear it: what servers say of it is text or nothing."""

    def __init__(self, calling: Calling) -> None:
        self._calling = calling

    async def __call__(self, progress: float, total: float | None, message: str | None) -> None:
        await self._calling.progress(progress, total, message or "")


def _resumed(talk: Dialogue | None) -> dict[str, Any]:
    """What the caller has answered to the question that was the last result."""
    if talk is None:
        return {}
    said = {"inputResponses": talk.answers} if talk.answers else {}
    return said | ({"requestState": talk.state} if talk.state else {})


async def _answers(spec: SourceSpec, result: Mapping[str, Any], talk: Dialogue | None) -> dict[str, Any]:
    """What a server's questions are answered with; a question for a person or a model ends the call."""
    asked = result.get("inputRequests")
    questions = asked if isinstance(asked, dict) else {}
    answers: dict[str, Any] = {}
    refused: list[str] = []
    for name, question in questions.items():
        method = str(question.get("method")) if isinstance(question, dict) else ""
        said = question.get("params") if isinstance(question, dict) else None
        params = said if isinstance(said, dict) else {}
        answer = await talk.ask(method, params) if talk and talk.ask else None
        answer = answer or plain_answer(method)
        if answer is None:
            refused.append(described(method, params))
        else:
            answers[name] = answer
    if refused:
        raise named(spec.id, unanswered(refused), str)
    return {"inputResponses": answers} if answers else {}


def _state(result: Mapping[str, Any]) -> dict[str, Any]:
    state = result.get("requestState")
    return {"requestState": state} if isinstance(state, str) else {}
