"""Generated APIs: so many tools in so many areas, each area a tag."""

from __future__ import annotations

from typing import Any

_NOUNS = ("valve", "pump", "gauge", "filter", "meter", "sluice", "basin", "turbine")
_VERBS = ("get", "list", "open", "close", "read", "reset")


def grid(tools: int, areas: int, *, deep: bool = False) -> dict[str, Any]:
    """An OpenAPI document; `deep` nests ten areas under each top one."""
    paths: dict[str, Any] = {}
    names = [f"area_{number:04}" for number in range(areas)]
    tags: list[dict[str, Any]] = [{"name": name, "description": f"Works {name[5:]}"} for name in names]
    if deep:
        tags = [
            tag | {"parent": names[number - number % 10]} if number % 10 else tag for number, tag in enumerate(tags)
        ]
    for number in range(tools):
        verb, noun = _VERBS[number % len(_VERBS)], _NOUNS[number // len(_VERBS) % len(_NOUNS)]
        paths[f"/{noun}/{number}"] = {
            "get": {
                "operationId": f"{verb}_{noun}_{number:06}",
                "tags": [names[number % areas]],
                "summary": f"{verb.title()} the {noun} number {number}.",
                "parameters": [
                    {
                        "name": "id",
                        "in": "query",
                        "required": True,
                        "description": "Which",
                        "schema": {"type": "string"},
                    }
                ],
                "responses": {"200": {"description": "done"}},
            }
        }
    return {
        "openapi": "3.2.0",
        "info": {"title": f"Grid {tools}", "version": "1"},
        "servers": [{"url": "/"}],
        "tags": tags,
        "paths": paths,
    }
