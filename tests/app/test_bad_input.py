"""What is no description is refused with its name, the place and the remedy, and costs no neighbour (section 14)."""

from __future__ import annotations

import socket
import sys
import textwrap
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response, StreamingResponse

from periplus.core.gateway import Gateway
from periplus.model import Code, LoadReport, Problem, SourceSpec
from sites import Site, api, text


class Neighbour:
    """A catalog with a sound source in it, which must look the same afterwards."""

    def __init__(self, gateway: Gateway) -> None:
        self.gateway = gateway
        self._before: Any = None

    async def look(self) -> Any:
        listing = await self.gateway.browse(deep=True)
        records = [record for record in await self.gateway.sources() if record.document]
        return listing.tools, await self.gateway.revision(), records

    async def refuses(self, spec: SourceSpec | str, code: Code) -> Problem:
        before = await self.look()
        with pytest.raises(Problem) as refused:
            await self.gateway.connect(spec)
        assert refused.value.code is code, refused.value.message
        assert await self.look() == before
        return refused.value


@pytest.fixture
async def beside(gateway: Gateway, tmp_path: Path) -> Neighbour:
    (tmp_path / "quay.json").write_text(text(api("a", "b")))
    await gateway.connect(str(tmp_path / "quay.json"))
    return Neighbour(gateway)


def told(problem: Problem) -> str:
    """Everything a reader sees."""
    return "\n".join((problem.message, problem.where or "", *problem.hints))


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


# --- addresses ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("url", "code", "says"),
    [
        ("http://[::1", Code.BAD_INPUT, "not a URL"),
        ("http://exa mple/", Code.BAD_INPUT, "not a host name"),
        ("http://me:secret@127.0.0.1/", Code.REFUSED_ADDRESS, "user name or password"),
        ("ftp://files.example/api", Code.REFUSED_ADDRESS, "'ftp'"),
    ],
)
@pytest.mark.parametrize("kind", ["", "openapi"])
async def test_a_url_that_cannot_be_asked_is_refused(
    beside: Neighbour, kind: str, url: str, code: Code, says: str
) -> None:
    problem = await beside.refuses(SourceSpec(url=url, kind=kind), code)
    assert says in problem.message or "not a host and port" in problem.message
    assert "secret" not in told(problem)


@pytest.mark.parametrize("host", ["10.0.0.1", "192.168.7.7", "169.254.169.254", "[fd00:ec2::254]", "100.64.0.1"])
async def test_a_private_address_from_a_face_is_refused_by_name(beside: Neighbour, host: str) -> None:
    """S-12, S-13: nobody but the operator names such an address."""
    problem = await beside.refuses(SourceSpec(url=f"http://{host}/api.json", trusted=False), Code.REFUSED_ADDRESS)
    assert host.strip("[]") in problem.message
    assert "[fetch] allow" in problem.hints[0]


async def test_a_redirect_to_a_metadata_address_is_refused(beside: Neighbour, site: Site) -> None:
    """S-14: each hop is judged anew; the operator's word for one address opens no other."""

    async def page(_: Request) -> Response:
        return RedirectResponse("http://169.254.169.254/latest/meta-data")

    site.serve("/api.json", page)
    problem = await beside.refuses(site.url("/api.json"), Code.REFUSED_ADDRESS)
    assert "169.254.169.254 is a cloud metadata address" in problem.message
    assert "[fetch] allow" in problem.hints[0]


async def test_redirects_without_end_are_over_the_limit(beside: Neighbour, site: Site) -> None:
    async def page(_: Request) -> Response:
        return RedirectResponse("/api.json")

    site.serve("/api.json", page)
    problem = await beside.refuses(site.url("/api.json"), Code.OVER_LIMIT)
    assert "redirects more than 5 times" in problem.message


@contextmanager
def closed_port() -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = int(listener.getsockname()[1])
    yield port


@pytest.mark.parametrize("kind", ["", "openapi", "graphql", "mcp", "manifest"])
async def test_a_host_that_is_not_there_is_named_with_what_to_check(beside: Neighbour, kind: str) -> None:
    with closed_port() as port:
        url = f"http://127.0.0.1:{port}/api"
        problem = await beside.refuses(SourceSpec(url=url, kind=kind), Code.UNAVAILABLE)
    assert f"127.0.0.1:{port} refused the connection" in problem.message
    assert problem.hints
    assert "check that it runs" in problem.hints[0]
    assert problem.retryable


