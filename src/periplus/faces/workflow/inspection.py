"""What an operator asks over HTTP: sessions, one of them, and what is wrong with definitions (W-96)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import msgspec

from periplus.core.gateway import Gateway
from periplus.model import Code, Principal, Problem
from periplus.ports import HttpAnswer, HttpAsk, Route

_MOST = 1000
_decode = msgspec.json.Decoder(dict[str, Any]).decode
Answer = Callable[[Principal, dict[str, Any]], Awaitable[Any]]


class Inspection:
    """Three questions that no agent asks; they are answered while every gate is closed, too."""

    def __init__(self, gateway: Gateway) -> None:
        self._gateway = gateway

    def routes(self) -> tuple[Route, ...]:
        """Each under `/v1/workflow/`."""
        asked: tuple[tuple[str, str, Answer], ...] = (
            ("list_sessions", "Workflow sessions, the last used first", self._sessions),
            ("inspect_session", "One workflow session with all it remembers", self._session),
            ("list_problems", "What is wrong with definitions on disk", self._problems),
        )
        return tuple(
            Route(methods=("POST",), path=f"/v1/workflow/{name}", handler=_handler(answer), summary=summary)
            for name, summary, answer in asked
        )

    async def _sessions(self, principal: Principal, arguments: dict[str, Any]) -> Any:
        limit = arguments.get("limit", 100)
        if not isinstance(limit, int) or not 0 < limit <= _MOST:
            raise Problem(Code.BAD_INPUT, f"limit is {limit!r}", hints=(f"a whole number from 1 to {_MOST}",))
        return {"sessions": await self._gateway.workflows.sessions(principal, limit)}

    async def _session(self, principal: Principal, arguments: dict[str, Any]) -> Any:
        sid = arguments.get("sid")
        if not isinstance(sid, str) or not sid:
            raise Problem(Code.BAD_INPUT, "sid is missing", hints=("list_sessions names them",))
        return await self._gateway.workflows.session(principal, sid)

    async def _problems(self, principal: Principal, _arguments: dict[str, Any]) -> Any:
        problems, away = await self._gateway.workflows.problems(principal)
        return {"problems": [one.to_json() for one in problems], "away": list(away)}


def _handler(answer: Answer) -> Callable[[HttpAsk], Awaitable[HttpAnswer]]:
    async def handle(ask: HttpAsk) -> HttpAnswer:
        body = await answer(ask.request.principal, _arguments(ask.body))
        return HttpAnswer(body=msgspec.json.encode(body, enc_hook=str))

    return handle


def _arguments(body: bytes) -> dict[str, Any]:
    if not body.strip():
        return {}
    try:
        return _decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise Problem(Code.BAD_INPUT, f"the body is no JSON object: {error}", hints=("send an object",)) from error
