"""What a document says many times over is read once; what is wrong with it is still said of each."""

from __future__ import annotations

import gc
import weakref
from typing import Any

from periplus.model import FindingCode
from periplus.sources.openapi.references import Library

ROOT = "https://api.example.com/v1/openapi.json"


def said_by_all(count: int, **operation: Any) -> dict[str, Any]:
    return {f"/{number}": {"post": {"operationId": f"op{number}", **operation}} for number in range(count)}


def body(schema: Any) -> dict[str, Any]:
    return {"required": True, "content": {"application/json": {"schema": schema}}}


ANSWER = {"200": {"description": "fine", "content": {"application/json": {"schema": {"type": "string"}}}}}


def test_operations_that_say_the_same_share_one_schema(read: Any, api: Any):
    """S-1: a document is not held expanded per tool."""
    schema = {"type": "object", "properties": {"name": {"type": "string"}}}
    one, *others = read(api(said_by_all(5, requestBody=body(schema), responses=ANSWER))).drafts
    assert all(each.args_schema is one.args_schema for each in others)
    assert all(each.result_schema is one.result_schema for each in others)
    assert [each.binding["body"] for each in others] == [one.binding["body"]] * 4


def test_a_fault_that_many_repeat_is_told_of_each_of_them(read: Any, api: Any):
    """S-4."""
    broken = {"type": "object", "properties": {"name": {"type": "string", "minLength": "three"}}}
    result = read(api(said_by_all(3, requestBody=body(broken), responses=ANSWER)))
    told = [found.where for found in result.findings if found.code is FindingCode.SCHEMA_REDUCED]
    assert [place.partition("#")[2].split("/")[2] for place in told] == ["~10", "~11", "~12"]


def test_equal_links_are_their_operations_own(read: Any, api: Any):
    """S-33: a link that leads nowhere is told of each operation that has it."""
    answers = {"200": {"description": "fine", "links": {"next": {"operationId": "nobody"}}}}
    result = read(api(said_by_all(3, responses=answers)))
    told = [found.where for found in result.findings if found.code is FindingCode.LINKS_NOTED]
    assert [place.partition("#")[2].split("/")[2] for place in told] == ["~10", "~11", "~12"]


def test_names_that_clash_in_one_operation_do_not_in_another_with_the_same_body(read: Any, api: Any):
    """S-42."""
    document = api(said_by_all(2, requestBody=body({"type": "object", "properties": {"id": {"type": "string"}}})))
    query = {"name": "id", "in": "query", "schema": {"type": "integer"}}
    document["paths"]["/0"]["post"]["parameters"] = [query]
    clashing, plain = read(document).drafts
    assert sorted(clashing.args_schema["properties"]) == ["id", "query_id"]
    assert sorted(plain.args_schema["properties"]) == ["id"]


def test_a_document_goes_with_the_last_draft_of_it(connect: Any, web: Any, api: Any):
    """S-1: not only when garbage is collected. A large one would stay beside all that is made of it."""
    node = {"type": "object", "properties": {"next": {"$ref": "#/components/schemas/Node"}}}
    paths = said_by_all(2, requestBody=body({"$ref": "#/components/schemas/Node"}), responses=ANSWER)
    gc.collect()
    gc.disable()
    try:
        reading = connect(web({ROOT: api(paths, components={"schemas": {"Node": node}})}))
        held = [weakref.ref(one) for one in gc.get_objects() if isinstance(one, Library)]
        assert [one() is None for one in held] == [False]
        assert len(list(reading.drafts)) == 2
        assert [one() is None for one in held] == [True]
    finally:
        gc.enable()
