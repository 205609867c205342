"""A manifest in both dialects, and reading one over the real guard."""

from __future__ import annotations

import copy
from typing import Any

from periplus.model import Document, Draft, Reading, SourceSpec, Unchanged
from periplus.net import Fetcher, FetchPolicy
from periplus.ports import McpLinks, ReadLimits, Wires
from periplus.sources.manifest import ManifestSource

LIST = "/api/v1/tools"
CONDITIONS = {"status_field": "state", "success_values": ["done"]}
DOC: dict[str, Any] = {
    "protocol_version": "1.0",
    "generated_at": "2031-05-02T08:00:00Z",
    "scenario": {"name": "harbour", "version": "1.4.0", "description": "Berths and pilots."},
    "capabilities": {"supports_async": True},
    "categories": [{"id": "berths", "name": "Berths", "description": "Where ships lie.", "display_order": 10}],
    "tools": [
        {
            "name": "find_berths",
            "description": "List free berths on a day.",
            "category": "berths",
            "parameters": {
                "type": "object",
                "properties": {
                    "date": {"type": "string", "format": "date", "minLength": 10},
                    "min_length_m": {"type": "number", "default": 0},
                },
                "required": ["date"],
            },
            "metadata": {
                "enabled_by_default": True,
                "requires_approval": False,
                "timeout_seconds": 10,
                "rate_limit_per_minute": 30,
                "cost_estimate": "low",
                "idempotent": True,
                "tags": ["read"],
                "examples": [{"description": "Tonight", "input": {"date": "2031-05-02"}}],
            },
        },
        {
            "name": "dredge",
            "description": "Deepen a berth.",
            "category": "berths",
            "parameters": {"type": "object", "properties": {"berth": {"type": "string"}}},
            "metadata": {
                "enabled_by_default": True,
                "modifies_state": True,
                "long_running": True,
                "async_behavior": {
                    "status_polling": {
                        "status_tool": "dredge_status",
                        "operation_id_field": "run",
                        "status_tool_id_param": "run",
                        "poll_interval_seconds": 5,
                    },
                    "completion_conditions": CONDITIONS,
                },
            },
        },
        {
            "name": "dredge_status",
            "description": "How far a dredging is.",
            "parameters": {"type": "object", "properties": {"run": {"type": "string"}}},
            "metadata": {"enabled_by_default": True, "internal_only": True, "modifies_state": False},
        },
    ],
}
PROTO: dict[str, Any] = {
    "protocolVersion": "1.0",
    "generatedAt": "2031-05-02T08:00:00Z",
    "scenario": {"name": "harbour", "version": "1.4.0", "description": "Berths and pilots."},
    "capabilities": {"supportsAsync": True},
    "categories": [{"id": "berths", "name": "Berths", "description": "Where ships lie.", "displayOrder": 10}],
    "tools": [
        {
            "name": "find_berths",
            "description": "List free berths on a day.",
            "category": "berths",
            "parameters": {
                "type": "object",
                "properties": {
                    "date": {"type": "string", "format": "date", "minLength": "10"},
                    "min_length_m": {"type": "number", "default": {"doubleValue": 0}},
                },
                "required": ["date"],
            },
            "metadata": {
                "enabledByDefault": True,
                "requiresApproval": False,
                "timeoutSeconds": 10,
                "rateLimitPerMinute": "30",
                "costEstimate": "low",
                "idempotent": True,
                "tags": ["read"],
                "examples": [{"description": "Tonight", "input": {"fields": {"date": {"stringValue": "2031-05-02"}}}}],
            },
        },
        {
            "name": "dredge",
            "description": "Deepen a berth.",
            "category": "berths",
            "parameters": {"type": "object", "properties": {"berth": {"type": "string"}}},
            "metadata": {
                "enabledByDefault": True,
                "modifiesState": True,
                "longRunning": True,
                "asyncBehavior": {
                    "statusPolling": {
                        "statusTool": "dredge_status",
                        "operationIdField": "run",
                        "statusToolIdParam": "run",
                        "pollIntervalSeconds": "5",
                    },
                    "completionConditions": {"statusField": "state", "successValues": ["done"]},
                },
            },
        },
        {
            "name": "dredge_status",
            "description": "How far a dredging is.",
            "parameters": {"type": "object", "properties": {"run": {"type": "string"}}},
            "metadata": {"enabledByDefault": True, "internalOnly": True, "modifiesState": False},
        },
    ],
}


def changed(**members: Any) -> dict[str, Any]:
    """The plain manifest with other members; `None` leaves one out."""
    made = copy.deepcopy(DOC) | members
    return {name: value for name, value in made.items() if value is not None}


def tool(name: str = "t", **members: Any) -> dict[str, Any]:
    """A tool with nothing wrong in it."""
    made = {"name": name, "description": "Does it.", "parameters": {"type": "object", "properties": {}}}
    return made | {"metadata": {"enabled_by_default": True}} | members


class NoLinks(McpLinks):
    """Manifests need no MCP."""


class Reader:
    """One adapter that reads again and again, as the gateway's does."""

    def __init__(self) -> None:
        self.source = ManifestSource()

    async def read(
        self, url: str, known: Document | None = None, limits: ReadLimits | None = None, **spec: Any
    ) -> Reading | Unchanged:
        made = SourceSpec(id="harbour", kind="manifest", url=url, **spec)
        fetcher = Fetcher(FetchPolicy())
        try:
            wires = Wires(fetch=fetcher.for_source(made), mcp=NoLinks(), limits=limits or ReadLimits())
            return await self.source.read(made, wires, known)
        finally:
            await fetcher.close()

    async def all(self, url: str, **more: Any) -> tuple[Reading, dict[str, Draft]]:
        """A reading with its stream read to the end, by key."""
        reading = await self.read(url, **more)
        assert isinstance(reading, Reading)
        drafts = list(reading.drafts)
        assert len({(draft.key, draft.origin) for draft in drafts}) == len(drafts)
        return reading, {draft.key: draft for draft in drafts}
