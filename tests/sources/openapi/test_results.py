from __future__ import annotations

from typing import Any

import pytest
from schema_desk import BASE, Desk

from periplus.sources.openapi.results import result_schema

_INT = {"type": "integer"}
_STRING = {"type": "string"}


def _json(schema: Any, media: str = "application/json") -> dict[str, Any]:
    return {"description": "", "content": {media: {"schema": schema}}}


def _result(responses: Any, dialect: str = "3.1", document: Any = None, **more: Any) -> Any:
    desk = Desk(document, dialect)
    return result_schema(responses, BASE, desk.schemas, where="w", **more)


@pytest.mark.parametrize(
    ("responses", "schema"),
    [
        ({"200": _json(_INT), "400": _json(_STRING)}, _INT),
        ({"404": _json(_STRING)}, None),
        ({"204": {"description": "none"}}, None),
        ({"201": _json(_STRING), "200": _json(_INT)}, {"anyOf": [_INT, _STRING]}),
        ({"200": _json(_INT), "201": _json(_INT)}, _INT),
        ({"226": _json(_INT)}, _INT),
        ({"2XX": _json(_INT)}, _INT),
        ({"2xx": _json(_INT)}, _INT),
        ({"default": _json(_INT)}, _INT),
        ({"204": {"description": ""}, "default": _json(_STRING)}, None),
        ({"200": _json(_INT, "application/vnd.api+json; v=1")}, _INT),
        ({"200": _json(_INT, "*/*")}, _INT),
        ({"200": _json(_STRING, "text/plain")}, None),
        ({"200": _json({"type": "string", "format": "binary"})}, None),
        ({"200": {"content": {"application/jsonl": {"itemSchema": _INT}}}}, {"type": "array", "items": _INT}),
        ({"200": "odd"}, None),
        ([], None),
        (None, None),
        ({200: _json(_INT)}, _INT),
    ],
)
def test_the_result_is_what_success_declares_as_json(responses: Any, schema: Any):
    """S-75"""
    assert _result(responses) == schema


def test_responses_behind_references_are_read_and_dangling_ones_reported():
    document = {"components": {"responses": {"Ok": _json(_INT)}}}
    assert _result({"200": {"$ref": "#/components/responses/Ok"}}, document=document) == _INT
    desk = Desk()
    assert result_schema({"200": {"$ref": "#/gone"}}, BASE, desk.schemas, where="w") is None
    assert desk.codes == ["dangling_ref"]


def test_swagger_results_depend_on_what_is_produced():
    assert _result({"200": {"schema": _INT}}, "2.0", produces=["application/json"]) == _INT
    assert _result({"200": {"schema": _INT}}, "2.0") == _INT
    assert _result({"200": {"schema": _STRING}}, "2.0", produces=["text/csv"]) is None
    assert _result({"200": {"schema": {"type": "file"}}}, "2.0") is None
