"""`/openapi.json`: what this gateway serves over HTTP, made from the operations themselves."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from periplus.hosts.desk import Desk
from periplus.ports import Face, Operation, Route

_PROBLEM = {"$ref": "#/components/schemas/Problem"}
_PROBLEM_SCHEMA = {
    "type": "object",
    "required": ["code", "message", "hints", "retryable"],
    "properties": {
        "code": {"type": "string", "description": "What kind of problem; see the reference of problem codes."},
        "message": {"type": "string"},
        "hints": {"type": "array", "items": {}},
        "next_action": {"type": ["object", "null"]},
        "retryable": {"type": "boolean"},
        "details": {"type": "object"},
        "trace_id": {"type": "string"},
        "status": {"type": "integer"},
        "title": {"type": "string"},
    },
}
_SCHEMES = {
    "bearer": {"type": "http", "scheme": "bearer", "description": "A key of this gateway, or a token."},
    "key": {"type": "apiKey", "in": "header", "name": "X-API-Key", "description": "A key of this gateway."},
}
_STATUSES = ("400", "401", "403", "404", "405", "409", "413", "422", "425", "429", "499", "500", "502", "503", "504")


def document(desks: Mapping[str, Desk], version: str, *, named: bool = False) -> dict[str, Any]:
    """The OpenAPI 3.1 document; `named`: callers have to say who they are."""
    paths: dict[str, Any] = {}
    for desk in desks.values():
        for operation in desk.face.operations:
            paths[f"/v1/{desk.face.name}/{operation.name}"] = {"post": _operation(desk.face, operation)}
        for route in desk.face.routes:
            if route.summary:
                path = route.path.replace(":path}", "}")
                paths.setdefault(path, {}).update({m.lower(): _route(desk.face, route, m) for m in route.methods})
    return {
        "openapi": "3.1.0",
        "info": {"title": "Periplus", "version": version, "summary": "A tool-discovery gateway."},
        "tags": [{"name": desk.face.name, "description": _first_line(desk.face)} for desk in desks.values()],
        "paths": paths | _own_paths(),
        "components": {"schemas": {"Problem": _PROBLEM_SCHEMA}} | ({"securitySchemes": _SCHEMES} if named else {}),
    } | ({"security": [{name: []} for name in _SCHEMES]} if named else {})


def _first_line(face: Face) -> str:
    return face.instructions.strip().split("\n", 1)[0]


def _operation(face: Face, operation: Operation) -> dict[str, Any]:
    shape = {"type": "object"} if operation.output is None else _loose(operation.output)
    return {
        "tags": [face.name],
        "operationId": f"{face.name}_{operation.name}",
        "summary": operation.title,
        "description": operation.description,
        "requestBody": {
            "required": bool(operation.input.get("required")),
            "content": {"application/json": {"schema": _without_dialect(operation.input)}},
        },
        "responses": {
            "200": {"description": "The answer.", "content": {"application/json": {"schema": shape}}},
            **_refusals(),
        },
    }


def _without_dialect(schema: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in schema.items() if key != "$schema"}


def _loose(schema: dict[str, Any]) -> dict[str, Any]:
    """Over HTTP a face may add members (`text`, `_meta`) to what MCP calls structured content."""
    return {key: value for key, value in schema.items() if key not in ("$schema", "additionalProperties")}


def _refusals() -> dict[str, Any]:
    content = {"application/json": {"schema": {"type": "object"}}, "application/problem+json": {"schema": _PROBLEM}}
    return {status: {"description": "Refused; the body says why.", "content": content} for status in _STATUSES}


def _route(face: Face, route: Route, method: str) -> dict[str, Any]:
    names = [part.strip("{}").removesuffix(":path") for part in route.path.split("/") if part.startswith("{")]
    slug = route.path.strip("/").translate(str.maketrans("/{}.:-", "______"))
    made: dict[str, Any] = {
        "tags": [face.name],
        "operationId": f"{method.lower()}_{slug}",
        "summary": route.summary,
        "responses": {"200": {"description": "The answer."}, **_refusals()},
    }
    if names:
        made["parameters"] = [
            {"name": name, "in": "path", "required": True, "schema": {"type": "string"}} for name in names
        ]
    if method in ("POST", "PUT", "PATCH"):
        made["requestBody"] = {"content": {"application/json": {"schema": {"type": "object"}}}}
    return made


def _own_paths() -> dict[str, Any]:
    object_ = {"application/json": {"schema": {"type": "object"}}}
    text = {"text/plain": {"schema": {"type": "string"}}}
    rpc: dict[str, Any] = {"application/json": {"schema": {"type": ["object", "array"]}}}
    return {
        "/healthz": _about("Whether the process lives.", object_, is_open=True),
        "/readyz": _about("Whether it can serve.", object_, is_open=True),
        "/metrics": _about("Figures for Prometheus.", text),
        "/openapi.json": _about("This document.", object_),
        "/rpc": {
            "post": {
                "summary": "The same operations as JSON-RPC 2.0, one by one or in a batch.",
                "requestBody": {"content": rpc},
                "responses": {
                    "200": {"description": "The answers.", "content": rpc},
                    "204": {"description": "Nothing but notifications came."},
                    **_refusals(),
                },
            }
        },
    }


def _about(summary: str, content: dict[str, Any], *, is_open: bool = False) -> dict[str, Any]:
    responses = {"200": {"description": "The answer.", "content": content}, **_refusals()}
    said: dict[str, Any] = {"summary": summary, "responses": responses}
    if is_open:
        responses["503"] = {"description": "Not now.", "content": content}
        said["security"] = []
    return {"get": said}