async def test_a_name_that_does_not_resolve_is_told(beside: Neighbour) -> None:
    problem = await beside.refuses("http://no-such-host.invalid/api.json", Code.UNAVAILABLE)
    assert "no-such-host.invalid does not resolve" in problem.message
    assert "spelling" in problem.hints[0]


async def test_a_missing_file_is_named(beside: Neighbour, tmp_path: Path) -> None:
    problem = await beside.refuses(SourceSpec(url=str(tmp_path / "gone.yaml"), kind="openapi"), Code.NOT_FOUND)
    assert "gone.yaml" in problem.message


async def test_an_unknown_kind_names_those_there_are(beside: Neighbour) -> None:
    problem = await beside.refuses(SourceSpec(url="https://x.example", kind="soap"), Code.UNSUPPORTED)
    assert "soap" in problem.message
    assert "openapi" in problem.hints[0]


# --- MCP servers that misbehave ----------------------------------------------------------------------------------


def server(tmp_path: Path, body: str) -> SourceSpec:
    """A server over stdio that does this."""
    file = tmp_path / "server.py"
    file.write_text("import json, sys, time\n" + textwrap.dedent(body))
    return SourceSpec(id="tides", kind="mcp", command=sys.executable, args=(str(file),))


async def test_a_server_that_dies_says_its_last_words(beside: Neighbour, tmp_path: Path) -> None:
    spec = server(tmp_path, "sys.stderr.write('cannot find API_KEY\\n'); sys.exit(3)")
    problem = await beside.refuses(spec, Code.UNAVAILABLE)
    assert problem.message == "source 'tides': the server ended with status 3; it said: cannot find API_KEY"
    assert "run its command in a shell" in problem.hints[0]


async def test_a_program_that_is_no_server_is_told_by_what_it_prints(beside: Neighbour, tmp_path: Path) -> None:
    problem = await beside.refuses(server(tmp_path, "print('Hello, sailor')"), Code.UNAVAILABLE)
    assert "the server ended" in problem.message
    assert "'Hello, sailor'" in problem.message


async def test_a_command_that_is_not_there_is_named(beside: Neighbour) -> None:
    problem = await beside.refuses(SourceSpec(id="tides", kind="mcp", command="no-such-server"), Code.UNAVAILABLE)
    assert "there is no program 'no-such-server'" in problem.message
    assert "install it" in problem.hints[0]


CHATTY = """
    print("Starting up...", flush=True)
    for line in sys.stdin:
        asked = json.loads(line)
        results = {
            "initialize": {"protocolVersion": "2025-03-26", "capabilities": {"tools": {}},
                           "serverInfo": {"name": "c", "version": "1"}},
            "tools/list": {"tools": [{"name": "bare", "inputSchema": {"properties": {"a": {"type": "string"}}}},
                                     {"name": "none", "inputSchema": {}}], "nextCursor": "again"},
        }
        if "id" in asked:
            print("some log text", flush=True)
            known = asked["method"] in results
            answer = {"result": results[asked["method"]]} if known else {"error": {"code": -32601, "message": "no"}}
            print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], **answer}), flush=True)
"""


async def test_a_server_that_chats_and_repeats_itself_is_read(gateway: Gateway, tmp_path: Path) -> None:
    """S-91, S-93, S-94: text on stdout, schemas without a type and a repeated cursor cost nothing but notes."""
    report = await gateway.connect(server(tmp_path, CHATTY))
    assert report.counts.tools == 2
    said = _messages(report)
    assert "'Starting up...'" in said
    assert "cursor" in said
    tool = await gateway.describe("bare")
    assert tool.args_schema["type"] == "object"
    assert tool.args_schema["properties"] == {"a": {"type": "string"}}


def _messages(report: LoadReport) -> str:
    return "\n".join(finding.message for finding in report.problems)


async def test_a_web_page_is_no_mcp_server(beside: Neighbour, site: Site) -> None:
    problem = await beside.refuses(SourceSpec(url=site.url("/"), kind="mcp"), Code.NOT_FOUND)
    assert "HTTP 404" in problem.message
    assert "check that an MCP server answers at this address" in problem.hints[0]


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
