"""What a function is told of its call, and how it says that the call failed."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from periplus.model import LOCAL, Code, Principal


def _unheard(percent: float, message: str) -> None:
    """Progress for nobody."""


def _goes_on() -> bool:
    return False


class CallContext(msgspec.Struct, frozen=True, kw_only=True):
    """The call a function serves. A parameter annotated with it is filled in, never published (M-47)."""

    principal: Principal = LOCAL
    deadline: float | None = None  # seconds since the epoch
    idempotency_key: str = ""
    listener: Callable[[float, str], None] = _unheard
    ended: Callable[[], bool] = _goes_on

    def progress(self, percent: float, message: str = "") -> None:
        """Tell the caller how far the call is; safe from any thread."""
        self.listener(percent, message)

    @property
    def cancelled(self) -> bool:
        """Whether nobody waits for the result any more."""
        return self.ended()


class ToolError(Exception):
    """A failure the caller is meant to read: its code and message arrive as they are (S-103)."""

    def __init__(self, code: Code | str, message: str, status: int | None = None) -> None:
        super().__init__(message)
        self.code = code.value if isinstance(code, Code) else code
        self.message = message
        self.status = status  # of the answer over HTTP; None: the one of the code
