"""An agent over plain HTTP that follows what it reads: text, object, and the calls printed in both."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

import httpx2

Serve = Callable[..., AbstractContextManager[str]]
"""Starts a gateway on loopback, by settings; where it is reached."""

_NEXT = re.compile(r"^\*\*Page\*\*: .*? Next: (\w+\(.*\))$", re.MULTILINE)
AREA = re.compile(r"^ *- \*\*([^*]+)\*\*: \((\d+) tools?(?:, (\d+) areas?)?\)(?: - (.*))?$", re.MULTILINE)
TOOL = re.compile(r"^ \* Tool: (\S+)$", re.MULTILINE)


class Answer:
    """What one call brought."""

    def __init__(self, reply: httpx2.Response) -> None:
        self.status = reply.status_code
        self.body: dict[str, Any] = reply.json()
        self.text: str = self.body.get("text", "")
        self.error: str = self.body.get("_PROTOCOL_ERROR", "")

    @property
    def areas(self) -> list[str]:
        return [found[0] for found in AREA.findall(self.text)]

    @property
    def tools(self) -> list[str]:
        return TOOL.findall(self.text)

    @property
    def next(self) -> tuple[str, dict[str, Any]] | None:
        """The printed next call; the object beside the text says the same."""
        found = _NEXT.search(self.text)
        if found is None or '"..."' in found[1]:
            assert "next" not in self.body.get("page", {})
            return None
        call = parsed(found[1])
        assert call == (self.body["page"]["next"]["tool"], self.body["page"]["next"]["arguments"])
        return call


class Agent:
    """Speaks for one session."""

    def __init__(self, base: str, session: str = "agent") -> None:
        self.base = base
        self.session = session

    def ask(self, tool: str, arguments: dict[str, Any] | None = None, /, **more: Any) -> Answer:
        said = {"session": self.session} if self.session else {}
        body = {**said, **(arguments or {}), **more}
        return Answer(httpx2.post(f"{self.base}/v1/handshake/{tool}", json=body, timeout=60))

    def follow(self, answer: Answer) -> list[Answer]:
        """The answer and all pages that its printed next calls lead to."""
        pages = [answer]
        while following := pages[-1].next:
            pages.append(self.ask(following[0], following[1]))
            assert len(pages) < 5000
        return pages

    def printed(self, text: str) -> Answer:
        """Make a call as it is printed."""
        tool, arguments = parsed(text)
        return self.ask(tool, arguments)


def parsed(text: str) -> tuple[str, dict[str, Any]]:
    """A printed call as name and arguments."""
    tree = ast.parse(
        re.sub(r"\b(true|false|null)\b", lambda m: {"true": "True", "false": "False"}.get(m[0], "None"), text)
    )
    call = tree.body[0].value
    return call.func.id, {word.arg: ast.literal_eval(word.value) for word in call.keywords}
