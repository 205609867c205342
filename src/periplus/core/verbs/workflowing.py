"""Workflows: definitions that agents walk through, in sessions the gateway keeps."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from periplus.core.verbs.browsing import BrowseVerbs
from periplus.core.verbs.calling import CallVerbs
from periplus.core.workflows.workflows import Answer, Asked, Workflows
from periplus.model import LOCAL, Code, Principal, Problem


class WorkflowVerbs(BrowseVerbs, CallVerbs):
    """What the workflow protocol asks for."""

    @property
    def workflows(self) -> Workflows:
        """The workflows of this gateway; a problem where it was opened without any."""
        if self._workflows is None:
            raise Problem(Code.NOT_ENABLED, "this gateway serves no workflows", hints=("open it with settings",))
        return self._workflows

    async def walk(
        self,
        operation: str,
        arguments: Mapping[str, Any],
        *,
        principal: Principal = LOCAL,
        check: Callable[[], Mapping[str, Any]] | None = None,
        approval: str = "",
        presented: Mapping[str, str] | None = None,
    ) -> Answer:
        """One operation of a workflow session; `check` gives the arguments as the operation takes them."""
        asked = Asked(
            name=operation,
            arguments=arguments,
            check=check or (lambda: arguments),
            principal=principal,
            tools=self,
            approval=approval,
            presented=presented or {},
            faults=[],
            results=[],
            agreed=[],
        )
        return await self.workflows.ask(asked)
