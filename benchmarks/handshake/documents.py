"""Sites of any size for the grid: so many operations in so many areas, the same bytes for the same numbers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

_NOUNS = ("valve", "pump", "gauge", "filter", "meter", "sluice", "basin", "turbine", "boiler", "crane")
_VERBS = ("read", "list", "open", "close", "reset", "inspect", "drain")
_ID = {"name": "id", "in": "path", "required": True, "description": "Which one", "schema": {"type": "string"}}
_FILTERS: tuple[dict[str, Any], ...] = (
    {
        "name": "state",
        "in": "query",
        "description": "Only in this state",
        "schema": {"type": "string", "enum": ["open", "closed", "broken"]},
    },
    {
        "name": "limit",
        "in": "query",
        "description": "How many at most",
        "schema": {"type": "integer", "minimum": 1, "maximum": 100, "default": 20},
    },
    {"name": "since", "in": "query", "description": "Not before", "schema": {"type": "string", "format": "date"}},
)
_READING: dict[str, Any] = {
    "type": "object",
    "required": ["id", "state"],
    "properties": {
        "id": {"type": "string"},
        "state": {"type": "string"},
        "pressure": {"type": "number", "description": "Bar"},
        "checked": {"type": "string", "format": "date-time"},
    },
}


def area(number: int) -> str:
    """The name of an area."""
    return f"plant_{number:04}"


def operation(number: int, areas: int) -> tuple[str, str, str]:
    """Name, area and summary of one operation."""
    verb, noun = _VERBS[number % len(_VERBS)], _NOUNS[number // len(_VERBS) % len(_NOUNS)]
    place = number % areas
    return f"{verb}_{noun}_{number:06}", area(place), f"{verb.title()} {noun} {number} of plant {place}."


def _operations(tools: int, areas: int) -> Iterator[tuple[str, str, str]]:
    return (operation(number, areas) for number in range(tools))


def openapi(tools: int, areas: int) -> dict[str, Any]:
    """An OpenAPI document with a path parameter and up to three filters for each operation."""
    ok = {"description": "As it is now.", "content": {"application/json": {"schema": _REFERENCE}}}
    paths = {
        f"/{name}/{{id}}": {
            "get": {
                "operationId": name,
                "tags": [tag],
                "summary": summary,
                "parameters": [_ID, *_FILTERS[: number % (len(_FILTERS) + 1)]],
                "responses": {"200": ok},
            }
        }
        for number, (name, tag, summary) in enumerate(_operations(tools, areas))
    }
    tags = [{"name": area(number), "description": f"Works of plant {number}"} for number in range(areas)]
    return {
        "openapi": "3.0.3",
        "info": {"title": f"Works of {tools} operations", "version": "1.0"},
        "servers": [{"url": "/"}],
        "tags": tags,
        "paths": paths,
        "components": {"schemas": {"Reading": _READING}},
    }


def sdl(tools: int, areas: int) -> str:
    """A GraphQL schema with a query field for each operation; what a field gives is of its area's type."""
    types = [
        f'"Works of plant {number}" type Plant{number:04} {{ id: ID! state: String pressure: Float checked: String }}'
        for number in range(areas)
    ]
    fields = [
        f'"{summary}" {name}(id: ID!, state: String, limit: Int = 20): Plant{int(tag[-4:]):04}'
        for name, tag, summary in _operations(tools, areas)
    ]
    return "\n".join([*types, "type Query {", *fields, "}"])


_REFERENCE = {"$ref": "#/components/schemas/Reading"}
