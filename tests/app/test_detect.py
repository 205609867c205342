"""The kind of a source nobody named one for: by what stands there, never by how it is called (handshake.md, 3)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from periplus.core.gateway import Gateway
from periplus.demo import crew, harbour
from periplus.demo.services import serving
from periplus.model import Code, Problem, SourceSpec
from sites import Site, api, text

SDL = "type Query {\n  ship(id: ID!): String\n}\n"
INTROSPECTION = json.dumps({"data": {"__schema": {"queryType": {"name": "Query"}, "types": [
    {"kind": "OBJECT", "name": "Query", "fields": [
        {"name": "ship", "args": [], "type": {"kind": "SCALAR", "name": "String"}, "isDeprecated": False}],
     "interfaces": []},
    {"kind": "SCALAR", "name": "String"}], "directives": []}}})  # fmt: skip
FILES = [
    ("api.json", text(api("a")), "openapi"),
    ("api.yaml", "openapi: 3.0.3\ninfo: {title: x, version: '1'}\npaths: {/a: {get: {operationId: a}}}\n", "openapi"),
    ("api.txt", "# a comment\nswagger: '2.0'\ninfo: {title: x, version: '1'}\npaths: {/a: {get: {}}}\n", "openapi"),
    ("graphql-called.yaml", text(api("a")), "openapi"),
    ("schema.graphql", SDL, "graphql"),
    ("schema.yaml", SDL, "graphql"),
    ("introspection.json", INTROSPECTION, "graphql"),
]


@pytest.mark.parametrize(("name", "content", "kind"), FILES, ids=[name for name, _, _ in FILES])
async def test_a_file_is_what_it_says(gateway: Gateway, tmp_path: Path, name: str, content: str, kind: str) -> None:
    (tmp_path / name).write_text(content)
    report = await gateway.connect(str(tmp_path / name))
    assert (report.kind, report.counts.tools) == (kind, 1)


@pytest.mark.parametrize(("name", "content", "kind"), FILES, ids=[name for name, _, _ in FILES])
async def test_a_page_is_what_it_says(gateway: Gateway, site: Site, name: str, content: str, kind: str) -> None:
    site.write(f"/{name}", content, kind="text/plain")
    report = await gateway.connect(SourceSpec(url=site.url(f"/{name}"), endpoint="https://x.example/graphql"))
    assert (report.kind, report.counts.tools) == (kind, 1)


@pytest.mark.parametrize("path", ["/openapi.json", "/swagger.json", "/api-docs", "/openapi.yaml", "/v3/api-docs"])
async def test_a_service_is_found_by_its_usual_place(gateway: Gateway, site: Site, path: str) -> None:
    """The address of a service is enough; the next read goes straight to the document."""
    site.write(path, text(api("a")), validator="etag")
    report = await gateway.connect(site.url("/"))
    assert report.kind == "openapi"
    site.asked()
    assert (await gateway.connect(site.url("/"))).unchanged
    assert site.asked() == [("GET", path, 304)]


async def test_a_documentation_page_leads_to_its_document(gateway: Gateway, site: Site) -> None:
    site.write("/docs", "<html><script>SwaggerUIBundle({url: '/deep/api.json'})</script>", kind="text/html")
    site.write("/deep/api.json", text(api("a")))
    assert (await gateway.connect(site.url("/docs"))).counts.tools == 1


async def test_a_graphql_service_answers_what_it_is(gateway: Gateway) -> None:
    with serving(crew.application()) as base:
        report = await gateway.connect(f"{base}/graphql")
        below = await gateway.connect(SourceSpec(id="crew", url=base))
    assert report.kind == below.kind == "graphql"


async def test_a_rest_service_is_not_asked_to_do_anything(gateway: Gateway) -> None:
    with serving(harbour.application()) as base:
        assert (await gateway.connect(base)).kind == "openapi"


async def test_a_tool_manifest_is_found(gateway: Gateway, site: Site) -> None:
    manifest = {
        "protocol_version": "1.0",
        "scenario": {"name": "quay"},
        "tools": [{"name": "moor", "description": "Moor.", "parameters": {"type": "object", "properties": {}}}],
    }
    site.write("/api/v1/tools", text(manifest))
    report = await gateway.connect(site.url("/"))
    assert (report.kind, report.counts.tools) == ("manifest", 1)


async def test_an_mcp_server_over_http_is_known_by_its_answer(gateway: Gateway, site: Site) -> None:
    async def page(request: Request) -> Response:
        asked = await request.json() if request.method == "POST" else {}
        results = {
            "initialize": {
                "protocolVersion": "2025-03-26",
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "tides", "version": "1"},
            },
            "tools/list": {"tools": [{"name": "height", "inputSchema": {"type": "object"}}]},
        }
        if "id" not in asked:
            error = {"jsonrpc": "2.0", "id": None, "error": {"code": -32600, "message": "not a request"}}
            return JSONResponse(error, 202 if "method" in asked else 400)
        known = asked.get("method") in results
        answer = {"result": results[asked["method"]]} if known else {"error": {"code": -32601, "message": "no"}}
        return JSONResponse({"jsonrpc": "2.0", "id": asked["id"], **answer})

    site.serve("/somewhere", page)
    report = await gateway.connect(site.url("/somewhere"))
    assert (report.kind, report.counts.tools) == ("mcp", 1)


async def test_one_bad_probe_does_not_end_the_others(gateway: Gateway, site: Site) -> None:
    """H-17"""

    async def failing(_: Request) -> Response:
        return Response(b"\xff\xfe\x00 not json", 500, media_type="application/json")

    for path in ("/", "/.well-known/elemm-manifest.md", "/graphql", "/openapi.json", "/swagger.json"):
        site.serve(path, failing)
    site.write("/api-docs", text(api("a")))
    assert (await gateway.connect(site.url("/"))).counts.tools == 1


async def test_nothing_anywhere_lists_every_probe_in_order(gateway: Gateway, site: Site) -> None:
    with pytest.raises(Problem) as refused:
        await gateway.connect(site.url("/v2/"))
    assert refused.value.code is Code.PARSE_ERROR
    tried = refused.value.hints[-1]
    order = ["/v2/.well-known/elemm-manifest.md", "POST /v2: 404", "GET /v2: 404", "POST /v2/graphql", "/openapi.json"]
    assert [tried.index(each) for each in order] == sorted(tried.index(each) for each in order)
    assert site.url("/v2") in refused.value.message
