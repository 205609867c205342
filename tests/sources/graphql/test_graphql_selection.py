"""The automatic selection: what it holds, and that graphql-core accepts it on every schema."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from graphql import FieldNode, InlineFragmentNode, SelectionSetNode, parse, print_ast, validate
from hypothesis import given, settings

from graphql_harbour import HARBOUR, Harbour
from graphql_random import schemas_as_sdl
from graphql_servers import Read, read_new
from periplus.selections import schema as schemas
from periplus.selections.automatic import LEAVES_MAX, TYPES_MAX, Selections
from periplus.selections.documents import call_document, selection_of

SHARED = ["github.introspection.json", "saleor.graphql", "artsy-exchange.graphql", "dagster-core.graphql", "swapi-starwars.graphql"]  # fmt: skip


def leaves(selections: SelectionSetNode) -> int:
    """How many leaves a selection set holds."""
    return sum(
        leaves(node.selection_set) if node.selection_set else 1
        for node in selections.selections
        if isinstance(node, FieldNode | InlineFragmentNode)
    )


def test_the_golden_documents_come_out_as_written() -> None:
    """S-84, S-85, section 17."""
    harbour = Harbour(HARBOUR)
    assert harbour.document("Query.berth") == (
        "query berth($id: ID!) { berth(id: $id) { id code lengthM state owner { id name } } }"
    )
    assert harbour.document("Query.search") == (
        "query search($text: String!) { search(text: $text) "
        "{ __typename ... on Ship { id name } ... on Berth { id code } } }"
    )


def test_arguments_not_given_are_not_declared() -> None:
    harbour = Harbour(HARBOUR)
    assert harbour.document("Query.berths", ["first"]).startswith("query berths($first: Int) { berths(first: $first) {")
    assert harbour.document("Query.count", []) == "query count { count }"


def test_connections_give_their_items_and_the_next_cursor() -> None:
    """S-84."""
    assert Harbour(HARBOUR).selection("Query.berths") == (
        "{ edges { node { id code lengthM state owner { id name } } } pageInfo { hasNextPage endCursor } totalCount }"
    )
    with_nodes = HARBOUR.replace("edges: [BerthEdge!]", "edges: [BerthEdge!] nodes: [Berth]")
    assert Harbour(with_nodes).selection("Query.berths").startswith("{ nodes { id code")


def test_deprecated_fields_and_fields_that_ask_for_something_stay_out() -> None:
    """S-84, S-88."""
    harbour = Harbour(
        "type Query { ship: Ship } type Ship { id: ID old: Int @deprecated flag(size: Int!): String n(a: Int = 1): Int }"
    )
    assert harbour.selection("Query.ship") == "{ id n }"


def test_ids_and_names_come_first_and_forty_leaves_are_the_end() -> None:
    """S-84."""
    many = " ".join(f"f{number}: Int" for number in range(100))
    harbour = Harbour(f"type Query {{ a: A }} type A {{ {many} name: String b: B id: ID! }} type B {{ id: ID }}")
    chosen = selection_of(harbour.selection("Query.a"))
    assert chosen is not None
    assert leaves(chosen) == LEAVES_MAX
    assert harbour.selection("Query.a").startswith("{ id name f0 f1 ")


def test_a_type_is_never_inside_itself() -> None:
    """S-84."""
    harbour = Harbour("type Query { a: A } type A { id: ID a: A as: [A] b: B } type B { id: ID a: A }")
    assert harbour.selection("Query.a") == "{ id b { id } }"


def test_an_object_without_usable_fields_is_asked_for_its_type() -> None:
    harbour = Harbour("type Query { a: A } type A { x(n: Int!): Int }")
    assert harbour.selection("Query.a") == "{ __typename }"


def test_the_way_back_to_the_root_is_not_followed() -> None:
    """S-61: what is a tool of its own is not called on the side of another."""
    harbour = Harbour(
        "type Query { id: ID relay: Query! a: A } type A { id: ID } type Mutation { m: P } type P { query: Query a: A }"
    )
    assert harbour.selection("Query.relay") == "{ __typename }"
    assert harbour.selection("Mutation.m") == "{ a { id } }"


def test_a_namespace_does_not_call_the_tools_in_it() -> None:
    """S-61, S-81: `users` alone would end all sessions if its fields were selected like any leaf."""
    harbour = Harbour(
        "type Query { ships: Ships } type Ships { count(flag: String): Int! } "
        "type Mutation { users: Users! } type Users { endSessions(of: ID): Boolean! }"
    )
    assert harbour.selection("Mutation.users") == harbour.selection("Query.ships") == "{ __typename }"
    assert {"Mutation.users.endSessions", "Query.ships.count"} <= harbour.drafts.keys()


def test_a_payload_shows_what_it_carries_whole_and_what_went_wrong() -> None:
    """S-84, S-87."""
    harbour = Harbour(
        "type Query { x: Int } type Mutation { addShip: AddShipPayload } "
        "type AddShipPayload { clientMutationId: String ship: Ship edge: ShipEdge userErrors: [Fault!]! } "
        "type Fault { field: [String!] message: String! } type ShipEdge { node: Ship } "
        "type Ship { id: ID! tons: Float flag: String name: String }"
    )
    assert harbour.selection("Mutation.addShip") == (
        "{ clientMutationId ship { id name tons flag } edge { node { id name tons flag } } userErrors { message field } }"
    )


def test_one_answer_of_a_union_is_read_whole_and_with_its_errors() -> None:
    harbour = Harbour(
        "union ShipOrError = Ship | Sunk | Found type Query { ship: ShipOrError } "
        "type Ship { id: ID! name: String tons: Int } type Sunk { message: String! } type Found { by: Ship }"
    )
    assert harbour.selection("Query.ship") == (
        "{ __typename ... on Ship { id name tons } ... on Sunk { message } ... on Found { by { id name tons } } }"
    )


def test_members_that_answer_differently_under_one_name_get_keys_of_their_own() -> None:
    """S-84: both stay readable, and fields can be merged."""
    harbour = Harbour(
        "union U = A | B | C type Query { u: U } type A { v: Int w: W } type B { v: String! w: W } "
        "type C { v: Int w: X } type W { n: Int } type X { n: String }"
    )
    assert harbour.selection("Query.u") == (
        "{ __typename ... on A { v w { n } } ... on B { v_B: v w { n } } ... on C { v w_C: w { n } } }"
    )
    assert not validate(harbour.schema, call_document(harbour.drafts["Query.u"].binding))
    properties = harbour.result("Query.u")["properties"]
    assert properties["v"] == {"type": ["integer", "null"], "minimum": -(2**31), "maximum": 2**31 - 1}
    assert properties["v_B"] == {"type": "string"}


def test_an_interface_gives_its_own_fields_and_those_of_ten_types() -> None:
    """S-84."""
    kinds = " ".join(f"type T{n} implements Node {{ id: ID! own{n}: Int }}" for n in range(15))
    text = Harbour(f"interface Node {{ id: ID! }} type Query {{ node: Node }} {kinds}").selection("Query.node")
    assert text.startswith("{ __typename id ... on T0 { own0 } ")
    assert text.count("... on") == TYPES_MAX


def test_a_scalar_has_no_selection_and_no_argument_for_one() -> None:
    harbour = Harbour(HARBOUR)
    assert harbour.selection("Query.count") == ""
    assert "_select" not in harbour.args("Query.count")["properties"]
    assert harbour.drafts["Query.count"].binding["select"] == ""
    assert "_select" in harbour.args("Query.berth")["properties"]


def test_a_field_with_its_own_select_argument_keeps_it() -> None:
    harbour = Harbour("type Query { a(_select: Int): A } type A { id: ID }")
    assert list(harbour.args("Query.a")["properties"]) == ["_select", "_selection"]
    assert harbour.drafts["Query.a"].binding["select"] == "_selection"


async def shared_reading(shared: Path, name: str) -> Read:
    return await read_new(url=str(shared / "data" / "graphql" / name), endpoint="https://api.example.com/graphql")


@pytest.mark.parametrize("name", SHARED)
async def test_every_root_field_of_the_shared_schemas_is_a_tool_whose_document_validates(
    shared: Path, name: str
) -> None:
    """S-81, S-89: on the schema as it is kept for the transport."""
    found = await shared_reading(shared, name)
    schema = schemas.unpack(found.reading.site["schema"])
    roots = {"Query": schema.query_type, "Mutation": schema.mutation_type}
    wanted = {f"{role}.{field}" for role, root in roots.items() if root for field in root.fields}
    assert wanted <= found.drafts.keys()
    assert not found.skipped
    for draft in found.drafts.values():
        assert not validate(schema, call_document(draft.binding)), draft.key
        chosen = selection_of(draft.binding["selection"])
        assert chosen is None or leaves(chosen) <= LEAVES_MAX


async def test_the_counts_of_the_shared_schemas_are_those_of_their_files(shared: Path) -> None:
    """S-4, S-89: counted in the files, not by the code under test."""
    counts = {}
    for name in SHARED:
        found = await shared_reading(shared, name)
        counts[name] = len(found.drafts)
    text = json.loads((shared / "data" / "graphql" / "github.introspection.json").read_bytes())["__schema"]["types"]
    fields = {each["name"]: len(each["fields"] or ()) for each in text}
    assert counts["github.introspection.json"] == fields["Query"] + fields["Mutation"] == 272
    assert counts["saleor.graphql"] == 89 + 332
    assert counts["artsy-exchange.graphql"] == 8 + 27
    assert counts["dagster-core.graphql"] == 66 + 41
    assert counts["swapi-starwars.graphql"] == 13


@settings(max_examples=150, deadline=None)
@given(schemas_as_sdl())
def test_every_selection_on_any_schema_validates_and_reads_as_its_tree_prints(sdl: str) -> None:
    """S-84, S-89, S-116."""
    harbour = Harbour(sdl)
    assert harbour.tools.count == len(harbour.drafts)
    kept = schemas.unpack(schemas.pack(harbour.doc))
    selections = Selections(harbour.schema)
    for draft in harbour.drafts.values():
        document = call_document(draft.binding)
        assert not validate(harbour.schema, document), (draft.key, sdl)
        assert not validate(kept, document)
        for root in filter(None, (harbour.schema.query_type, harbour.schema.mutation_type)):
            field = root.fields.get(draft.leaf)
            chosen = selections.of(field.type) if field is not None else None
            if chosen is not None:
                assert " ".join(print_ast(chosen.node()).split()) == chosen.text()
                assert leaves(chosen.node()) <= LEAVES_MAX
                parse(chosen.text())
