"""A small harbour as a GraphQL schema, and ways to look at schemas without a network."""

from __future__ import annotations

from typing import Any

from graphql import GraphQLSchema, print_ast

from periplus.model import Draft
from periplus.selections import schema as schemas
from periplus.selections.documents import call_document
from periplus.sources.graphql.repair import repair
from periplus.sources.graphql.report import Report
from periplus.sources.graphql.salvage import parse_sdl
from periplus.sources.graphql.sdl import read_sdl
from periplus.sources.graphql.tools import Tools, tools_of

HARBOUR = '''
"""A place for a ship."""
type Berth { id: ID! code: String! lengthM: Float state: BerthState owner: Owner ships: [Ship!]! @deprecated }
"What a berth can be."
enum BerthState {
  "Nobody is there."
  FREE
  TAKEN @deprecated(reason: "use HELD")
  HELD
}
type Owner { id: ID! name: String! email: String berths(first: Int!): [Berth!]! }
type Ship { id: ID! name: String! berth: Berth flag(size: Int!): String crew: [Person!]! }
type Person { name: String rank: String }
union Hit = Ship | Berth
type Query {
  "One berth."
  berth(id: ID!): Berth
  search(text: String!): [Hit!]!
  berths(after: String, first: Int = 10): BerthConnection!
  count: Int!
}
type BerthConnection { edges: [BerthEdge!] pageInfo: PageInfo! totalCount: Int }
type BerthEdge { cursor: String node: Berth }
type PageInfo { hasNextPage: Boolean! hasPreviousPage: Boolean! startCursor: String endCursor: String }
'''


class Harbour:
    """A schema read from SDL, as a reading would hold it."""

    def __init__(self, sdl: str) -> None:
        self.report = Report("harbour.graphql")
        self.doc = repair(read_sdl(parse_sdl(sdl).document, self.report), self.report)
        self.schema: GraphQLSchema = schemas.build(self.doc)
        self.tools: Tools = tools_of(self.schema, self.report)
        self.drafts: dict[str, Draft] = {draft.key: draft for draft in self.tools.drafts}

    def selection(self, key: str) -> str:
        text: str = self.drafts[key].binding["selection"]
        return text

    def args(self, key: str) -> dict[str, Any]:
        """The argument schema with everything it refers to."""
        return self.drafts[key].args_schema | {"$defs": self.tools.definitions.schemas}

    def result(self, key: str) -> dict[str, Any]:
        return (self.drafts[key].result_schema or {}) | {"$defs": self.tools.definitions.schemas}

    def document(self, key: str, given: list[str] | None = None) -> str:
        """The call's document on one line."""
        return " ".join(print_ast(call_document(self.drafts[key].binding, given)).split())
