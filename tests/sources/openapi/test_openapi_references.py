"""References: every spelling, every document, each fetched once."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from periplus.model import Code, Problem
from periplus.ports import Fetched, FetchRequest
from periplus.sources.openapi.references import Book, Library, escaped
from periplus.sources.openapi.references_port import Cycle, Dangling, Refused

OK = {"responses": {"200": {"description": "fine"}}}
HERE = "https://api.example.com/v1/"


def library(tree: Any, others: Any = None, refused: Any = None, url: Any = HERE + "openapi.json"):
    books = {name: Book(url=name, label=name, tree=value, named=True) for name, value in (others or {}).items()}
    return Library(Book(url=url, label="openapi.json", tree=tree, named=True), books, refused or {})


def follow(tree: Any, reference: Any, base: Any = None, **others: Any):
    held = library(tree, **others)
    return held.resolve({"$ref": reference}, base or held.root.own)


@pytest.mark.parametrize(
    ("reference", "value", "name"),
    [
        ("#/a/b~1c", 1, "b/c"),
        ("#/a/d~0e", 2, "d~e"),
        ("#/a/f%20g", 3, "f g"),
        ("#/a/%2Fh%2Fi", 4, "/h/i"),
        ("#/list/1/x", 5, "x"),
        ("#/a/%C3%A4", 6, "ä"),
        ("#/a/100%", 7, "100%"),
        ("openapi.json#/a/b~1c", 1, "b/c"),
        (HERE + "openapi.json#/a/b~1c", 1, "b/c"),
        ("../v1/./openapi.json#/a/b~1c", 1, "b/c"),
        ("#/a/", 8, ""),
    ],
)
def test_pointers_are_read_as_written(reference: Any, value: Any, name: Any):
    """S-34."""
    keys = {"b/c": 1, "d~e": 2, "f g": 3, "/h/i": 4, "ä": 6, "100%": 7, "": 8}
    found = follow({"a": keys, "list": [{}, {"x": 5}]}, reference)
    assert (found.value, found.name) == (value, name)


@pytest.mark.parametrize(
    "reference", ["#/none", "#/list/9", "#/list/x", "#/list/0/1", "#nothing", "gone.yaml", "#/list/-1x", "http://[x"]
)
def test_what_is_not_there_dangles(reference: Any):
    """S-36."""
    with pytest.raises(Dangling) as caught:
        follow({"list": ["text"]}, reference)
    assert caught.value.text == reference


def test_a_chain_ends_where_no_reference_follows_and_a_circle_is_one():
    """S-36."""
    tree = {"a": {"$ref": "#/b"}, "b": {"$ref": "#/c"}, "c": 3, "x": {"$ref": "#/y"}, "y": {"$ref": "#/x"}}
    assert follow(tree, "#/a")[:3] == (3, HERE + "openapi.json", "/c")
    assert library(tree).hop({"$ref": "#/a"}, HERE + "openapi.json").value == {"$ref": "#/b"}
    with pytest.raises(Cycle):
        follow(tree, "#/x")


def test_references_are_relative_to_the_document_they_stand_in():
    """S-34."""
    others = {HERE + "sub/pets.yaml": {"pet": {"$ref": "../common.yaml#/x"}}, HERE + "common.yaml": {"x": "end"}}
    found = follow({}, "sub/pets.yaml#/pet", others=others)
    assert (found.value, found.base, found.pointer) == ("end", HERE + "common.yaml", "/x")


def test_a_refused_document_is_refused_not_missing():
    """S-35."""
    with pytest.raises(Refused):
        follow({}, "file:///etc/passwd#/x", refused={"file:///etc/passwd": True})


def test_ids_and_anchors_name_parts_of_documents():
    """S-34."""
    tree = {
        "$self": "https://names.example.com/api/main",
        "components": {
            "schemas": {
                "A": {"$id": "https://names.example.com/a", "$defs": {"in": {"$anchor": "deep", "const": 1}}},
                "B": {"$id": "sub/b", "$defs": {"c": {"$id": "c", "const": 2}}, "$dynamicAnchor": "node"},
                "C": {"$anchor": "top", "const": 3},
            }
        },
    }
    assert follow(tree, "https://names.example.com/a#deep").value["const"] == 1
    assert follow(tree, "#deep", base="https://names.example.com/a").value["const"] == 1
    assert follow(tree, "sub/c").value["const"] == 2
    assert follow(tree, "#top").value["const"] == 3
    assert follow(tree, "main#/components/schemas/C").value["const"] == 3
    held = library(tree)
    assert held.hop({"$dynamicRef": "#node"}, "https://names.example.com/api/sub/b").value["$id"] == "sub/b"
    inside = held.hop({"$ref": "#/$defs/c"}, "https://names.example.com/api/sub/b")
    assert (inside.value["const"], inside.pointer) == (2, "/components/schemas/B/$defs/c")
    # Strictly `#/components` would be the schema's own; people mean the document.
    assert held.hop({"$ref": "#/components/schemas/C"}, "https://names.example.com/a").value["const"] == 3


def test_a_target_is_the_same_by_whatever_way():
    """S-39 relies on it: shared definitions are shared by base and pointer."""
    tree = {"$self": "https://names.example.com/x", "a": {"b": {"c": 1}}}
    ways = ["#/a/b", "https://names.example.com/x#/a/b", "#/a/%62", HERE + "openapi.json#/a/b"]
    assert len({follow(tree, way)[1:3] for way in ways}) == 1


@given(st.lists(st.text(max_size=5), min_size=1, max_size=4), st.booleans())
def test_every_pointer_leads_to_its_value(keys: Any, quoted: Any):
    """S-34."""

    tree: dict = {"value": True}
    for key in reversed(keys):
        tree = {key: tree}
    pointer = "".join(f"/{escaped(key)}" for key in keys)
    if not quoted and "%" in pointer:
        return  # a bare percent may mean what follows it
    written = "#" + (quote(pointer, errors="surrogatepass") if quoted else pointer)
    assert follow({"root": 1, **tree}, written).value == {"value": True}


@given(st.text(max_size=30), st.text(max_size=10))
def test_no_reference_is_more_than_unresolved(reference: Any, base: Any):
    """S-3."""
    held = library({"a": [1, {"$ref": "#/a"}], "$id": "x"})
    with suppress(Dangling, Refused, Cycle):
        held.resolve({"$ref": reference}, base)


def test_external_files_are_fetched_once_eight_at_a_time(read: Any, api: Any):
    """S-34."""
    files = {HERE + f"p{number}.yaml": {"get": {**OK, "x-next": {"$ref": "never.yaml"}}} for number in range(40)}
    paths = {f"/a{number}": {"$ref": f"p{number % 40}.yaml"} for number in range(80)}
    result = read(api(paths), files)
    assert len(result.drafts) == 80
    assert len(result.web.sent) == 41
    assert 2 < result.web.most_at_once <= 8
    assert len(result.reading.document.parts) == 41


def test_files_referred_to_by_files_come_too_and_circles_end(read: Any, api: Any):
    """S-34."""
    files = {
        HERE + "a.yaml": {"item": {"$ref": "sub/b.json#/item"}, "again": {"$ref": "openapi.json#/paths"}},
        HERE + "sub/b.json": {"item": {"get": {"operationId": "far", **OK}, "x": {}}, "back": {"$ref": "../a.yaml"}},
    }
    result = read(api({"/a": {"$ref": "a.yaml#/item"}}), files)
    assert [draft.key for draft in result.drafts] == ["far"]
    assert sorted(result.web.sent) == sorted([HERE + "openapi.json", *files])


def test_texts_that_only_look_like_references_are_not_followed(read: Any, api: Any):
    """S-8."""
    schema = {
        "type": "object",
        "properties": {"example": {"$ref": "real.json"}, "x": {"default": {"$ref": "no.json"}}},
        "example": {"$ref": "no.json"},
        "enum": [{"$ref": "no.json"}],
        "x-thing": {"$ref": "no.json"},
        "examples": [{"$ref": "no.json"}],
    }
    media = {"schema": schema, "examples": {"a": {"value": {"$ref": "no.json"}}}}
    body = {"content": {"application/json": media}}
    result = read(api({"/a": {"post": {"requestBody": body, **OK}}}), {HERE + "real.json": {"type": "string"}})
    assert [request.url for request in result.web.asked] == [HERE + "openapi.json", HERE + "real.json"]


def test_what_may_not_be_read_is_refused_and_the_rest_loads(read: Any, api: Any):
    """S-35, section 14."""
    wanted = ["file:///etc/passwd#/x", "https://other.example.net/x.json", "missing.json", "broken.json"]
    paths = {
        f"/p{number}": {"get": {"parameters": [{"$ref": reference}], **OK}, "post": OK}
        for number, reference in enumerate(wanted)
    }
    result = read(api(paths), {HERE + "broken.json": "{"})
    assert [draft.method for draft in result.drafts] == ["post"] * 4
    assert [finding.code.value for finding in result.findings if finding.skipped] == [
        "ref_refused", "ref_refused", "dangling_ref", "dangling_ref",
    ]  # fmt: skip
    told = {
        finding.code.value for finding in result.findings if not finding.skipped and "was not read" in finding.message
    }
    assert told == {"ref_refused", "dangling_ref", "parse_error"}
    assert "file:///etc/passwd" not in [request.url for request in result.web.asked]
    assert all(request.root == HERE + "openapi.json" for request in result.web.asked[1:])


def test_too_many_files_are_refused_beyond_the_limit(read: Any, api: Any, monkeypatch: Any):
    """S-6."""
    monkeypatch.setattr("periplus.sources.openapi.gathering.MOST_FILES", 3)
    files = {HERE + f"p{number}.yaml": {"get": OK} for number in range(5)}
    result = read(api({f"/a{number}": {"$ref": f"p{number}.yaml"} for number in range(5)}), files)
    assert len(result.drafts) == 2
    assert result.finding("over_limit")


def test_a_document_that_names_itself_still_finds_its_neighbours(read: Any, api: Any):
    """S-34: `$self` is what references are relative to, not where files are."""
    document = api({"/a": {"$ref": "part.json"}}) | {"openapi": "3.2.0", "$self": "https://names.example.com/api"}
    result = read(document, {HERE + "part.json": {"get": OK}})
    assert [draft.origin for draft in result.drafts] == ["GET /a"]


def test_local_files_refer_to_local_files(tmp_path: Any, connect: Any):
    """S-34."""

    class Disk:
        async def send(self, request: FetchRequest) -> Fetched:
            path = Path(unquote(urlsplit(request.url).path)) if "://" in request.url else Path(request.url)
            if not path.is_file():
                raise Problem(Code.NOT_FOUND, f"no file {path}")
            return Fetched(url=request.url, status=200, body=path.read_bytes())

    folder = tmp_path / "my api"
    folder.mkdir()
    (folder / "openapi.yaml").write_text("openapi: 3.0.0\npaths: {/a: {$ref: 'b c.yaml#/x'}}\n")
    (folder / "b c.yaml").write_text("x: {get: {responses: {200: {description: y}}}}\n")
    reading = connect(Disk(), url=str(folder / "openapi.yaml"))
    assert [draft.origin for draft in reading.drafts] == ["GET /a"]
    assert reading.document.parts[1].url == (folder / "b c.yaml").as_uri()
