"""GraphQL: an endpoint, a schema file or an introspection becomes tools, one for each query and mutation field."""

from __future__ import annotations

from typing import ClassVar

from periplus.model import Document, Reading, SourceSpec, Unchanged
from periplus.ports import Wires


class GraphqlSource:
    """Reads whatever tells a GraphQL schema."""

    kind: ClassVar[str] = "graphql"

    async def read(self, spec: SourceSpec, wires: Wires, known: Document | None) -> Reading | Unchanged:
        # graphql-core takes 300 ms to import; a gateway without GraphQL sources does without it.
        from periplus.sources.graphql.reading import read  # noqa: PLC0415

        return await read(spec, wires, known)


ADAPTER = GraphqlSource
