"""What a tool of a GraphQL field says of itself, where it stands, and which fields are tools."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from graphql import validate

from graphql_harbour import HARBOUR, Harbour
from periplus.model import Effect
from periplus.selections.documents import call_document

SHIPS = """
"A vessel." type Ship { id: ID! name: String }
type Berth { id: ID! code: String }
type Pilot { id: ID! name: String }
type ShipConnection { nodes: [Ship] pageInfo: PageInfo }
type PageInfo { endCursor: String }
type SaveShipPayload { ship: Ship errors: [Fault!] }
type Fault { message: String }
union ShipOrFault = Ship | Fault
type Outcome { shipOrFault: ShipOrFault }
type Query { ship(id: ID!): Ship ships: ShipConnection! fleet: [Ship!]! berth: Berth berths: [Berth] pilot: Pilot
  shipCount: Int time: String relay: Query }
type Mutation { saveShip(name: String): SaveShipPayload! scuttleShip: Outcome deleteShip(id: ID!): Boolean }
type Subscription { moved: Ship sunk: Ship }
"""
NAMESPACES = """
type Query { admin: Admin! user: User flat: Flat }
type Admin { users: UserQueries find(text: String!): String }
type UserQueries { list(page: Int): [User!]! more: Deeper }
type Deeper { deepest(n: Int): Int }
type User { id: ID! name(form: String): String }
type Flat { a(n: Int): Int b: Int }
type Mutation { user: UserMutations }
type UserMutations { create(name: String!): User delete(id: ID!): Boolean }
"""


def test_tools_stand_with_the_entity_they_return_whatever_wraps_it() -> None:
    """S-82."""
    places = {key: draft.areas for key, draft in Harbour(SHIPS).drafts.items()}
    for key in ("Query.ship", "Query.ships", "Query.fleet", "Mutation.saveShip", "Mutation.scuttleShip"):
        assert places[key] == (("Ship",), (key.partition(".")[0],))
    assert places["Query.berths"][0] == ("Berth",)


def test_what_is_alone_with_its_entity_joins_its_noun_or_general() -> None:
    """S-82."""
    places = {key: draft.areas[0] for key, draft in Harbour(SHIPS).drafts.items()}
    assert places["Query.shipCount"] == ("Ship",)
    assert places["Mutation.deleteShip"] == ("Ship",)
    assert places["Query.pilot"] == places["Query.time"] == ("general",)


def test_every_tool_is_also_below_its_operation_type() -> None:
    """S-82: `Query` and `Mutation` hold all, whatever the root types are called."""
    harbour = Harbour("schema { query: Root mutation: Changes } type Root { a: Int } type Changes { b: Int }")
    assert harbour.drafts["Query.a"].areas == (("general",), ("Query",))
    assert harbour.drafts["Mutation.b"].areas == (("general",), ("Mutation",))
    assert harbour.drafts["Mutation.b"].aliases == ("b", "Mutation:b")
    assert {node.path for node in harbour.tools.nodes} == {("general",), ("Query",), ("Mutation",)}


def test_types_describe_their_areas() -> None:
    """S-82."""
    nodes = {node.path: node for node in Harbour(SHIPS).tools.nodes}
    assert nodes[("Ship",)].description == "A vessel."
    assert nodes[("Query",)].summary


def test_a_draft_says_what_its_field_says() -> None:
    """S-19, S-23, section 5."""
    harbour = Harbour(HARBOUR + 'type Mutation { "Clears it." clear(id: ID!): Berth @deprecated(reason: "use free") }')
    read, write = harbour.drafts["Query.berth"], harbour.drafts["Mutation.clear"]
    assert (read.leaf, read.origin, read.method) == ("berth", "query berth", "query")
    assert read.aliases == ("berth", "Query:berth")
    assert (read.effect, read.idempotent, read.description) == (Effect.READ, True, "One berth.")
    assert (write.effect, write.idempotent, write.deprecated) == (Effect.WRITE, False, "use free")
    assert not read.effect_declared


def test_the_binding_holds_what_a_call_needs() -> None:
    """S-85."""
    assert Harbour(HARBOUR).drafts["Query.berths"].binding == {
        "operation": "query",
        "path": ["berths"],
        "variables": {"after": "String", "first": "Int"},
        "returns": "BerthConnection!",
        "selection": (
            "{ edges { node { id code lengthM state owner { id name } } }"
            " pageInfo { hasNextPage endCursor } totalCount }"
        ),
        "select": "_select",
    }


def test_namespaces_give_their_fields_too_two_levels_deep() -> None:
    """S-81."""
    harbour = Harbour(NAMESPACES)
    assert set(harbour.drafts) == {
        "Query.admin", "Query.admin.users", "Query.admin.users.list", "Query.admin.users.more", "Query.admin.find",
        "Query.user", "Query.flat", "Mutation.user", "Mutation.user.create", "Mutation.user.delete",
    }  # fmt: skip
    create = harbour.drafts["Mutation.user.create"]
    assert (create.leaf, create.aliases) == ("create", ("user.create", "Mutation:user.create"))
    assert create.areas[1] == ("Mutation", "user")
    assert harbour.document("Mutation.user.create") == (
        "mutation create($name: String!) { user { create(name: $name) { id name } } }"
    )
    for draft in harbour.drafts.values():
        assert not validate(harbour.schema, call_document(draft.binding)), draft.key


def test_types_that_lead_to_each_other_are_no_namespaces() -> None:
    chain = " ".join(f"type N{n} {{ next: N{n + 1} other: N{n + 1} }}" for n in range(40))
    harbour = Harbour(
        f"type Query {{ a: A n: N0 }} type A {{ b: B }} type B {{ a: A }} type N40 {{ x(y: Int): Int }} {chain}"
    )
    assert {"Query.a", "Query.n"} == set(harbour.drafts)
    short = Harbour("type Query { a: A } type A { b: B c: B } type B { d: D e: D } type D { x(y: Int): Int }")
    assert len(short.drafts) == 7


def test_a_type_with_an_id_or_a_plain_field_is_no_namespace() -> None:
    """S-81."""
    drafts = Harbour(NAMESPACES).drafts
    assert "Query.user.name" not in drafts
    assert "Query.flat.a" not in drafts


def test_subscriptions_are_noted_with_their_number() -> None:
    """S-81."""
    findings = Harbour(SHIPS).report.findings
    assert [finding.code.value for finding in findings] == ["subscriptions_noted"]
    assert findings[0].message.startswith("2 subscriptions")


def test_the_pages_of_the_guide_show_what_is_read() -> None:
    """The sample in docs/sources/graphql.md is this harbour's."""
    page = (Path(__file__).parents[3] / "docs" / "sources" / "graphql.md").read_text()
    sdl, shown = re.findall(r"```graphql\n(.*?)```", page, re.DOTALL)
    harbour = Harbour(sdl)
    for line in filter(None, shown.splitlines()):
        key = line.split("(")[0].removeprefix("query ")
        assert harbour.document(f"Query.{key}") == line


@pytest.mark.parametrize("name", ["Query", "Mutation"])
def test_a_schema_with_one_root_only_is_read(name: str) -> None:
    assert len(Harbour(f"type {name} {{ a: Int b: Int }}").drafts) == 2
