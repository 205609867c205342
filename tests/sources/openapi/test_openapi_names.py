"""How operations are called, and by what else they answer."""

from __future__ import annotations

from typing import Any

OK = {"responses": {"200": {"description": "fine"}}}


def test_the_leaf_is_the_given_name_then_the_operation_id_then_the_path(read: Any, api: Any):
    """S-17."""
    paths = {
        "/pets/{id}": {
            "get": OK,
            "put": {"operationId": "pets/Replace", **OK},
            "post": {"operationId": "x", "x-periplus-name": "feed", **OK},
        },
        "/": {"get": OK},
        "/a?kind=b": {"get": OK},
    }
    result = read(api(paths))
    assert [draft.leaf for draft in result.drafts] == ["get_pets_id", "pets/Replace", "feed", "get", "get_a_kind_b"]


def test_aliases_are_the_operation_id_the_place_and_the_reference_id(read: Any, api: Any):
    """S-19, section 17."""
    paths = {"/ships/{id}/visits": {"post": {"tags": ["visits"], "operationId": "addVisit", **OK}, "get": OK}}
    result = read(api(paths))
    assert result.draft("addVisit").aliases == ("addVisit", "POST /ships/{id}/visits", "visits:addVisit")
    assert result.draft("GET /ships/{id}/visits").aliases == (
        "GET /ships/{id}/visits",
        "General:get_ships_id_visits",
    )


def test_operations_of_one_id_are_told_apart_by_where_they_are(read: Any, api: Any):
    """S-20: nothing depends on their order, and none is lost."""
    twin = {"operationId": "same", **OK}
    paths = {"/a": {"get": twin}, "/b": {"get": twin, "put": {"operationId": "GET /a", **OK}}}
    forth, back = read(api(paths)), read(api(dict(reversed(paths.items()))))
    assert {draft.key for draft in forth.drafts} == {"GET /a", "GET /b", "PUT /b"}
    assert {draft.key for draft in back.drafts} == {draft.key for draft in forth.drafts}
    assert "GET /a, GET /b" in forth.finding("duplicate_operation_id").message


def test_an_id_that_yaml_made_a_number_is_still_an_id(read: Any):
    """S-10, S-17."""
    result = read("openapi: 3.0.0\npaths:\n  /a:\n    get: {operationId: 12, responses: {200: {description: x}}}\n")
    assert [draft.key for draft in result.drafts] == ["12"]


def test_texts_of_the_path_item_stand_in_where_an_operation_has_none(read: Any, api: Any):
    """S-23."""
    paths = {"/a": {"summary": "All", "description": "Of it.", "get": OK, "put": {"summary": "Put", **OK}}}
    first, second = read(api(paths)).drafts
    assert (first.summary, first.description) == ("All", "Of it.")
    assert (second.summary, second.description) == ("Put", "")


def test_a_path_says_what_its_last_word_does(read: Any, api: Any):
    """S-30."""
    paths = {"/a/{id}/remove": {"post": OK}, "/a/{id}": {"post": OK}, "/a/{id}:purge": {"post": OK}}
    assert [draft.effect_words for draft in read(api(paths)).drafts] == [("remove",), (), (":purge",)]
