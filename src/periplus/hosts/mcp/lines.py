"""Lines on stdin that are no message: mended where nothing else is lost by it, else answered; nobody waits for ever."""

from __future__ import annotations

import json
import re
from contextvars import Context
from types import TracebackType
from typing import Any, Self

import anyio
import mcp_types as types
from mcp.shared.message import SessionMessage
from pydantic import ValidationError

_PARSE, _INVALID = -32700, -32600
_HALF = re.compile("[\ud800-\udfff]")
_HALF_READ = "\ufffd"


class Lines:
    """What comes in, without what cannot be read."""

    def __init__(self, incoming: Any, outgoing: Any) -> None:
        self._incoming = incoming
        self._outgoing = outgoing

    @property
    def last_context(self) -> Context | None:
        """Where the last message was sent from."""
        context: Context | None = self._incoming.last_context
        return context

    async def receive(self) -> SessionMessage:
        """The next message; what is none is answered in passing."""
        while True:
            item = await self._incoming.receive()
            if not isinstance(item, Exception):
                message: SessionMessage = item
                return message
            read = _read(item)
            if isinstance(read, types.JSONRPCError):
                await self._outgoing.send(SessionMessage(read))
            elif read is not None:
                return SessionMessage(read)

    async def aclose(self) -> None:
        await self._incoming.aclose()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> SessionMessage:
        try:
            return await self.receive()
        except anyio.EndOfStream as error:
            raise StopAsyncIteration from error

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None,
        exc_val: BaseException | None,
        exc_tb: TracebackType | None,
    ) -> None:
        await self.aclose()


def _read(fault: Exception) -> types.JSONRPCMessage | types.JSONRPCError | None:
    """The message a line was meant to be, or what is said of it; None of a blank line."""
    inputs = [error["input"] for error in fault.errors()] if isinstance(fault, ValidationError) else [""]
    # Of a message one member of which is wrong, some errors are about that member and some about the message.
    line = next((one for one in inputs if isinstance(one, dict) and "jsonrpc" in one), inputs[0])
    if isinstance(line, str) and not line.strip():
        return None
    try:
        value = _whole(json.loads(line) if isinstance(line, str) else line)
    except ValueError as error:
        return _refused(None, _PARSE, f"the line is not JSON: {error}")
    except RecursionError:
        return _refused(None, _PARSE, "the line nests too deep")
    try:
        return types.jsonrpc_message_adapter.validate_python(value, by_name=False)
    except ValidationError:
        id_ = value.get("id") if isinstance(value, dict) else None
        known = id_ if isinstance(id_, int | str) and not isinstance(id_, bool) else None
        return _refused(known, _INVALID, "the line is JSON, but no message of JSON-RPC 2.0")


def _whole(value: Any) -> Any:
    """Texts without halves of characters, which clients leave where they cut a text in the middle of an emoji."""
    if isinstance(value, str):
        return _HALF.sub(_HALF_READ, value)
    if isinstance(value, list):
        return [_whole(item) for item in value]
    if isinstance(value, dict):
        return {_whole(name): _whole(item) for name, item in value.items()}
    return value


def _refused(id_: int | str | None, code: int, message: str) -> types.JSONRPCError:
    return types.JSONRPCError(jsonrpc="2.0", id=id_, error=types.ErrorData(code=code, message=message))
