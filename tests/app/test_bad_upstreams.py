"""Addresses and servers that misbehave are refused with their name and a remedy, and cost no neighbour (section 14)."""

from __future__ import annotations

import socket
import sys
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from neighbour import Neighbour, told
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from periplus.core.gateway import Gateway
from periplus.model import Code, LoadReport, Problem, SourceSpec
from sites import Site

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


@pytest.mark.parametrize("status", [200, 401, 404])
async def test_a_secret_in_the_query_is_in_no_refusal(beside: Neighbour, site: Site, status: int) -> None:
    """S-62: that there is a query is all that is said of it."""
    site.write("/api.json", "nothing to read", kind="text/plain", status=status)
    with pytest.raises(Problem) as refused:
        await beside.gateway.connect(site.url("/api.json?api_key=s3cr3t"))
    assert "/api.json?..." in told(refused.value)
    assert "s3cr3t" not in told(refused.value)
