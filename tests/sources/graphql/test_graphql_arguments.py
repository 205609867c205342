"""Arguments and results as JSON Schema, held against graphql-core's own judgement in both directions."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from graphql import GraphQLObjectType, GraphQLSchema, OperationDefinitionNode, execute_sync
from graphql.execution.values import get_variable_values
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from graphql_harbour import Harbour
from graphql_random import schemas_as_sdl
from graphql_servers import read_new
from graphql_values import answering, from_input_type, from_json_schema
from periplus.model import Draft
from periplus.selections import schema as schemas
from periplus.selections.documents import call_document

INPUTS = """
scalar DateTime
"Colour in hex." scalar Colour @specifiedBy(url: "https://colours.test/spec")
scalar Upload scalar JSON scalar BigInt
enum Size {
  "Up to a metre."
  SMALL
  LARGE @deprecated(reason: "none left")
}
"A tree."
input Tree { name: String! children: [Tree!] parent: Tree kind: Size = SMALL }
input By @oneOf { id: ID name: String tree: Tree }
type Query {
  f(ids: [Int!]!, maybe: [[Int]], n: Int! = 5, "How big." size: Size, tree: Tree!, by: By!, at: DateTime,
    colour: Colour, file: Upload, any: JSON, big: BigInt, old: String @deprecated(reason: "use n"), id: ID): String
}
"""


def accepted(schema: GraphQLSchema, draft: Draft, arguments: dict[str, Any]) -> bool:
    """Whether graphql-core takes these values for the variables of the call's document."""
    operation = call_document(draft.binding, arguments).definitions[0]
    assert isinstance(operation, OperationDefinitionNode)
    return not isinstance(get_variable_values(schema, operation.variable_definitions or (), arguments), list)


def test_lists_nulls_and_needs_are_exact() -> None:
    """S-83."""
    args = Harbour(INPUTS).args("Query.f")
    int32 = {"minimum": -(2**31), "maximum": 2**31 - 1}
    assert args["properties"]["ids"] == {"type": "array", "items": {"type": "integer"} | int32}
    inner = {"type": ["array", "null"], "items": {"type": ["integer", "null"]} | int32}
    assert args["properties"]["maybe"] == {"type": ["array", "null"], "items": inner}
    assert args["properties"]["n"] == {"type": "integer", "default": 5} | int32
    assert args["required"] == ["ids", "tree", "by"]
    assert args["additionalProperties"] is False


def test_input_types_are_shared_definitions_and_recursion_stays_a_reference() -> None:
    """S-83, S-115."""
    harbour = Harbour(INPUTS)
    args, tree = harbour.args("Query.f"), harbour.tools.definitions.schemas["Tree"]
    assert args["properties"]["tree"] == {"$ref": "#/$defs/Tree"}
    assert tree["properties"]["children"] == {"type": ["array", "null"], "items": {"$ref": "#/$defs/Tree"}}
    assert tree["properties"]["parent"] == {"anyOf": [{"$ref": "#/$defs/Tree"}, {"type": "null"}]}
    assert tree["properties"]["kind"]["default"] == "SMALL"
    assert tree["required"] == ["name"]


def test_one_of_takes_one_property() -> None:
    """S-83."""
    by = Draft202012Validator(
        Harbour(INPUTS).args("Query.f")["$defs"]["By"] | {"$defs": Harbour(INPUTS).args("Query.f")["$defs"]}
    )
    assert by.is_valid({"id": "1"})
    assert not by.is_valid({"id": "1", "name": "x"})
    assert not by.is_valid({"id": None})
    assert not by.is_valid({})


def test_enums_and_scalars_say_what_they_are() -> None:
    """S-83."""
    args = Harbour(INPUTS).args("Query.f")
    size = args["$defs"]["Size"]
    assert size["enum"] == ["SMALL", "LARGE"]
    assert size["description"] == "- SMALL: Up to a metre.\n- LARGE: Deprecated: none left"
    assert args["properties"]["size"]["description"] == "How big."
    assert args["properties"]["at"] == {"type": ["string", "null"], "format": "date-time"}
    assert "Colour in hex." in args["$defs"]["Colour"]["description"]
    assert "https://colours.test/spec" in args["$defs"]["Colour"]["description"]
    assert args["properties"]["old"]["deprecated"] is True
    assert args["properties"]["old"]["description"] == "Deprecated: use n"


def test_the_selection_argument_takes_text_or_a_list() -> None:
    """S-84."""
    select = Draft202012Validator(
        Harbour("type Query { a: A } type A { id: ID }").args("Query.a")["properties"]["_select"]
    )
    assert select.is_valid("id, owner.email")
    assert select.is_valid(["id", "owner.email"])
    assert not select.is_valid({"id": True})


