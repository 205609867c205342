"""The harbour that the published examples speak of."""

from __future__ import annotations

from typing import Any

_RESERVATION = {
    "type": "object",
    "required": ["id", "berth", "from"],
    "properties": {
        "id": {"type": "string"},
        "berth": {"type": "string"},
        "from": {"type": "string"},
        "cost": {"type": ["number", "null"]},
    },
}
_RESERVE = {
    "type": "object",
    "required": ["berth", "date", "ship"],
    "properties": {
        "berth": {"type": "string", "description": 'Berth code, e.g. "B4"'},
        "date": {"type": "string", "format": "date", "description": "Day of arrival"},
        "ship": {
            "type": "object",
            "description": "The ship that arrives",
            "required": ["length_m"],
            "properties": {
                "length_m": {"type": "number", "minimum": 1, "maximum": 450, "description": "Metres"},
                "name": {"type": "string"},
            },
        },
        "side": {"enum": ["port", "starboard"], "default": "port", "description": "Mooring side"},
    },
}


def _operation(name: str, area: str, summary: str, **more: Any) -> dict[str, Any]:
    return {
        "operationId": name,
        "tags": [area],
        "summary": summary,
        "responses": {"200": {"description": "done"}},
        **more,
    }


HARBOUR: dict[str, Any] = {
    "openapi": "3.2.0",
    "info": {"title": "Harbour API", "version": "2.1", "description": "Quote a berth before you reserve it."},
    "servers": [{"url": "/"}],
    "tags": [
        {"name": "berths", "description": "Find and reserve places for ships"},
        {"name": "prices", "parent": "berths", "description": "Tariffs"},
        {"name": "pilots", "description": "Duty rota and assignment"},
    ],
    "paths": {
        "/berths": {
            "get": _operation("berths_list", "berths", "All free berths."),
            "post": _operation(
                "berths_reserve",
                "berths",
                "Reserve a berth for a ship on one day.",
                requestBody={"required": True, "content": {"application/json": {"schema": _RESERVE}}},
                responses={
                    "201": {
                        "description": "Reserved",
                        "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Reservation"}}},
                    }
                },
            ),
        },
        "/prices": {"get": _operation("prices_list", "prices", "What a day costs.")},
        "/pilots/{id}": {
            "delete": _operation(
                "pilots_dismiss",
                "pilots",
                "Dismiss a pilot.",
                parameters=[{"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}],
            )
        },
    },
    "components": {"schemas": {"Reservation": _RESERVATION}},
}
