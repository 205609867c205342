"""JSON-RPC 2.0: the same operations as methods, one by one or in a batch."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from periplus.hosts.desk import Desk, nearest
from periplus.model import Code, Problem
from periplus.ports import Reply, Request

_BATCH_MAX = 50
_PARSE, _INVALID, _NO_METHOD = -32700, -32600, -32601


class Rpc:
    """All faces' methods, each named by its face's prefix."""

    def __init__(self, desks: Mapping[str, Desk]) -> None:
        self._desks = tuple(desks.values())

    def _found(self, name: str) -> tuple[Desk, str] | None:
        """The desk a method is of; which operations a face has may change."""
        for desk in self._desks:
            prefix = desk.face.rpc_prefix
            if name.startswith(prefix) and desk.operation(name.removeprefix(prefix)) is not None:
                return desk, name.removeprefix(prefix)
        return None

    def _names(self) -> tuple[str, ...]:
        return tuple(f"{desk.face.rpc_prefix}{one.name}" for desk in self._desks for one in desk.face.operations)

    async def answer(self, message: Any, request: Request) -> Any | None:
        """The response to one message or a batch; None when nothing but notifications came."""
        if not isinstance(message, list):
            return await self._one(message, request)
        if not 0 < len(message) <= _BATCH_MAX:
            return _error(None, _INVALID, f"a batch holds 1 to {_BATCH_MAX} requests; this one has {len(message)}")
        answers = [await self._one(one, request) for one in message]
        return [answer for answer in answers if answer is not None] or None

    async def _one(self, message: Any, request: Request) -> dict[str, Any] | None:
        if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
            return _error(None, _INVALID, 'not a JSON-RPC 2.0 request: "jsonrpc": "2.0" is missing')
        name, id_ = message.get("method"), message.get("id")
        if not isinstance(name, str) or isinstance(id_, list | dict | bool):
            return _error(None, _INVALID, "a request has a method, and an id that is a text or a number")
        found = self._found(name)
        if found is None:
            near = nearest(name, self._names())
            return self._said(message, _error(id_, _NO_METHOD, f"no method {name[:80]!r}; did you mean {near!r}?"))
        desk, operation = found
        reply = await desk.ask(operation, message.get("params", {}), request)
        return self._said(message, _of(id_, reply, desk, operation))

    def _said(self, message: dict[str, Any], answer: dict[str, Any]) -> dict[str, Any] | None:
        return answer if "id" in message else None


def _of(id_: Any, reply: Reply | None, desk: Desk, operation: str) -> dict[str, Any]:
    if reply is None:
        return _error(id_, _NO_METHOD, desk.unknown(operation).message)
    if reply.problem is None:
        return {"jsonrpc": "2.0", "id": id_, "result": reply.body}
    body = reply.body
    data = body["error"] if isinstance(body, dict) and isinstance(body.get("error"), dict) else body
    return _error(id_, reply.problem.code.status.rpc, reply.problem.message, data)


def _error(id_: Any, code: int, message: str, data: Any = None) -> dict[str, Any]:
    error: dict[str, Any] = {"code": code, "message": message}
    return {"jsonrpc": "2.0", "id": id_, "error": error if data is None else error | {"data": data}}


def parse_error(problem: Problem) -> dict[str, Any]:
    """What a body that is no JSON is answered with."""
    code = _PARSE if problem.code is Code.BAD_INPUT else problem.code.status.rpc
    return _error(None, code, problem.message)
