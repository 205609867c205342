from __future__ import annotations

import pytest

from periplus.core.intake.versions import classify, next_version
from periplus.model import Schema, Tool


def _tool(args: Schema, result: Schema | None = None, mark: str = "") -> Tool:
    return Tool(
        source="s",
        path="x",
        key="k",
        origin="o",
        args_schema=args,
        result_schema=result,
        schema_hash=mark or str(args) + str(result),
    )


_BASE: Schema = {"type": "object", "properties": {"a": {"type": "string", "maxLength": 5}}, "required": ["a"]}


def _with(**changes) -> Schema:
    return _BASE | changes


@pytest.mark.parametrize(
    ("args", "kind"),
    [
        (_BASE | {"description": "new words"}, "text"),
        (_with(properties=_BASE["properties"] | {"b": {"type": "integer"}}), "additive"),
        (_with(required=[]), "additive"),
        (_with(properties={"a": {"type": "string"}}), "additive"),
        (_with(properties=_BASE["properties"] | {"b": {}}, required=["a", "b"]), "breaking"),
        (_with(properties={}, required=[]), "breaking"),
        (_with(properties={"a": {"type": "integer"}}), "breaking"),
        (_with(properties={"a": {"type": "string", "maxLength": 4}}), "breaking"),
        (_with(properties={"a": {"type": "string", "maxLength": 5, "pattern": "x"}}), "breaking"),
        (_with(additionalProperties=False), "breaking"),
    ],
)
def test_a_change_of_arguments_is_judged_by_who_it_can_break(args, kind):
    """M-27"""
    assert classify(_tool(_BASE), _tool(args)) == kind


@pytest.mark.parametrize(
    ("result", "kind"),
    [
        (_with(properties=_BASE["properties"] | {"b": {}}), "additive"),
        (_with(properties={}), "breaking"),
        (None, "breaking"),
        (_with(required=[]), "breaking"),
    ],
)
def test_a_result_may_gain_members_and_lose_none(result, kind):
    """M-27"""
    assert classify(_tool(_BASE, _BASE), _tool(_BASE, result)) == kind


def test_a_wider_enum_is_an_addition_and_a_narrower_a_break():
    """M-27"""
    two, three = _with(properties={"a": {"enum": [1, 2]}}), _with(properties={"a": {"enum": [1, 2, 3]}})
    assert classify(_tool(two), _tool(three)) == "additive"
    assert classify(_tool(three), _tool(two)) == "breaking"


def test_a_property_called_description_is_no_wording():
    """M-27"""
    old = _with(properties={"description": {"type": "string"}}, required=[])
    new = _with(properties={"description": {"type": "integer"}}, required=[])
    assert classify(_tool(old), _tool(new)) == "breaking"


def test_equal_schemas_with_other_words_are_a_text_change():
    """M-27"""
    assert classify(_tool(_BASE, mark="same"), _tool(_BASE, mark="same")) == "text"


def test_versions_count_up_by_the_kind_of_change():
    """M-27"""
    assert next_version("1.4.2", "text") == "1.4.3"
    assert next_version("1.4.2", "additive") == "1.5.0"
    assert next_version("1.4.2", "breaking") == "2.0.0"
    assert next_version("weekly", "breaking") == "2.0.0"
