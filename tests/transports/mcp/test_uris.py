"""URI templates, compared with the SDK's own (RFC 6570)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp.shared.uri_template import UriTemplate

from periplus.transports.mcp.uris import expanded

TEMPLATES = (
    "note://{year}/{day}", "file:///{+path}", "a://b{#part}", "a://b{.kind}", "a://b{/parts*}", "a://b{;x,y}",
    "a://b{?x,y}", "a://b?z=1{&x}", "a://b{/x}{?y}",
)  # fmt: skip
TEXTS = st.text(st.characters(codec="utf-8"), max_size=12)
VALUES = st.fixed_dictionaries(
    {}, optional=dict.fromkeys(("year", "day", "path", "part", "kind", "x", "y"), TEXTS)
    | {"parts": st.lists(TEXTS, max_size=3)},
)  # fmt: skip


@pytest.mark.parametrize("template", TEMPLATES)
@given(values=VALUES)
def test_any_value_is_written_as_another_reader_of_the_standard_writes_it(
    template: str, values: dict[str, str | list[str]]
) -> None:
    """S-99"""
    assert expanded(template, values) == UriTemplate.parse(template).expand(values)


def test_a_prefix_is_taken_of_the_value_not_of_its_spelling() -> None:
    """S-99: the standard's own example of a length, and one of characters that take three bytes."""
    assert expanded("/{var:3}/{var:30}{?var:2}", {"var": "value"}) == "/val/value?var=va"
    assert expanded("{?list*}", {"list": ["a", "b c"]}) == "?list=a&list=b%20c"
    assert expanded("/{var:1}", {"var": "€uro"}) == "/%E2%82%AC"


def test_numbers_and_truth_are_written_as_text() -> None:
    """S-99: what a model gives is not always text."""
    assert expanded("a://{x}/{y}", {"x": 5, "y": True}) == "a://5/true"
