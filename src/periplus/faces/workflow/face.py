"""Twelve operations, a thirteenth where steps run tools, and three for whoever looks after the server."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from periplus.core.facing import Operands
from periplus.core.gateway import Gateway
from periplus.core.workflows.schemas import schemas
from periplus.faces.workflow import rendering
from periplus.faces.workflow.bounds import check_bounds
from periplus.faces.workflow.inspection import Inspection
from periplus.faces.workflow.schemas import DESCRIBED, INSTRUCTIONS, RUN_STEP, Described
from periplus.model import Problem
from periplus.ports import Handler, Operation, Reply, Request, Resource, Route
from periplus.settings import Settings


class WorkflowFace:
    """The workflow protocol over the gateway's workflows."""

    name = "workflow"
    instructions = INSTRUCTIONS
    rpc_prefix = "workflow."

    def __init__(self, gateway: Gateway, settings: Settings) -> None:  # noqa: ARG002 - the gateway has them
        self._gateway = gateway
        self._workflows = gateway.workflows
        rules = self._workflows.rules
        self.server_name = rules.server_name
        self.server_version = rules.server_version
        self._began = gateway.clock.now()
        self._twelve = tuple(self._operation(one) for one in DESCRIBED)
        self._thirteen = (*self._twelve, self._operation(RUN_STEP))
        self._operands = Operands(self._thirteen)
        self.routes: tuple[Route, ...] = Inspection(gateway).routes()
        self.resources = (
            Resource(
                uri="periplus://workflow/schemas",
                name="schemas",
                description="JSON Schemas of workflow, activity, condition, skill and state",
                media_type="application/json",
                read=self._schemas,
                aliases=("workflow-server://schemas",),
            ),
        )

    @property
    def operations(self) -> tuple[Operation, ...]:
        """The thirteenth is there while some definition has a use for it, or as set (W-92)."""
        return self._thirteen if self._workflows.runs_steps() else self._twelve

    async def other(self, name: str, arguments: dict[str, Any], request: Request) -> Reply | None:  # noqa: ARG002
        """An unknown tool is answered as everything else that goes wrong here (W-7)."""
        return rendering.refused(rendering.unknown_tool(name, [one.name for one in self.operations]))

    def refused(self, problem: Problem, request: Request) -> Reply:  # noqa: ARG002 - the same on every wire
        return rendering.refused(problem)

    def _operation(self, described: Described) -> Operation:
        handler: Handler = {
            "discover": self._discover,
            "list_workflows": self._list,
            "health_check": self._health,
        }.get(described.name) or self._walk(described.name)
        return Operation(
            name=described.name,
            title=described.title,
            description=described.description,
            input=described.input,
            handler=handler,
            reads=described.reads,
            idempotent=described.idempotent,
        )

    # --- without a session ----------------------------------------------------------------------------------

    async def _discover(self, request: Request, _arguments: dict[str, Any]) -> Reply:
        snapshot = await self._workflows.snapshot(request.principal)
        return rendering.plain(rendering.discovery(snapshot, self.server_name, self.server_version))

    async def _list(self, request: Request, _arguments: dict[str, Any]) -> Reply:
        return rendering.listing(await self._workflows.snapshot(request.principal))

    async def _health(self, request: Request, _arguments: dict[str, Any]) -> Reply:
        snapshot = await self._workflows.snapshot(request.principal)
        store = await self._workflows.store_fault()
        uptime = int(self._gateway.clock.now() - self._began)
        return rendering.plain(
            rendering.health(snapshot, self.server_name, self.server_version, uptime, is_degraded=bool(store))
        )

    async def _schemas(self) -> str:
        return msgspec.json.encode(schemas()).decode()

    # --- in a session ---------------------------------------------------------------------------------------

    def _walk(self, name: str) -> Handler:
        async def walk(request: Request, arguments: dict[str, Any]) -> Reply:
            def checked() -> Mapping[str, Any]:
                check_bounds(arguments)
                return self._operands.checked(name, arguments)

            answer = await self._gateway.walk(
                name,
                arguments,
                principal=request.principal,
                check=checked,
                approval=request.approval,
                presented=request.presented,
            )
            return rendering.walked(answer)

        return walk
