"""What is no description is refused with its name, the place and the remedy, and costs no neighbour (section 14)."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from neighbour import Neighbour, told
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from periplus.core.gateway import Gateway
from periplus.model import Code, Problem, SourceSpec
from sites import Site, api, text

# --- what came instead of a document ---------------------------------------------------------------------------


PAGES = [
    pytest.param(b"<!doctype html><h1>Our API</h1>", "text/html", "a web page (HTML) came as text/html", id="html"),
    pytest.param(b"<title>Sign in</title>", "text/html", "a login page (HTML) came as text/html", id="login"),
    pytest.param(b"<html>really</html>", "application/json", "a web page (HTML) came as application/json", id="liar"),
    pytest.param(b"%PDF-1.7 ...", "application/pdf", "a PDF file came as application/pdf", id="pdf"),
    pytest.param(b"", "application/json", "nothing came as application/json", id="empty"),
    pytest.param(b"Not Found", "text/plain", "plain text came as text/plain, starting 'Not Found'", id="words"),
]


@pytest.mark.parametrize(("body", "kind", "says"), PAGES)
async def test_what_is_no_document_is_named_by_what_it_is(
    beside: Neighbour, site: Site, body: bytes, kind: str, says: str
) -> None:
    """HTML, login page, PDF, empty body: what came and what was expected."""
    site.write("/api.json", body, kind=kind)
    problem = await beside.refuses(SourceSpec(url=site.url("/api.json"), kind="openapi"), Code.PARSE_ERROR)
    assert says in problem.message
    assert "a JSON or YAML document was expected" in problem.message
    assert "api.json" in told(problem)
    assert problem.hints


@pytest.mark.parametrize(("body", "kind", "says"), PAGES)
async def test_looking_at_what_is_no_document_says_what_it_showed(
    beside: Neighbour, site: Site, body: bytes, kind: str, says: str
) -> None:
    """The same without a kind: status, media type, first words, then every probe (H-17)."""
    site.write("/api.json", body, kind=kind)
    problem = await beside.refuses(site.url("/api.json"), Code.PARSE_ERROR)
    assert f"{site.url('/api.json')}: it answered 200 {kind}" in problem.message
    assert problem.where == site.url("/api.json")
    tried = problem.hints[-1]
    assert tried.startswith("tried GET /api.json/.well-known/elemm-manifest.md: 404; ")
    assert "POST /api.json:" not in tried, "a document's name is not asked in GraphQL"
    assert "GET /openapi.json: 404" in tried
    assert "openapi:URL" in problem.hints[0]


async def test_a_page_that_is_not_there_is_told_with_its_status(beside: Neighbour, site: Site) -> None:
    problem = await beside.refuses(site.url("/gone.json"), Code.PARSE_ERROR)
    assert "it answered 404 text/html, beginning '404'" in problem.message


async def test_an_address_that_wants_credentials_says_which_setting(beside: Neighbour, site: Site) -> None:
    site.write("/api.json", "{}", status=401)
    problem = await beside.refuses(site.url("/api.json"), Code.UPSTREAM_UNAUTHENTICATED)
    assert site.url("/api.json") in problem.message
    assert "set headers in its [sources.NAME] table" in problem.hints[0]


# --- broken documents --------------------------------------------------------------------------------------------


async def test_truncated_json_is_told_by_line_and_column(beside: Neighbour, site: Site) -> None:
    site.write("/api.json", '{"openapi": "3.1.0",\n "paths": {"/a": {"get":')
    problem = await beside.refuses(site.url("/api.json"), Code.PARSE_ERROR)
    assert problem.message.startswith("api.json:2:")
    assert '"paths": {"/a": {"get":' in problem.message
    assert problem.hints == ("fetch it again: it looks truncated",)


async def test_bad_yaml_is_told_by_line_and_column(beside: Neighbour, site: Site) -> None:
    site.write("/api.yaml", "openapi: 3.1.0\ninfo:\n  title: x\n paths: {\n", kind="application/yaml")
    problem = await beside.refuses(site.url("/api.yaml"), Code.PARSE_ERROR)
    assert problem.message.startswith("api.yaml:4:2 is not YAML")
    assert "'paths: {'" in problem.message
    assert problem.hints


async def test_a_document_of_something_else_says_what_is_in_it(beside: Neighbour, tmp_path: Path) -> None:
    (tmp_path / "settings.json").write_text('{"editor": "vi"}')
    problem = await beside.refuses(str(tmp_path / "settings.json"), Code.PARSE_ERROR)
    assert 'settings.json is no description Periplus knows; it begins with \'{"editor": "vi"}\'' in problem.message
    assert "openapi:FILE" in problem.hints[-1]


@pytest.mark.parametrize(
    ("held", "told"),
    [
        (b"<!doctype html><title>Company wiki</title>", "a web page (HTML) came"),
        (b"<html><title>Sign in</title><input type=password>", "a login page (HTML) came"),
        (b"%PDF-1.7\n1 0 obj", "a PDF file came"),
        (b"", "nothing came"),
    ],
)
async def test_a_file_that_is_no_document_says_what_it_is(
    beside: Neighbour, tmp_path: Path, held: bytes, told: str
) -> None:
    (tmp_path / "api.yaml").write_bytes(held)
    problem = await beside.refuses(str(tmp_path / "api.yaml"), Code.PARSE_ERROR)
    assert problem.message.startswith(f"api.yaml: {told}")
    assert problem.hints


# --- too much ----------------------------------------------------------------------------------------------------


def bomb() -> str:
    lines = ["openapi: 3.1.0", "a0: &a0 [x,x,x,x,x,x,x,x,x,x]"]
    lines += [f"a{level}: &a{level} [{','.join([f'*a{level - 1}'] * 10)}]" for level in range(1, 12)]
    return "\n".join([*lines, "paths: {/a: {get: {x-y: *a11}}}"])


async def test_a_yaml_bomb_is_over_the_limit_of_nodes(beside: Neighbour, site: Site) -> None:
    site.write("/bomb.yaml", bomb(), kind="application/yaml")
    problem = await beside.refuses(site.url("/bomb.yaml"), Code.OVER_LIMIT)
    assert "bomb.yaml has more than 20000000 nodes" in problem.message
    assert "[limits]" in problem.hints[0]


async def test_deep_nesting_is_over_the_limit_of_levels(beside: Neighbour, site: Site) -> None:
    site.write("/deep.json", '{"openapi":"3.1.0","paths":' + '{"a":' * 10_000 + "1" + "}" * 10_000 + "}")
    problem = await beside.refuses(site.url("/deep.json"), Code.OVER_LIMIT)
    assert "deep.json has more than 200 levels; the limit nesting is 200" in problem.message


async def test_two_hundred_megabytes_stop_at_the_limit(beside: Neighbour, site: Site) -> None:
    async def flood() -> AsyncIterator[bytes]:
        for _ in range(200):
            yield b" " * (1 << 20)

    async def page(_: Request) -> Response:
        return StreamingResponse(flood(), media_type="application/json")

    site.serve("/big.json", page)
    problem = await beside.refuses(SourceSpec(url=site.url("/big.json"), kind="openapi"), Code.OVER_LIMIT)
    assert "is larger than 134217728 bytes, the limit [limits] document_bytes" in problem.message
    looked = await beside.refuses(site.url("/big.json"), Code.OVER_LIMIT)
    assert looked.message == problem.message


async def test_references_without_end_cost_what_they_concern(gateway: Gateway, site: Site) -> None:
    """S-36: recursion of schemas stays, recursion of anything else is told; the rest loads."""
    document = api("a")
    document["paths"]["/round"] = {"$ref": "#/paths/~1round"}
    chain = {f"p{number}": {"$ref": f"#/components/parameters/p{number + 1}"} for number in range(300)}
    document["components"] = {"parameters": chain | {"p300": {"$ref": "#/components/parameters/p0"}}}
    document["paths"]["/b"] = {"get": {"operationId": "b", "parameters": [{"$ref": "#/components/parameters/p0"}]}}
    site.write("/api.json", text(document))
    report = await gateway.connect(site.url("/api.json"))
    assert report.counts.tools == 1
    assert {finding.code.value for finding in report.problems} >= {"ref_cycle"}
    assert any("/round" in finding.message for finding in report.problems)


# --- odd documents that load -------------------------------------------------------------------------------------


async def test_odd_operations_load_and_the_impossible_one_is_told(gateway: Gateway, site: Site) -> None:
    """`type` lists, `tags: null`, `parameters: {}` and an operation that is a list."""
    document = api("a")
    document["paths"] |= {
        "/typed": {"get": {"operationId": "typed", "parameters": [_query({"type": ["string", "null"]})]}},
        "/untagged": {"get": {"operationId": "untagged", "tags": None, "parameters": {}}},
        "/list": {"get": ["not", "an", "operation"]},
    }
    site.write("/api.json", text(document))
    report = await gateway.connect(site.url("/api.json"))
    assert (report.counts.operations, report.counts.tools, report.counts.skipped) == (4, 3, 1)
    (skipped,) = [finding for finding in report.problems if finding.skipped]
    assert (skipped.operation, skipped.where) == ("GET /list", "api.json#/paths/~1list/get")
    assert "is list, not an object" in skipped.message
    assert (await gateway.describe("typed")).args_schema["properties"]["x"]["type"] == ["string", "null"]


def _query(schema: Any) -> dict[str, Any]:
    return {"name": "x", "in": "query", "schema": schema}


async def test_names_that_fold_to_one_are_three_tools(gateway: Gateway, site: Site) -> None:
    """S-20: `get__x`, `get x`, `get_x` under one tag."""
    document = api()
    for number, name in enumerate(("get__x", "get x", "get_x")):
        document["paths"][f"/{number}"] = {"get": {"operationId": name, "tags": ["t"]}}
    site.write("/api.json", text(document))
    report = await gateway.connect(site.url("/api.json"))
    assert report.counts.tools == 3
    assert "name_collision" in {finding.code.value for finding in report.problems}
    refs = [str(tool.ref) for tool in (await gateway.browse(deep=True)).tools]
    assert len(set(refs)) == 3


async def test_references_elsewhere_are_refused_one_by_one(gateway: Gateway, site: Site) -> None:
    """A file, a private address and a missing page; the operations beside them load."""
    document = api("a")
    for name, target in (
        ("file", "file:///etc/passwd"),
        ("inside", "http://10.0.0.1/x.json#/X"),
        ("missing", "gone.json#/X"),
    ):
        schema = {"200": {"description": "", "content": {"application/json": {"schema": {"$ref": target}}}}}
        document["paths"][f"/{name}"] = {"get": {"operationId": name, "responses": schema}}
    site.write("/api.json", text(document))
    report = await gateway.connect(site.url("/api.json"))
    assert report.counts.tools == 4
    said = {(finding.code.value, finding.message) for finding in report.problems}
    assert _about(said, "/etc/passwd") == {"ref_refused"}
    assert _about(said, "10.0.0.1 is a private address") == {"ref_refused"}
    assert _about(said, "gone.json") == {"dangling_ref"}


def _about(said: set[tuple[str, str]], words: str) -> set[str]:
    return {code for code, message in said if words in message}


async def test_a_document_without_servers_says_what_to_set(gateway: Gateway, tmp_path: Path) -> None:
    """S-51: a local file without a host."""
    document = api("a")
    del document["servers"]
    (tmp_path / "api.json").write_text(text(document))
    report = await gateway.connect(str(tmp_path / "api.json"))
    (finding,) = [finding for finding in report.problems if finding.code.value == "no_server"]
    assert "base_url" in finding.fix + finding.message


async def test_a_server_variable_without_a_value_names_the_setting(gateway: Gateway, site: Site) -> None:
    site.write("/api.json", text(api("a") | {"servers": [{"url": "https://{tenant}.example.com"}]}))
    report = await gateway.connect(site.url("/api.json"))
    (finding,) = [finding for finding in report.problems if finding.code.value == "server_variable_unset"]
    assert "tenant" in finding.message
    assert "server_variables" in finding.fix + finding.message


# --- of what was read before -------------------------------------------------------------------------------------


async def test_a_source_that_breaks_goes_on_serving_what_it_had(gateway: Gateway, site: Site) -> None:
    """S-108: stale, with the reason; and sound again as soon as it can be read."""
    site.write("/api.json", text(api("a", "b")))
    await gateway.connect(SourceSpec(id="quay", url=site.url("/api.json")))
    site.write("/api.json", "<html>maintenance</html>", kind="text/html")
    with pytest.raises(Problem, match="a web page"):
        await gateway.sync("quay")
    record = await gateway.source("quay")
    assert record.state.value == "stale"
    assert "a web page (HTML) came as text/html" in record.reason
    assert [tool.ref.leaf for tool in (await gateway.browse(deep=True)).tools] == ["a", "b"]
    assert (await gateway.describe("a")).summary == "Do a."
    site.write("/api.json", text(api("a", "b")))
    await gateway.sync("quay")
    record = await gateway.source("quay")
    assert (record.state.value, record.reason) == ("ok", "")


async def test_an_impossible_schema_of_one_tool_is_that_tools_loss(gateway: Gateway, site: Site) -> None:
    """S-3: a keyword is lost, the operation stays."""
    document = api("a", "b")
    document["paths"]["/a"]["get"]["parameters"] = [_query({"type": "string", "pattern": "(?<=x)y(?!z)"}), 7]
    site.write("/api.json", text(document))
    report = await gateway.connect(site.url("/api.json"))
    assert report.counts.tools >= 1
    assert "b" in [tool.ref.leaf for tool in (await gateway.browse(deep=True)).tools]
    assert report.problems
