from __future__ import annotations

from typing import Any

import pytest

from periplus.core.facing import Operands, conversation
from periplus.model import Principal, Problem
from periplus.ports import Operation, Reply, Request

_WHO = Principal(id="ada")


async def _nothing(request: Request, arguments: dict[str, Any]) -> Reply:
    return Reply(body=None, text="")


_SCHEMA = {
    "type": "object",
    "additionalProperties": False,
    "required": ["path"],
    "properties": {
        "path": {"type": "string", "minLength": 1, "description": "Where to look."},
        "limit": {"type": "integer", "minimum": 1, "maximum": 50},
    },
}
_OPERANDS = Operands([Operation(name="list", title="", description="", input=_SCHEMA, handler=_nothing)])


@pytest.mark.parametrize(
    ("explicit", "request_", "name"),
    [
        ("s1", Request(principal=_WHO, connection="c"), "named:s1"),
        ("", Request(principal=_WHO, connection="c"), "wire:c"),
        ("", Request(principal=_WHO), "own"),
        ("", Request(principal=_WHO, anonymous=True), ""),
        ("s1", Request(principal=_WHO, anonymous=True), "named:s1"),
    ],
)
def test_what_the_caller_names_counts_first_then_the_wire_then_who_it_is(
    explicit: str, request_: Request, name: str
) -> None:
    """H-6, H-7, E-34."""
    assert conversation(explicit, request_) == name


def test_a_name_cannot_be_made_to_look_like_a_connection() -> None:
    assert conversation("wire:c", Request(principal=_WHO)) != conversation("", Request(principal=_WHO, connection="c"))


def test_a_null_is_as_if_it_were_not_given() -> None:
    assert _OPERANDS.checked("list", {"path": "a", "limit": None}) == {"path": "a"}


@pytest.mark.parametrize(
    ("arguments", "message", "hint"),
    [
        ({"path": "a", "limt": 3}, "no argument 'limt'", "did you mean 'limit'?"),
        ({"path": "a", "zzz": 3}, "no argument 'zzz'", "it takes path, limit"),
        ({"path": "a", "limit": 0}, "limit: ", ""),
        ({"path": "a", "limit": "ten"}, "limit: ", ""),
        ({}, "path: is required", "path: Where to look."),
        ({"path": None}, "path: is required", ""),
    ],
)
def test_wrong_arguments_are_named_with_what_to_do(arguments: dict[str, Any], message: str, hint: str) -> None:
    with pytest.raises(Problem) as caught:
        _OPERANDS.checked("list", arguments)
    assert message in caught.value.message
    assert hint in caught.value.hints[0]
