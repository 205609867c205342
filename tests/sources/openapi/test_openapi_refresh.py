"""Reading again: what did not change is not read."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from periplus.model import Code, DocumentPart, Problem, Unchanged, Validators
from periplus.ports import Fetched

OK = {"responses": {"200": {"description": "fine"}}}
ROOT = "https://api.example.com/v1/openapi.json"
PART = "https://api.example.com/v1/part.json"


@pytest.fixture
def split(web: Any, api: Any):
    return web({ROOT: api({"/a": {"$ref": "part.json"}}), PART: {"get": OK}})


def test_unchanged_files_are_asked_for_conditionally_and_not_sent(split: Any, connect: Any):
    """S-106."""
    first = connect(split)
    split.sent.clear()
    again = connect(split, first.document)
    assert isinstance(again, Unchanged)
    assert again.document == first.document
    assert split.sent == []
    assert all(request.validators for request in split.asked[2:])


def test_equal_bytes_without_validators_are_unchanged(split: Any, connect: Any):
    """S-106."""
    first = connect(split)
    parts = tuple(msgspec.structs.replace(part, validators=Validators()) for part in first.document.parts)
    again = connect(split, msgspec.structs.replace(first.document, parts=parts))
    assert isinstance(again, Unchanged)
    assert again.document.parts == first.document.parts


def test_a_changed_part_is_read_with_its_root(split: Any, connect: Any):
    """S-106."""
    first = connect(split)
    split.files[PART] = {"get": OK, "post": OK}
    again = connect(split, first.document)
    assert len(list(again.drafts)) == 2
    assert again.document.sha256 != first.document.sha256


def test_a_changed_root_is_sent_once(split: Any, connect: Any, api: Any):
    """S-106."""
    first = connect(split)
    split.sent.clear()
    split.files[ROOT] = api({"/a": {"get": OK}, "/b": {"get": OK}})
    again = connect(split, first.document)
    assert len(list(again.drafts)) == 2
    assert split.sent == [ROOT]


def test_a_file_that_was_missing_is_asked_for_again(web: Any, connect: Any, api: Any):
    """S-106."""
    shelf = web({ROOT: api({"/a": {"$ref": "part.json"}})})
    first = connect(shelf)
    assert list(first.drafts) == []
    assert isinstance(connect(shelf, first.document), Unchanged)
    shelf.files[PART] = {"get": OK}
    assert len(list(connect(shelf, first.document).drafts)) == 1


def test_a_known_file_that_is_away_for_now_fails_the_refresh(split: Any, connect: Any, api: Any):
    """S-108: a gap would look like removed tools."""
    first = connect(split)
    split.files[PART] = Problem(Code.UNAVAILABLE, "down")
    split.files[ROOT] = api({"/a": {"$ref": "part.json"}, "/b": {"get": OK}})
    with pytest.raises(Problem, match="down"):
        connect(split, first.document)


def test_an_old_record_without_hashes_is_read_whole(split: Any, connect: Any):
    first = connect(split)
    bare = msgspec.structs.replace(first.document, sha256="", parts=(DocumentPart(url=ROOT, sha256="", bytes=0),))
    assert len(list(connect(split, bare).drafts)) == 1


@pytest.mark.parametrize(
    ("status", "code"),
    [(404, Code.PARSE_ERROR), (401, Code.UPSTREAM_UNAUTHENTICATED), (503, Code.UNAVAILABLE), (301, Code.PARSE_ERROR)],
)
def test_an_answer_that_is_no_document_says_what_came(web: Any, connect: Any, status: Any, code: Any):
    """Section 14."""
    page = Fetched(url=ROOT, status=status, body=b"<h1>Sorry, not here</h1>", media_type="text/html")
    with pytest.raises(Problem) as caught:
        connect(web({ROOT: page}))
    assert caught.value.code is code
    assert str(status) in caught.value.message
    assert "Sorry" in caught.value.message
