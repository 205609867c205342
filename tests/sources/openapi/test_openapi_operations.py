"""Which operations there are, and what a fault costs."""

from __future__ import annotations

from typing import Any

import pytest

from periplus.model import Code, Problem, Severity

OK = {"responses": {"200": {"description": "fine"}}}


def test_every_method_of_a_version_is_an_operation(read: Any, api: Any):
    """S-4."""
    item = dict.fromkeys(("get", "put", "post", "delete", "options", "head", "patch", "trace", "query"), OK)
    item |= {"additionalOperations": {"COPY": OK, "Lock": OK}, "x-get": OK, "parameters": [], "summary": "all"}
    newest = read(api({"/a": item}) | {"openapi": "3.2.0"})
    assert [draft.origin for draft in newest.drafts][-4:] == ["TRACE /a", "QUERY /a", "COPY /a", "Lock /a"]
    assert len(newest.drafts) == 11
    assert len(read(api({"/a": item})).drafts) == 8
    older = read({"swagger": "2.0", "info": {}, "paths": {"/a": item}})
    assert len(older.drafts) == 7
    assert any("trace" in finding.message for finding in older.findings)


def test_methods_count_in_any_case_and_twice_in_one_item_too(read: Any, api: Any):
    """S-38, S-4."""
    result = read(api({"/a": {"GET": OK, "get": OK, "Post": OK}}))
    assert sorted(draft.method for draft in result.drafts) == ["get", "get", "post"]


def test_operations_behind_path_item_references_count(read: Any, api: Any):
    """S-4, S-34."""
    paths = {
        "/a": {"$ref": "#/components/pathItems/Shared", "post": OK},
        "/b": {"$ref": "#/paths/~1a"},
        "/c": {"get": {"$ref": "#/components/x-operations/list"}},
        "/d": {"$ref": "parts.yaml#/items/d"},
    }
    parts = "items:\n  d:\n    get:\n      operationId: far\n      responses: {'200': {description: ok}}\n"
    components = {"pathItems": {"Shared": {"get": OK, "post": {"summary": "hidden by the nearer one"}}}}
    document = api(paths, components=components | {"x-operations": {"list": {"operationId": "list", **OK}}})
    result = read(document, {"https://api.example.com/v1/parts.yaml": parts})
    assert sorted(draft.origin for draft in result.drafts) == [
        "GET /a", "GET /b", "GET /c", "GET /d", "POST /a", "POST /b",
    ]  # fmt: skip
    assert all(draft.summary == "" for draft in result.drafts)


def test_what_is_no_operation_costs_only_itself(read: Any, api: Any):
    """S-3, S-4, section 14."""
    paths = {"/a": {"get": ["no"], "post": None, "put": OK}, "/b": None, "/c": [OK], "/d": {"get": "text"}}
    result = read(api(paths))
    assert [draft.origin for draft in result.drafts] == ["PUT /a"]
    assert result.skipped == 3
    skip = result.finding("bad_operation")
    assert skip.severity is Severity.ERROR
    assert skip.where == "openapi.json#/paths/~1a/get"


def test_odd_members_do_not_stop_an_operation(read: Any, api: Any):
    """Section 14: `tags: null`, `parameters: {}`."""
    operation = {"tags": None, "parameters": {}, "summary": 3, "deprecated": "no", "security": "x", "servers": 7} | OK
    result = read(api({"/a": {"get": operation}}))
    assert len(result.drafts) == 1
    assert result.skipped == 0


def test_a_missing_parameter_skips_its_operation_only(read: Any, api: Any):
    """S-36."""
    lost = {"parameters": [{"$ref": "#/components/parameters/None"}], "operationId": "lost", **OK}
    result = read(api({"/a": {"get": lost, "post": OK}, "/b": {"$ref": "#/nowhere", "get": OK}}))
    assert sorted(draft.origin for draft in result.drafts) == ["GET /b", "POST /a"]
    found = next(finding for finding in result.findings if finding.skipped)
    assert (found.code.value, found.operation) == ("dangling_ref", "lost")


def test_circles_of_references_are_reported_and_end(read: Any, api: Any):
    """S-36."""
    components = {
        "parameters": {"A": {"$ref": "#/components/parameters/B"}, "B": {"$ref": "#/components/parameters/A"}},
        "pathItems": {"X": {"$ref": "#/components/pathItems/X"}},
    }
    paths = {
        "/a": {"get": {"parameters": [{"$ref": "#/components/parameters/A"}], **OK}, "post": OK},
        "/b": {"$ref": "#/components/pathItems/X", "get": OK},
        "/c": {"get": {"$ref": "#/paths/~1c/get"}},
    }
    result = read(api(paths, components=components))
    assert sorted(draft.origin for draft in result.drafts) == ["GET /b", "POST /a"]
    assert result.codes.count("ref_cycle") == 3
    assert result.skipped == 2


