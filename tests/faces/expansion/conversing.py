"""An expansion face over a gateway with a harbour and some neighbours, asked as a host asks it."""

from __future__ import annotations

from typing import Any

import msgspec

from periplus.core.gateway import Gateway
from periplus.faces.expansion import Expansion
from periplus.hosts.desk import Desk
from periplus.model import Principal
from periplus.ports import Reply, Request
from periplus.settings import Settings

AGENT = Principal(id="agent")
OTHER = Principal(id="other")


class Talk:
    """One caller's conversation."""

    def __init__(self, gateway: Gateway, settings: Settings, who: Principal = AGENT, connection: str = "c1") -> None:
        self.gateway = gateway
        self.settings = settings
        self.desk = Desk(Expansion(gateway, settings))
        self.request = Request(principal=who, connection=connection, anonymous=not connection)

    async def reply(self, op: str, arguments: Any = None) -> Reply:
        reply = await self.desk.ask(op, {} if arguments is None else arguments, self.request)
        assert reply is not None
        return reply

    async def ask(self, op: str, /, **arguments: Any) -> dict[str, Any]:
        """The body of an answer that went well."""
        reply = await self.reply(op, arguments)
        assert reply.problem is None, reply.body
        assert msgspec.json.decode(reply.text) == reply.body
        return dict(reply.body)

    async def error(self, op: str, /, **arguments: Any) -> dict[str, Any]:
        """The error of one that did not."""
        reply = await self.reply(op, arguments)
        assert reply.problem is not None, reply.body
        return dict(reply.body["error"])

    async def follow(self, error: dict[str, Any]) -> dict[str, Any]:
        """Send a next action as it stands."""
        following = error["next_action"]
        return await self.ask(following["op"], **following["args"])
