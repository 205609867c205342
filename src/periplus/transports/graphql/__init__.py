"""Calls of GraphQL fields: a document for each, validated where its caller wrote some of it."""

from __future__ import annotations

from typing import Any, ClassVar

from periplus.model import Answer, Prepared, Tool
from periplus.ports import Calling, CallWires, Site


class GraphqlTransport:
    """Sends queries and mutations over HTTP."""

    kind: ClassVar[str] = "graphql"

    def prepare(self, tool: Tool, site: Site, arguments: dict[str, Any], calling: Calling) -> Prepared:  # noqa: ARG002 - the port's
        """The document with its variables, as it will be sent."""
        # graphql-core takes 300 ms to import; a gateway that calls no GraphQL does without it.
        from periplus.transports.graphql.request import prepared  # noqa: PLC0415

        return prepared(tool, site, arguments)

    async def send(self, prepared: Prepared, tool: Tool, site: Site, calling: Calling, wires: CallWires) -> Answer:
        """The field's value; `errors` without one are the server's refusal, whatever status they come with."""
        from periplus.answers import receive  # noqa: PLC0415 - as above: what is only called need not be loaded
        from periplus.transports.graphql.outcome import outcome  # noqa: PLC0415

        async with wires.http.send(prepared.wire, site, calling) as reply:
            received = await receive(reply, calling, prepared.method)
        return outcome(received, prepared.wire, tool)


ADAPTER = GraphqlTransport

__all__ = ["ADAPTER", "GraphqlTransport"]