@pytest.mark.parametrize(
    ("member", "value"),
    [("swagger", "2.0"), ("swagger", 2.0), ("openapi", "3.0.3"), ("openapi", 3.1), ("openapi", "3.2.0")],
)
def test_versions_are_read_by_their_text(read: Any, member: Any, value: Any):
    """S-33."""
    result = read({member: value, "info": {"title": "A", "version": 2}, "paths": {"/a": {"get": OK}}})
    assert len(result.drafts) == 1
    assert result.reading.document.version == str(value)
    assert (result.reading.document.title, result.reading.document.api_version) == ("A", "2")


def test_an_unknown_minor_version_is_read_with_a_warning(read: Any, api: Any):
    """S-33."""
    result = read(api({"/a": {"query": OK}}) | {"openapi": "3.9.1"})
    assert [draft.origin for draft in result.drafts] == ["QUERY /a"]
    assert result.finding("parse_lenient").severity is Severity.WARNING


@pytest.mark.parametrize(
    "document",
    [
        {"swaggerVersion": "1.2", "apis": []},
        {"swagger": "1.2", "paths": {}},
        {"openapi": "4.0.0", "paths": {}},
        {"hello": "world"},
        {"openapi": None, "paths": {}},
        {"openapi": [], "paths": {}},
        [],
        "just text",
        "",
        "<!doctype html><title>Sign in</title>",
        "%PDF-1.7",
        '{"openapi": "3.1.0", "paths": {',
        "openapi: 3.1.0\npaths: [\n",
    ],
)
def test_what_is_no_openapi_document_is_refused_with_a_reason(read: Any, document: Any):
    """S-33, section 14."""
    with pytest.raises(Problem) as caught:
        read(document)
    assert caught.value.code in {Code.PARSE_ERROR, Code.UNSUPPORTED}
    assert caught.value.message


def test_missing_members_are_notes_and_webhooks_are_counted(read: Any):
    """S-33."""
    result = read({"openapi": "3.1.0", "webhooks": {"a": {"post": OK}, "b": {"post": OK}}})
    assert result.drafts == []
    assert "2 webhooks" in result.finding("webhooks_ignored").message
    assert [finding.message for finding in result.findings if finding.code.value == "missing_member"] == [
        "declares no info",
        "it declares no paths, so it has no tools",
    ]
    assert all(finding.severity is Severity.NOTE for finding in result.findings)


def test_an_operation_without_responses_is_noted_as_the_sample_says(read: Any, api: Any):
    """Section 17."""
    result = read(api({"/ships/{id}/visits": {"post": {"operationId": "addVisit", "parameters": [
        {"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}
    ]}}}))  # fmt: skip
    note = result.finding("missing_member")
    assert (note.severity, note.where, note.operation) == (
        Severity.NOTE, "openapi.json#/paths/~1ships~1{id}~1visits/post", "addVisit",
    )  # fmt: skip
    assert note.message == "declares no responses; any 2xx counts as success and the result type is unknown"


def test_equal_findings_beyond_the_twentieth_stand_together(read: Any, api: Any):
    """S-5."""
    result = read(api({f"/p{number}": {"get": {}} for number in range(50)}))
    notes = [finding for finding in result.findings if finding.code.value == "missing_member"]
    assert len(notes) == 21
    assert sum(note.count for note in notes) == 50


def test_too_many_operations_are_refused_naming_the_limit(read: Any, api: Any, monkeypatch: Any):
    """S-6."""
    monkeypatch.setattr("periplus.sources.openapi.reader.MOST_OPERATIONS", 3)
    with pytest.raises(Problem, match="operations") as caught:
        read(api({f"/p{number}": {"get": OK} for number in range(4)}))
    assert caught.value.code is Code.OVER_LIMIT


def test_a_large_document_gives_the_same_drafts_as_a_small_one(read: Any, api: Any, monkeypatch: Any):
    """S-1: walking a document without holding it changes nothing."""
    components = {
        "parameters": {"Id": {"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}},
        "schemas": {"Pet": {"type": "object", "properties": {"name": {"type": "string"}}}},
        "securitySchemes": {"key": {"type": "apiKey", "in": "header", "name": "K"}},
    }
    body = {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Pet"}}}}
    paths = {
        "/pets/{id}": {"parameters": [{"$ref": "#/components/parameters/Id"}], "put": {"requestBody": body, **OK}},
        "/pets": {"$ref": "#/paths/~1pets~1{id}", "get": OK},
    }
    document = api(paths, components=components, webhooks={"w": {}}, tags=[{"name": "a"}])
    small = read(document)
    monkeypatch.setattr("periplus.sources.openapi.shelf.LAZY_FROM", 1)
    large = read(document)
    assert small.drafts == large.drafts
    assert small.findings == large.findings
    assert small.reading.site == large.reading.site