def _judge_both_ways(schema: GraphQLSchema, draft: Draft, defs: dict[str, Any], draw: random.Random) -> None:
    """Made from the JSON Schema: GraphQL accepts it. Made by GraphQL's rules: the JSON Schema accepts it."""
    judge = Draft202012Validator(draft.args_schema | {"$defs": defs})
    judge.check_schema(draft.args_schema)
    for full in (0, 1, 4):
        arguments = from_json_schema(draft.args_schema, defs, draw, full=full)
        assert judge.is_valid(arguments), (draft.key, arguments)
        arguments.pop(draft.binding["select"], None)
        assert accepted(schema, draft, arguments), (draft.key, arguments)
    root = schema.query_type if draft.binding["operation"] == "query" else schema.mutation_type
    assert isinstance(root, GraphQLObjectType)
    if draft.leaf in root.fields and len(draft.binding["path"]) == 1:
        args = root.fields[draft.leaf].args
        own = {name: from_input_type(arg.type, draw) for name, arg in args.items()}
        assert accepted(schema, draft, own)
        assert judge.is_valid(own), (draft.key, own, [error.message for error in judge.iter_errors(own)])


@pytest.mark.parametrize("name", ["github.introspection.json", "saleor.graphql", "artsy-exchange.graphql", "dagster-core.graphql", "swapi-starwars.graphql"])  # fmt: skip
async def test_generated_arguments_of_the_shared_schemas_are_accepted_by_graphql(shared: Path, name: str) -> None:
    """S-83, S-89, S-116."""
    found = await read_new(url=str(shared / "data" / "graphql" / name), endpoint="https://api.example.com/graphql")
    schema, draw = schemas.unpack(found.reading.site["schema"]), random.Random(7)
    for draft in found.drafts.values():
        _judge_both_ways(schema, draft, dict(found.reading.definitions), draw)


def _needs_itself(schema: GraphQLSchema) -> bool:
    """Whether an input type cannot be finite: F! in G and G! in F."""
    inputs = {name: type_ for name, type_ in schema.type_map.items() if name in {"F", "G"}}
    needs = {
        name: {str(field.type).strip("!") for field in type_.fields.values() if str(field.type) in {"F!", "G!"}}  # type: ignore[union-attr]
        for name, type_ in inputs.items()
    }
    return any(other == name or name in needs[other] for name in needs for other in needs[name])


@settings(max_examples=100, deadline=None)
@given(schemas_as_sdl(), st.randoms(use_true_random=False))
def test_arguments_of_any_schema_agree_with_graphql_in_both_directions(sdl: str, draw: random.Random) -> None:
    """S-83, S-116."""
    harbour = Harbour(sdl)
    assume(not _needs_itself(harbour.schema))
    for draft in harbour.drafts.values():
        _judge_both_ways(harbour.schema, draft, harbour.tools.definitions.schemas, draw)


@settings(max_examples=100, deadline=None)
@given(schemas_as_sdl(), st.randoms(use_true_random=False))
def test_every_answer_fits_the_result_schema(sdl: str, draw: random.Random) -> None:
    """S-88: the documents are executed by graphql-core, and what it answers is what was promised."""
    harbour = Harbour(sdl)
    assume(not _needs_itself(harbour.schema))
    assume(" implements I " in sdl and " implements J " in sdl)  # an interface of nothing has no answers
    answering(harbour.schema, draw)
    for draft in harbour.drafts.values():
        arguments = from_json_schema(draft.args_schema, harbour.tools.definitions.schemas, draw, full=0)
        document = call_document(draft.binding, arguments)
        result = execute_sync(harbour.schema, document, variable_values=arguments)
        assert not result.errors, (draft.key, result.errors, sdl)
        value: Any = result.data
        for name in draft.binding["path"]:
            value = value[name] if value is not None else None
        errors = list(Draft202012Validator(harbour.result(draft.key)).iter_errors(value))
        assert not errors, (draft.key, value, [error.message for error in errors])


def test_the_result_schema_describes_the_automatic_selection() -> None:
    """S-88."""
    result = Harbour(
        "union Hit = Ship | Berth type Query { search: [Hit!]! ship: Ship } enum Kind { TUG } "
        "type Ship { id: ID! name: String kind: Kind } type Berth { id: ID! }"
    )
    assert result.result("Query.search")["items"] == {
        "type": "object",
        "title": "Hit",
        "properties": {
            "__typename": {"type": "string", "enum": ["Ship", "Berth"]},
            "id": {"type": "string"},
            "name": {"type": ["string", "null"]},
        },
        "required": ["__typename"],
    }
    ship = result.result("Query.ship")
    assert ship["type"] == ["object", "null"]
    assert ship["properties"]["kind"] == {"anyOf": [{"$ref": "#/$defs/Kind"}, {"type": "null"}]}
    assert ship["required"] == ["id", "name", "kind"]
