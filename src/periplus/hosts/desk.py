"""Where every wire hands a request in: the one frame in which nothing but an answer leaves a face."""

from __future__ import annotations

import difflib
import logging
from collections.abc import Sequence
from typing import Any

from periplus.model import Code, Problem
from periplus.ports import Face, Operation, Reply, Request, within

_log = logging.getLogger("periplus.hosts")


class Desk:
    """One face, asked by name. What goes wrong becomes that face's own refusal."""

    def __init__(self, face: Face) -> None:
        self.face = face
        self._listed: tuple[Operation, ...] = ()
        self._by_name: dict[str, Operation] = {}

    @property
    def _operations(self) -> dict[str, Operation]:
        """By name; a face may come to have more of them, or fewer."""
        listed = self.face.operations
        if listed is not self._listed:
            self._listed, self._by_name = listed, {operation.name: operation for operation in listed}
        return self._by_name

    def operation(self, name: str) -> Operation | None:
        return self._operations.get(name)

    async def ask(self, name: str, arguments: Any, request: Request) -> Reply | None:
        """The answer; None when the face has nothing of that name."""
        try:
            with within(request.origin):
                return await self._answer(name, _members(arguments), request)
        except Problem as problem:
            return self.face.refused(problem, request)
        except Exception:  # noqa: BLE001 - the outermost frame of a host: the caller gets a trace id, the log the rest
            _log.exception("%s.%s failed; trace %s", self.face.name, name, request.trace)
            return self.face.refused(_fault(request.trace), request)

    async def _answer(self, name: str, arguments: dict[str, Any], request: Request) -> Reply | None:
        operation = self._operations.get(name)
        if operation is None:
            return await self.face.other(name, arguments, request)
        return await operation.handler(request, arguments)

    def unknown(self, name: str) -> Problem:
        """The refusal of a name that means nothing here."""
        near = nearest(name, tuple(self._operations))
        return Problem(Code.NOT_FOUND, f"there is no operation {name[:80]!r}", hints=(f"did you mean {near!r}?",))


def nearest(name: str, known: Sequence[str]) -> str:
    """The known name most like this one."""
    return max(known, key=lambda one: difflib.SequenceMatcher(None, name[:80], one).ratio())


def _members(arguments: Any) -> dict[str, Any]:
    if isinstance(arguments, dict):
        return arguments
    kind = {"list": "an array", "str": "a text", "NoneType": "null"}.get(type(arguments).__name__, "a value")
    raise Problem(Code.BAD_INPUT, f"the arguments are {kind}, not an object", hints=('send {"name": value, ...}',))


def _fault(trace: str) -> Problem:
    return Problem(
        Code.INTERNAL,
        f"the gateway failed at this request (trace {trace})",
        hints=("the gateway's log says more under this trace",),
        details={"trace": trace},
    )
