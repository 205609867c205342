"""Problems and replies as HTTP responses."""

from __future__ import annotations

from typing import Any

import msgspec
from starlette.responses import Response

from periplus.model import Effect, Problem, ToolRef
from periplus.ports import HttpAnswer, Reply


def _other(value: Any) -> Any:
    if isinstance(value, Effect):
        return value.word
    if isinstance(value, ToolRef):
        return str(value)
    raise NotImplementedError(f"{type(value).__name__} has no form in JSON")


_encode = msgspec.json.Encoder(enc_hook=_other).encode


def json_response(value: Any, status: int = 200) -> Response:
    """A value as JSON."""
    return Response(_encode(value), status_code=status, media_type="application/json")


def reply_response(reply: Reply) -> Response:
    """A face's own answer; its problems have a shape of its own."""
    status = reply.problem.code.status.http if reply.problem and reply.status == 200 else reply.status
    response = json_response(reply.body, status)
    if reply.problem and (seconds := reply.problem.details.get("retry_after")):
        response.headers["retry-after"] = str(seconds)
    return response


def problem_response(problem: Problem, *, trace: str) -> Response:
    """A problem outside every face's own protocol (T-12)."""
    body = problem.to_json() | {"status": problem.code.status.http, "title": problem.message, "trace_id": trace}
    return Response(_encode(body), status_code=problem.code.status.http, media_type="application/problem+json")


def route_response(answer: HttpAnswer) -> Response:
    """What a face's own route answers."""
    return Response(answer.body, status_code=answer.status, media_type=answer.media_type, headers=answer.headers)
