"""The nine tools as they are listed: words for the model, parameters, in phase order, the same for all (H-1)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from periplus.ports import Handler, Operation

_TEXT: Mapping[str, Any] = {"type": "string"}
_FLAG: Mapping[str, Any] = {"type": "boolean"}
_COUNT: Mapping[str, Any] = {"type": "integer"}
_PAGE: Mapping[str, Any] = {"_limit": _COUNT, "_offset": _COUNT}
_HYGIENE: Mapping[str, Any] = {
    "_select": {"description": 'Members to keep: "id,owner.email"'},
    "_filter": {"description": 'Rows to keep: "status=open"'},
}


def _said(kind: Mapping[str, Any], description: str) -> dict[str, Any]:
    return {**kind, "description": description}


_IDS = {"type": ["string", "array"], "items": _TEXT}


def _schema(properties: Mapping[str, Any], required: tuple[str, ...] = (), *, sited: bool = True) -> dict[str, Any]:
    members = {**properties, **({"site": _TEXT} if sited else {}), "session": _TEXT}
    made: dict[str, Any] = {"type": "object", "properties": members, "additionalProperties": False}
    return made | ({"required": list(required)} if required else {})


class _Tool(NamedTuple):
    """One of the nine, in words for the model."""

    name: str
    title: str
    description: str
    input: dict[str, Any]
    hints: frozenset[str]


_NINE = (
    _Tool(
        "connect_to_site",
        "Connect",
        "Phase 1: connect an API (OpenAPI, GraphQL, MCP, native site).",
        _schema(
            {
                "url": _said(_TEXT, 'Address, or "catalog"'),
                "kind": _said(_TEXT, "openapi, graphql, native, mcp, manifest"),
                "get_manifest": _said(_FLAG, "Show the manifest too"),
                "full": _FLAG,
                "name": _said(_TEXT, "Site id to use"),
                "refresh": _said(_FLAG, "Read again"),
            },
            ("url",),
            sited=False,
        ),
        frozenset({"idempotent", "open_world"}),
    ),
    _Tool(
        "get_manifest",
        "Manifest",
        "Phase 2: rules and areas of the site. Required before acting.",
        _schema({"full": _said(_FLAG, "List tools too"), "landmark_id": _TEXT, **_PAGE}),
        frozenset({"reads", "idempotent"}),
    ),
    _Tool(
        "get_landmarks",
        "Landmarks",
        "Phase 3: areas, from the root or below one.",
        _schema({"landmark_id": _said(_TEXT, "Area"), **_PAGE}),
        frozenset({"reads", "idempotent"}),
    ),
    _Tool(
        "inspect_landmark",
        "Inspect",
        "Phase 4: signatures of actions and areas.",
        _schema({"landmark_id": _said(_IDS, "Ids"), "full": _said(_FLAG, "Shorten nothing"), **_PAGE}),
        frozenset({"reads", "idempotent"}),
    ),
    _Tool(
        "search_landmarks",
        "Search",
        "Phases 3+4: find actions by regex; | for alternatives.",
        _schema(
            {
                "query": _said(_TEXT, "Regular expression or words"),
                "landmark_id": _said(_TEXT, "Area to search"),
                "type": {"enum": ["action", "navigation"]},
                **_PAGE,
            },
            ("query",),
        ),
        frozenset({"reads", "idempotent"}),
    ),
    _Tool(
        "call_action",
        "Call",
        "Phase 5: run one action.",
        _schema(
            {
                "action": _said(_TEXT, "Id"),
                "parameters": {"type": "object"},
                **_HYGIENE,
                **_PAGE,
                "alias": _said(_TEXT, "Name for the result"),
                "approval_id": _TEXT,
                "idempotency_key": _TEXT,
                "timeout_seconds": {"type": "number"},
            },
            ("action",),
        ),
        frozenset({"destroys", "open_world"}),
    ),
    _Tool(
        "execute_sequence",
        "Sequence",
        "Phase 5: run steps in order; $alias.field carries results on.",
        _schema(
            {
                "actions": _said(
                    {"type": "array", "items": {"type": "object"}},
                    "Steps {action, parameters, alias, condition, foreach, on_error, retry} or {parallel: [...]}",
                ),
                "approval_id": _TEXT,
                "timeout_seconds": {"type": "number"},
            },
            ("actions",),
        ),
        frozenset({"destroys", "open_world"}),
    ),
    _Tool(
        "list_aliases",
        "Aliases",
        "Results of this session, or pages of one.",
        _schema({"alias": _said(_TEXT, "Name or path: recs[0:20].id"), **_HYGIENE, **_PAGE}),
        frozenset({"reads", "idempotent"}),
    ),
    _Tool(
        "clear_session",
        "Clear",
        "Forget results; all: sites too.",
        _schema({"all": _FLAG}, sited=False),
        frozenset({"idempotent"}),
    ),
)


def operations(handlers: Mapping[str, Handler]) -> tuple[Operation, ...]:
    """The nine, each with what answers it."""
    return tuple(_operation(one, handlers[one.name]) for one in _NINE)


def _operation(one: _Tool, handler: Handler) -> Operation:
    return Operation(
        name=one.name,
        title=one.title,
        description=one.description,
        input=one.input,
        handler=handler,
        listed_output=False,
        reads="reads" in one.hints,
        destroys="destroys" in one.hints,
        idempotent="idempotent" in one.hints,
        open_world="open_world" in one.hints,
    )
