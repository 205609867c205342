"""A catalog with a sound source in it, which must look the same whatever happens to the next one."""

from __future__ import annotations

from typing import Any

import pytest

from periplus.core.gateway import Gateway
from periplus.model import Code, Problem, SourceSpec


class Neighbour:
    """The gateway, and what its catalog shows."""

    def __init__(self, gateway: Gateway) -> None:
        self.gateway = gateway

    async def look(self) -> Any:
        listing = await self.gateway.browse(deep=True)
        records = [record for record in await self.gateway.sources() if record.document]
        return listing.tools, await self.gateway.revision(), records

    async def refuses(self, spec: SourceSpec | str, code: Code) -> Problem:
        before = await self.look()
        with pytest.raises(Problem) as refused:
            await self.gateway.connect(spec)
        assert refused.value.code is code, refused.value.message
        assert await self.look() == before
        return refused.value


def told(problem: Problem) -> str:
    """Everything a reader sees."""
    return "\n".join((problem.message, problem.where or "", *problem.hints))
