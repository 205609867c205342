"""What a GraphQL server says of a call: a field's value, with or without complaints, or a refusal (S-86, S-87)."""

from __future__ import annotations

from typing import Any

import msgspec

from periplus.answers import Asked, Received, answer_of, refusal
from periplus.answers.media import Form
from periplus.answers.pages import next_arguments
from periplus.model import Answer, Effect, Tool
from periplus.transports.graphql.complaints import messages_in, no_value, note_of
from periplus.transports.graphql.request import Question

_JSON = ("content-type", "application/json")
_NOTES = 10
_NO_GRAPHQL = "the answer is no GraphQL: it has neither data nor errors"


def outcome(received: Received, question: Question, tool: Tool) -> Answer:
    """The field's value, by its place in `data`; any status with a GraphQL body is read as GraphQL."""
    asked = Asked(
        method=question.method,
        url=question.origin + question.target,
        writes=tool.effect > Effect.READ,
        arguments=dict(question.arguments),
        query={name: name for name in tool.binding["variables"]},
        args_schema=tool.args_schema,
    )
    answer = _graphql(received, asked)
    if answer is None and received.status >= 300:
        raise refusal(received)
    if answer is None:
        plain = answer_of(received, msgspec.structs.replace(asked, query={}))
        return msgspec.structs.replace(plain, notes=(*plain.notes, _NO_GRAPHQL))
    return _opened(answer, received, asked, tool)


def _graphql(received: Received, asked: Asked) -> Answer | None:
    """The body as JSON, where it is a GraphQL answer; None for anything else."""
    if received.media.form not in {Form.JSON, Form.UNSAID} and not received.body.lstrip().startswith(b"{"):
        return None
    headers = (_JSON, *(each for each in received.headers if each[0] != "content-type"))
    readable = msgspec.structs.replace(received, status=200, headers=headers)
    answer = answer_of(readable, msgspec.structs.replace(asked, query={}))
    value = answer.value
    if not isinstance(value, dict) or not ("data" in value or isinstance(value.get("errors"), list)):
        return None
    meta = answer.meta | {"http_status": received.status}
    if received.media.type:
        meta["media_type"] = received.media.type
    return msgspec.structs.replace(answer, meta=meta)


def _opened(answer: Answer, received: Received, asked: Asked, tool: Tool) -> Answer:
    body: dict[str, Any] = answer.value
    path = tuple(tool.binding["path"])
    errors = [each for each in body.get("errors") or () if isinstance(each, dict | str)]
    value = _at(body.get("data"), path)
    if errors and value is None:
        raise no_value(errors, received, ".".join(path))
    notes = [note_of(each) for each in errors[:_NOTES]]
    if len(errors) > _NOTES:
        notes.append(f"and {len(errors) - _NOTES} more errors")
    more = next_arguments(value, received, asked)
    return msgspec.structs.replace(
        answer,
        value=value,
        meta=answer.meta | ({"next": more} if more else {}),
        notes=(*answer.notes, *notes, *_reported(value, tool)),
    )


def _at(data: Any, path: tuple[str, ...]) -> Any:
    for name in path:
        data = data.get(name) if isinstance(data, dict) else None
    return data


def _reported(value: Any, tool: Tool) -> tuple[str, ...]:
    """A note where a payload says by itself that something went wrong."""
    if not isinstance(value, dict):
        return ()
    member = value.get("__typename")
    if member in tool.binding.get("faults", ()):
        said = value.get("message")
        return (f"reports_errors: {member}{f': {said}' if isinstance(said, str) else ''}",)
    return tuple(
        f"reports_errors: {name}: {'; '.join(messages_in(listed)) or f'{len(listed)} without a message'}"
        for name, listed in value.items()
        if (name == "errors" or name.endswith("Errors")) and isinstance(listed, list) and listed
    )
