"""A JSON pointer is found in the text it came from, for reports."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from periplus.documents import Place
from periplus.documents.places import position

_JSON = b"""{
  "info": {"title": "x", "version": [1, 2]},
  "paths": {
    "/a/{id}": {"get": {"tags": ["\xc3\xbc", {"deep": true}]}},
    "til~de": null
  }
}"""
_YAML = b"""# a comment
info: {title: x, version: [1, 2]}
paths:
  /a/{id}:
    get:
      tags:
      - \xc3\xbc
      - deep: true
  til~de:
shared: &s {k: 1}
other: *s
"""


@pytest.mark.parametrize(
    ("pointer", "in_json", "in_yaml"),
    [
        ("", (1, 1), (2, 1)),
        ("#/info", (2, 3), (2, 1)),
        ("/info/version/1", (2, 41), (2, 31)),
        ("/paths/~1a~1{id}/get", (4, 17), (5, 5)),
        ("/paths/~1a~1{id}/get/tags/1", (4, 39), (8, 9)),
        ("/paths/~1a~1{id}/get/tags/1/deep", (4, 40), (8, 9)),
        ("/paths/til~0de", (5, 5), (9, 3)),
        ("/paths/missing/further", (3, 3), (3, 1)),
        ("/info/version/7", (2, 26), (2, 18)),
        ("/info/version/x", (2, 26), (2, 18)),
    ],
)
def test_a_pointer_leads_to_its_line_and_column(pointer: str, in_json: tuple[int, int], in_yaml: tuple[int, int]):
    assert position(_JSON, pointer) == Place(*in_json)
    assert position(_YAML, pointer) == Place(*in_yaml)


def test_broken_and_empty_texts_give_the_nearest_place_or_none():
    assert position(b"a: 1\nb: [\n", "/a") == Place(1, 1)
    assert position(b"a: 1\nb: [\n", "/b/3") == Place(2, 1)
    assert position(b'{"a": {"b": 1, "b": 2, "c": 3}}', "/a/c") is not None
    assert position(b"", "/a") is None
    assert str(Place(3, 7)) == "3:7"


_KEYS = st.text(alphabet='ab"\\/~ü\n', min_size=1, max_size=4)
_VALUES = st.recursive(
    st.none() | st.integers() | _KEYS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_KEYS, inner, max_size=3),
    max_leaves=10,
)


@given(st.dictionaries(_KEYS, _VALUES, min_size=1, max_size=3), st.sampled_from((None, 1, 4)), st.data())
def test_what_stands_at_the_place_is_what_the_pointer_names(value: Any, indent: int | None, data: st.DataObject):
    pointer, step = "", ""
    here = value
    while isinstance(here, dict | list) and here and (pointer == "" or data.draw(st.booleans())):
        step = data.draw(st.sampled_from(list(here) if isinstance(here, dict) else range(len(here))))
        inside = here
        here = inside[step]
        pointer += "/" + str(step).replace("~", "~0").replace("/", "~1")
    text = json.dumps(value, indent=indent)
    place = position(text.encode(), pointer)
    assert place is not None
    rest = text.split("\n")[place.line - 1][place.column - 1 :]
    shown = step if isinstance(inside, dict) else here
    assert rest.startswith(json.dumps(shown, indent=indent).split("\n")[0])
