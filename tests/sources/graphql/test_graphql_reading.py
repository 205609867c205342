"""Where schemas come from: endpoints that answer, answer less or refuse, and files."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from graphql import build_schema, introspection_from_schema, print_ast
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response

from graphql_harbour import HARBOUR
from graphql_servers import GraphqlServer, Read, read, read_new, serving
from periplus.model import Code, Problem, Unchanged
from periplus.selections import schema as schemas
from periplus.selections.documents import call_document

RICH = """
scalar Colour @specifiedBy(url: "https://colours.test/spec")
input By @oneOf { id: ID name: String }
type Query {
  "Says hello."
  hello(by: By, c: Colour, old: Int @deprecated(reason: "gone")): String @deprecated(reason: "rude")
  deep(x: [[[Int!]!]!]!): Int
}
"""


def served(sdl: str = HARBOUR, **more: object) -> GraphqlServer:
    return GraphqlServer(schema=build_schema(sdl), **more)  # type: ignore[arg-type]


async def refused(**spec: object) -> Problem:
    with pytest.raises(Problem) as caught:
        await read(**spec)  # type: ignore[arg-type]
    return caught.value


async def test_an_endpoint_is_read_with_everything_it_says() -> None:
    """S-80."""
    with serving(served(RICH)) as server:
        found = await read_new(url=server.url)
    hello = found.drafts["Query.hello"]
    assert server.methods == ["POST"]
    assert hello.description == "Says hello."
    assert hello.deprecated == "rude"
    assert hello.args_schema["properties"]["old"]["deprecated"] is True
    assert found.reading.definitions["By"]["maxProperties"] == 1
    assert "https://colours.test/spec" in found.reading.definitions["Colour"]["description"]
    assert found.drafts["Query.deep"].binding["variables"] == {"x": "[[[Int!]!]!]!"}
    assert found.reading.site["endpoint"] == server.url
    assert found.codes == []


async def test_calls_built_from_what_was_read_are_answered_by_that_server() -> None:
    """S-85: with the schema the site keeps and nothing else."""
    hits = [{"__typename": "Ship", "id": 1, "name": "Ada"}, {"__typename": "Berth", "id": 2, "code": "B2"}]
    with serving(served(root={"search": lambda *_, **__: hits})) as server:
        found = await read_new(url=server.url)
        schema = schemas.unpack(found.reading.site["schema"])
        assert schema.query_type is not None
        document = print_ast(call_document(found.drafts["Query.search"].binding, {"text"}))
        assert server.schema is not None
        question = json.dumps({"query": document, "variables": {"text": "a"}}).encode()
        answer = await _post(server.url, question)
    assert answer == {"data": {"search": [hits[0] | {"id": "1"}, hits[1] | {"id": "2"}]}}


async def _post(url: str, body: bytes) -> object:
    from periplus.model import SourceSpec  # noqa: PLC0415 - only this test sends
    from periplus.net import Fetcher, FetchPolicy  # noqa: PLC0415
    from periplus.ports import FetchRequest  # noqa: PLC0415

    fetcher = Fetcher(FetchPolicy())
    request = FetchRequest(url=url, method="POST", body=body, headers={"content-type": "application/json"})
    fetched = await fetcher.for_source(SourceSpec(id="s", url=url)).send(request)
    await fetcher.close()
    return json.loads(fetched.body)


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("isOneOf", 'Cannot query field "isOneOf" on type "__Type".'),
        ("specifiedByURL", 'Cannot query field "specifiedByURL" on type "__Type".'),
        ("description", "Query is too complex."),
        (
            "ofType { name kind ofType { name kind ofType { name kind ofType { name kind ofType { name kind ofType",
            "depth",
        ),
    ],
)
async def test_a_server_that_refuses_the_newest_questions_is_asked_for_less(word: str, said: str) -> None:
    """S-80."""

    def refuse(question: str) -> str | None:
        return said if word in " ".join(question.split()) else None

    with serving(served(RICH, refuse=refuse)) as server:
        found = await read_new(url=server.url)
    assert {"Query.hello", "Query.deep"} <= found.drafts.keys() | set(found.skipped)
    assert "Query.hello" in found.drafts


async def test_a_server_that_tells_only_in_parts_is_asked_for_each() -> None:
    """S-80."""

    def refuse(question: str) -> str | None:
        return "Query is too complex" if "IntrospectionQuery" in question or question.count("t1:") else None

    with serving(served(refuse=refuse)) as server:
        found = await read_new(url=server.url)
    assert found.drafts["Query.berth"].binding["selection"] == "{ id code lengthM state owner { id name } }"
    assert "parse_lenient" in found.codes


@pytest.mark.parametrize(
    "said",
    [
        "GraphQL introspection is not allowed by Apollo Server",
        "Introspection is disabled",
        "introspection has been disabled",
    ],
)
async def test_where_introspection_is_off_a_federated_server_still_tells_its_sdl(said: str) -> None:
    """S-80."""
    sdl = HARBOUR + " type _Service { sdl: String! } extend type Query { _service: _Service! }"
    server = served(
        sdl, root={"_service": {"sdl": HARBOUR}}, refuse=lambda asked: said if "__schema" in asked else None
    )
    with serving(server):
        found = await read_new(url=server.url)
    assert "Query.berth" in found.drafts
    assert found.codes == ["introspection_disabled"]
    assert found.reading.site["endpoint"] == server.url


async def test_where_nothing_tells_the_schema_the_advice_is_to_give_it() -> None:
    """S-80."""
    server = served(refuse=lambda _asked: "Introspection is disabled")
    with serving(server):
        problem = await refused(url=server.url)
    assert problem.code is Code.UNSUPPORTED
    assert problem.message.startswith("introspection_disabled: ")
    assert f'endpoint = "{server.url}"' in problem.hints[0]
    assert len(server.asked) == 2


async def test_get_is_used_only_where_the_operator_says_so() -> None:
    """S-80."""
    with serving(served()) as server:
        found = await read_new(url=f"{server.url}?tenant=a", transport="get")
    assert set(server.methods) == {"GET"}
    assert found.reading.site["method"] == "GET"
    assert "Query.berth" in found.drafts


@pytest.mark.parametrize(
    ("answer", "code", "words"),
    [
        (HTMLResponse("<html><title>Sign in</title>"), Code.PARSE_ERROR, "text/html"),
        (Response(b"", status_code=404), Code.PARSE_ERROR, "404"),
        (PlainTextResponse("who are you", status_code=401), Code.UPSTREAM_UNAUTHENTICATED, "who are you"),
        (PlainTextResponse("no", status_code=403), Code.FORBIDDEN, "403"),
        (PlainTextResponse("slow down", status_code=429), Code.RATE_LIMITED, "slow down"),
        (PlainTextResponse("oops", status_code=503), Code.UNAVAILABLE, "oops"),
        (JSONResponse({"hello": 1}), Code.PARSE_ERROR, "hello"),
        (JSONResponse({"data": {"__schema": {"types": 7}}}), Code.PARSE_ERROR, "__schema"),
    ],
)
async def test_what_is_no_graphql_answer_is_refused_with_what_came(answer: Response, code: Code, words: str) -> None:
    """Section 14."""
    with serving(GraphqlServer(plain=answer)) as server:
        problem = await refused(url=server.url)
    assert problem.code is code
    assert words in problem.message
    assert problem.hints


async def test_a_graphql_body_counts_whatever_its_status() -> None:
    """S-86."""
    body = {"data": introspection_from_schema(build_schema(HARBOUR))}
    with serving(GraphqlServer(plain=JSONResponse(body, status_code=500))) as server:
        assert "Query.berth" in (await read_new(url=server.url)).drafts


async def test_a_schema_file_with_its_endpoint_is_read(tmp_path: Path) -> None:
    """S-80."""
    (tmp_path / "s.graphql").write_text(HARBOUR)
    found = await read_new(url=str(tmp_path / "s.graphql"), endpoint="https://api.example.com/graphql")
    assert found.reading.site["endpoint"] == "https://api.example.com/graphql"
    assert set(found.drafts) == {"Query.berth", "Query.search", "Query.berths", "Query.count"}
    assert found.codes == []


async def test_a_schema_file_without_endpoint_is_read_and_says_what_is_missing(tmp_path: Path) -> None:
    (tmp_path / "s.graphql").write_text(HARBOUR)
    found = await read_new(url=str(tmp_path / "s.graphql"))
    assert "Query.berth" in found.drafts
    assert found.codes == ["no_server"]


@pytest.mark.parametrize("wrap", [lambda told: told, lambda told: {"data": told}])
async def test_introspection_files_of_both_forms_are_read(tmp_path: Path, wrap: object) -> None:
    """S-80."""
    told = introspection_from_schema(build_schema(HARBOUR))
    (tmp_path / "s.json").write_bytes(b"\xef\xbb\xbf" + json.dumps(wrap(told)).encode())  # type: ignore[operator]
    found = await read_new(url=(tmp_path / "s.json").as_uri(), endpoint="https://api.example.com/graphql")
    assert found.drafts["Query.berth"].binding["selection"] == "{ id code lengthM state owner { id name } }"


@pytest.mark.parametrize("path", ["/schema.graphql", "/schema", "/schema.json"])
async def test_a_schema_behind_a_url_is_found_though_nobody_said_it_is_one(path: str) -> None:
    """S-80."""
    told = json.dumps(introspection_from_schema(build_schema(HARBOUR))) if path.endswith("json") else HARBOUR
    server = GraphqlServer(documents={path: PlainTextResponse(told, headers={"etag": '"1"'})})
    with serving(server):
        found = await read_new(url=server.at(path))
    assert "Query.berth" in found.drafts
    assert found.codes == ["no_server"]


async def test_an_endpoint_whose_path_looks_like_a_file_is_still_asked() -> None:
    server = served(documents={"/v1.graphql": HTMLResponse("<html>"), "/graphql.json": HTMLResponse("<html>")})
    with serving(server):
        for path in ("/v1.graphql", "/graphql.json"):
            found = await read_new(url=server.at(path))
            assert found.reading.site["endpoint"] == server.at(path)


async def test_what_has_not_changed_is_not_read_again(tmp_path: Path) -> None:
    """S-106: by validators where there are some, by the hash where not."""
    with serving(served()) as server:
        first = await read_new(url=server.url)
        again = await read(first.reading.document, url=server.url)
    assert isinstance(again, Unchanged)
    file = tmp_path / "s.graphql"
    file.write_text(HARBOUR)
    first = await read_new(url=str(file), endpoint="https://a.example.com/")
    again = await read(first.reading.document, url=str(file), endpoint="https://a.example.com/")
    assert isinstance(again, Unchanged)
    assert again.document == first.reading.document
    file.write_text(HARBOUR + "type More { id: ID }")
    assert isinstance(await read(first.reading.document, url=str(file), endpoint="https://a.example.com/"), Read)


async def test_the_document_says_what_was_read() -> None:
    """S-1."""
    with serving(served()) as server:
        document = (await read_new(url=server.url, name="Harbour")).reading.document
    assert (document.kind, document.url, document.title) == ("graphql", server.url, "Harbour")
    assert document.bytes > 1000
    assert len(document.sha256) == 64


def test_the_adapter_is_imported_without_graphql_core() -> None:
    """Starting up without a GraphQL source does not pay for the library."""
    code = "import sys, periplus.sources.graphql as g; g.ADAPTER(); sys.exit('graphql' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
