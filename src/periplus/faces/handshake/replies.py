"""Answers for every wire at once: a text for the model, an object for programs, and how long the second may be."""

from __future__ import annotations

from typing import Any

from periplus.faces.handshake.calls import json_text
from periplus.faces.handshake.errors import error_object, structured_error
from periplus.model import Code, Problem
from periplus.ports import Reply, Request

_LEANER = (("areas", ("summary",)), ("actions", ("summary", "ref")), ("areas", ("tools", "areas")), ("actions", ()))


class Replies:
    """Makes replies as `[handshake] structured` wants them."""

    def __init__(self, structured: str) -> None:
        self._structured = structured

    def said(
        self, text: str, body: dict[str, Any], *, full: dict[str, Any] | None = None, session: str = "", **more: Any
    ) -> Reply:
        """A success. `full` is the object with schemas in it, where that is another one."""
        if session:
            text = f'SESSION: pass session="{session}" in every call\n{text}'
            body = body | {"session": session}
        whole = body | (full or {})
        return Reply(body=whole | {"text": text}, text=text, structured=self._compact(text, body, whole), **more)

    def refused(self, problem: Problem, request: Request) -> Reply:
        """A failure, on every wire with everything there is to say (H-2)."""
        body = structured_error(problem, request.trace)
        gate = problem.code is Code.HANDSHAKE_REQUIRED
        shown = error_object(problem)
        if not gate and problem.code in (Code.INTERNAL, Code.STORE_ERROR):
            shown |= {"trace_id": request.trace}
        text = json_text(shown)
        structured = None if self._structured == "off" else body
        return Reply(
            body=body | {"text": text},
            text=text,
            structured=structured,
            problem=problem,
            status=problem.code.status.http,
        )

    def _compact(self, text: str, body: dict[str, Any], whole: dict[str, Any]) -> dict[str, Any] | None:
        if self._structured == "off":
            return None
        if self._structured == "full":
            return whole
        return lean(body, len(text))


def lean(body: dict[str, Any], most: int) -> dict[str, Any]:
    """The object, at most as long as the text beside it: first summaries go, then counts (H-39)."""
    for members, names in _LEANER:
        if len(json_text(body)) <= most:
            break
        if isinstance(rows := body.get(members), list):
            kept = [{key: value for key, value in row.items() if key not in names} for row in rows]
            body = body | {members: kept if names else [{"id": row["id"]} for row in rows]}
    return body
