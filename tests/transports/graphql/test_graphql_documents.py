"""Every document that is built, on real schemas and on any schema, is one its server answers."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from graphql import GraphQLSchema, graphql_sync, parse, validate
from hypothesis import given, settings
from hypothesis import strategies as st

from graphql_harbour import Harbour
from graphql_random import schemas_as_sdl
from graphql_servers import read_new
from graphql_values import answering, from_json_schema
from periplus.app.parts import transport
from periplus.model import LOCAL, Draft, SourceSpec, Tool
from periplus.ports import Calling, Site
from periplus.selections import schema as schemas
from periplus.selections.shapes import Composite, Fielded, named

SHARED = ["github.introspection.json", "saleor.graphql", "artsy-exchange.graphql", "dagster-core.graphql", "swapi-starwars.graphql"]  # fmt: skip
ENDPOINT = "https://api.example.com/graphql"


def site_of(packed: str) -> Site:
    kept = {"endpoint": ENDPOINT, "method": "POST", "schema": packed, "schema_form": schemas.PACKED_FORM}
    return Site(spec=SourceSpec(id="s", kind="graphql", url=ENDPOINT), site=kept)


def tool_of(draft: Draft) -> Tool:
    return Tool(source="s", path=draft.leaf, key=draft.key, origin=draft.origin, binding=draft.binding)


def body_of(draft: Draft, site: Site, arguments: dict[str, Any]) -> dict[str, Any]:
    prepared = transport("graphql").prepare(tool_of(draft), site, arguments, Calling(principal=LOCAL))
    content: bytes = prepared.wire.body
    if content.startswith(b"--"):  # a form with files: what is asked is its first part
        content = content.partition(b"\r\n\r\n")[2].partition(b"\r\n--")[0]
    body: dict[str, Any] = json.loads(content)
    return body


def arguments_of(draft: Draft, defs: dict[str, Any], draw: random.Random) -> dict[str, Any]:
    found: dict[str, Any] = from_json_schema(draft.args_schema, defs, draw, full=2)
    found.pop(draft.binding["select"], None)
    return found


def some_paths(schema: GraphQLSchema, draft: Draft, draw: random.Random) -> list[str]:
    """Paths to leaves below what a tool returns, some through members of unions."""
    role = schema.mutation_type if draft.binding["operation"] == "mutation" else schema.query_type
    type_: Any = role
    for name in draft.binding["path"]:
        type_ = named(type_.fields[name].type)
    if type_ in {schema.query_type, schema.mutation_type}:
        return []  # its fields are tools of their own
    return list(filter(None, (_path(schema, type_, draw) for _ in range(3))))


def _path(schema: GraphQLSchema, type_: Any, draw: random.Random) -> str:
    steps: list[str] = []
    for _ in range(5):
        if not isinstance(type_, Fielded):
            type_ = draw.choice(list(schema.get_possible_types(type_)))
            steps.append(type_.name)
        usable = [
            (name, field) for name, field in type_.fields.items()
            if not any(str(arg.type).endswith("!") and arg.default is None for arg in field.args.values())
            and named(field.type).name not in {"Query", "Mutation"}
        ]  # fmt: skip
        if not usable:
            return ""
        name, field = draw.choice(usable)
        steps.append(name)
        type_ = named(field.type)
        if not isinstance(type_, Composite):
            break
    return ".".join(steps)


@pytest.mark.parametrize("name", SHARED)
async def test_every_operation_of_the_real_schemas_is_sent_as_a_document_its_schema_accepts(
    shared: Path, name: str
) -> None:
    """S-89, S-116: as it goes out, with nothing selected and with paths that somebody picked."""
    found = await read_new(url=str(shared / "data" / "graphql" / name), endpoint=ENDPOINT)
    schema = schemas.unpack(found.reading.site["schema"])
    site = site_of(found.reading.site["schema"])
    draw = random.Random(7)
    chosen = 0
    for draft in found.drafts.values():
        arguments = arguments_of(draft, dict(found.reading.definitions), draw)
        assert not validate(schema, parse(body_of(draft, site, arguments)["query"])), draft.key
        if draft.binding["select"] and (paths := some_paths(schema, draft, draw)):
            chosen += 1
            text = body_of(draft, site, arguments | {draft.binding["select"]: paths})["query"]
            assert not validate(schema, parse(text)), (draft.key, paths)
    assert chosen > len(found.drafts) / 2


@settings(max_examples=60, deadline=None)
@given(schemas_as_sdl(), st.randoms(use_true_random=False))
def test_documents_of_any_schema_run_with_arguments_their_schemas_allow(sdl: str, draw: random.Random) -> None:
    """S-83, S-84, S-85, S-116: graphql-core executes them; whatever it complains of are made-up answers alone."""
    harbour = Harbour(sdl)
    site = site_of(schemas.pack(harbour.doc))
    answering(harbour.schema, draw)
    for draft in harbour.drafts.values():
        try:
            arguments = arguments_of(draft, harbour.tools.definitions.schemas, draw)
        except RecursionError:  # an input that needs itself has no value
            continue
        if draft.binding["select"] and draw.random() < 0.5 and (paths := some_paths(harbour.schema, draft, draw)):
            arguments[draft.binding["select"]] = paths
        body = body_of(draft, site, arguments)
        done = graphql_sync(harbour.schema, body["query"], variable_values=body.get("variables"))
        assert done.data is not None or all(error.path for error in done.errors or ()), (sdl, body, done.errors)
