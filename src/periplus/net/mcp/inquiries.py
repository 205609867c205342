"""What servers ask of a client: only what takes nobody to answer is answered; the rest is refused by name (S-97)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from periplus.model import Code, Problem

_WORDS = {
    "elicitation/create": "a person's answer",
    "sampling/createMessage": "a model's answer",
}
_SHOWN = 200


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
