"""What servers ask of a client: only what takes nobody to answer is answered; the rest is refused by name (S-97)."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from contextlib import contextmanager
from typing import Any

from periplus.model import Code, Problem
from periplus.ports import Ask

_WORDS = {
    "elicitation/create": "a person's answer",
    "sampling/createMessage": "a model's answer",
}
_SHOWN = 200


class Inquiries:
    """What one server asks, and during which of our requests it did."""

    def __init__(self) -> None:
        self._heard: list[tuple[list[str], Ask | None]] = []

    @contextmanager
    def heard_in(self, heard: list[str], ask: Ask | None = None) -> Generator[None]:
        """Write down what is asked and refused while the block runs; `ask` puts it to the caller of the request."""
        self._heard.append((heard, ask))
        try:
            yield
        finally:
            self._heard = [other for other in self._heard if other[0] is not heard]

    async def answer(self, method: str, params: Mapping[str, Any] | None) -> dict[str, Any] | None:
        """The answer, where one is to be had; None is a refusal, which is remembered.

        A caller is only asked where the question can be nobody else's: while theirs is the only request.
        """
        answer = plain_answer(method)
        if answer is None and len(self._heard) == 1 and (ask := self._heard[0][1]) is not None:
            answer = await ask(method, dict(params or {}))
        if answer is None:
            for heard, _ in self._heard:
                heard.append(described(method, params or {}))
        return answer


def plain_answer(method: str) -> dict[str, Any] | None:
    """That we are there, and that it may look at no directory."""
    return {"ping": {}, "roots/list": {"roots": []}}.get(method)


def described(method: str, params: Mapping[str, Any]) -> str:
    """What was asked for, with the words it was asked in."""
    message = params.get("message")
    told = f": {message[:_SHOWN]!r}" if isinstance(message, str) and message else ""
    return f"{_WORDS.get(method, method)} ({method}{told})"


def first_text(result: Mapping[str, Any]) -> str:
    """What a result says first."""
    content = result.get("content")
    texts = [each.get("text") for each in content if isinstance(each, dict)] if isinstance(content, list) else []
    return next((text[:_SHOWN] for text in texts if isinstance(text, str)), "")


def unanswered(asked: list[str], said: str = "") -> Problem:
    """The refusal of a call whose server wanted more than its arguments."""
    wanted = ", ".join(dict.fromkeys(asked))
    return Problem(
        Code.UNAVAILABLE,
        f"the server asks for {wanted}, and nobody here can give it" + (f"; it said: {said}" if said else ""),
        hints=("give it in the arguments, if the tool takes it there", "use the server from a client with a person"),
        details={"asked": list(dict.fromkeys(asked))},
    )
