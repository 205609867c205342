"""What a caller may select: paths, GraphQL text, and what is refused before anything is sent."""

from __future__ import annotations

import pytest
from graphql_desk import Caller

from periplus.model import Code


@pytest.mark.parametrize(
    ("tool", "select", "sent"),
    [
        ("berth", "id,owner.email", "{ id owner { email } }"),
        ("berth", "id owner { email }", "{ id owner { email } }"),
        ("berth", ["id", "owner.email", "owner.name"], "{ id owner { email name } }"),
        ("berth", "owner", "{ owner { id name email } }"),
        ("berth", "owner, owner.berths", None),
        ("berth", "old", "{ old }"),
        ("berth", "Berth.code", "{ code }"),
        ("berths", "nodes.code pageInfo", "{ nodes { code } pageInfo { hasNextPage endCursor } }"),
        ("search", "Ship.name", "{ __typename ... on Ship { name } }"),
        ("search", "Ship { name crew } Berth.code", "{ __typename ... on Ship { name crew { id name email } } ... on Berth { code } }"),
        ("search", "id", "{ __typename ... on Ship { id } ... on Berth { id } }"),
        ("node", "id, Ship.name", "{ __typename id ... on Ship { name } }"),
        ("berth", "{ here: code owner { berths(first: 2) { id } } }", "{ here: code owner { berths(first: 2) { id } } }"),
        ("node", "{ __typename ... on Ship @include(if: true) { name } }", "{ __typename ... on Ship @include(if: true) { name } }"),
        ("berth", "{ ...B } fragment B on Berth { code }", "{ ...B } } fragment B on Berth { code }"),
    ],
)  # fmt: skip
async def test_a_selection_is_sent_as_it_is_written(
    call: Caller, tool: str, select: str | list[str], sent: str | None
) -> None:
    """S-84, S-116"""
    arguments = {"search": {"text": "x"}, "berths": {}}.get(tool, {"id": "s1" if tool == "node" else "b1"})
    if sent is None:
        assert (await call.refusal(tool, {**arguments, "_select": select}))[0] is Code.INVALID_ARGS
        return
    result = await call(tool, {**arguments, "_select": select})
    assert sent in call.service.asked
    assert result.value is not None
    assert result.notes == ()


async def test_a_selection_may_come_as_the_part_of_the_result_that_is_wanted(call: Caller) -> None:
    """S-84: `select` of a call is the server's work where it can do it."""
    result = await call("berth", {"id": "b1"}, select="code")
    assert result.value == {"code": "B4"}
    assert call.service.asked.endswith("{ code } }")


async def test_a_selection_of_a_single_value_is_left_out_with_a_note(call: Caller) -> None:
    """S-84"""
    result = await call("count", {"_select": "id"})
    assert result.value == 3
    assert result.notes == ("_select is left out: quay/general/count gives a single value",)


@pytest.mark.parametrize(
    ("tool", "select", "says"),
    [
        ("berth", "coed", "Berth has no field 'coed'"),
        ("berth", "{ coed }", "Did you mean 'code'"),
        ("berth", "code.x", "Berth.code is String!, which has no field 'x'"),
        ("berth", "owner.berths", "Owner.berths needs first"),
        ("berths", "code", "its items have"),
        ("search", "Owner.name", "Hit has no field 'Owner'"),
        ("berth", "id owner { email", "a '{' is not closed"),
        ("berth", "id }", "a '}' has no '{'"),
        ("berth", "owner, { id }", "a '{' follows no field"),
        ("berth", "id; drop", "cannot be read"),
        ("berth", "flag(size: 2)", "'(size: 2)' cannot be read"),
        ("berth", "", "it names no field"),
        ("berth", " , ", "it names no field"),
        ("berth", ".".join(["owner"] * 20), "the most"),
        ("berth", "owner { " * 20 + "id" + " }" * 20, "deeper than 15"),
        ("berth", "x" * 30_000, "20,000 is the most"),
        ("berth", "{ owner " * 100 + "{ id }" + " }" * 100, "nests deeper than 60"),
        ("node", "{ " + "... on Ship { way { node(id: 1) { " * 9 + "id" + " } } }" * 9 + " }", "is a tool of its own"),
        ("berth", "{ id", "not a selection"),
        ("berth", "{ }", "not a selection"),
        ("berth", "{ id } query x { count }", "only fragments"),
        ("berth", "{ id } mutation x { count }", "only fragments"),
        ("berth", "{ ...A } fragment A on Berth { ...A }", "contains itself"),
        ("berth", "{ ...A }", "Unknown fragment 'A'"),
        ("berth", "{ id @nope }", "Unknown directive"),
        ("berth", "{ owner { berths(first: $n) { id } } }", "Variable '$n' is not defined"),
        ("berth", "{ owner { berths(first: true) { id } } }", "Int cannot represent"),
        ("berth", "{ id owner }", "must have a selection of subfields"),
        ("berth", "{ " + " ".join(f"a{n}: id" for n in range(501)) + " }", "more than 500 leaves"),
    ],
)
async def test_a_selection_that_the_server_would_refuse_never_leaves(
    call: Caller, tool: str, select: str, says: str
) -> None:
    """S-84, S-59, S-116"""
    arguments = {"search": {"text": "x"}, "berths": {}}.get(tool, {"id": "b1"})
    code, message, sent = await call.refusal(tool, {**arguments, "_select": select})
    assert (code, sent) == (Code.INVALID_ARGS, 0)
    assert message.startswith("/_select: ")
    assert says in message


async def test_near_names_are_hints(call: Caller) -> None:
    assert (await call.refused("berth", {"id": "b1", "_select": "coed"})).hints == ("did you mean 'code'?",)
    assert (await call.refused("berths", {"_select": "code"})).hints == ("write 'nodes.code'",)


async def test_a_fan_of_fragments_is_counted_before_it_is_unfolded(call: Caller) -> None:
    """T-35: twenty fragments that each spread the next twice are a million leaves."""
    fan = " ".join(f"fragment F{n} on Berth {{ ...F{n + 1} ...F{n + 1} }}" for n in range(20))
    text = f"{{ ...F0 }} {fan} fragment F20 on Berth {{ id }}"
    assert "more than 500 leaves" in (await call.refusal("berth", {"id": "b1", "_select": text}))[1]


@pytest.mark.parametrize(
    ("tool", "arguments", "select", "own"),
    [
        ("Mutation:crew", {}, "{ dismiss(id: 1) }", "crew.dismiss"),
        ("Mutation:crew", {}, "{ x: dismiss(id: 1) }", "crew.dismiss"),
        ("Mutation:crew", {}, "{ ... on CrewMutations { ...F } } fragment F on CrewMutations { dismiss(id: 1) }", "crew.dismiss"),
        ("Query:office", {}, "hours", "office.hours"),
        ("node", {"id": "s1"}, "Ship.way.count", "count"),
        ("node", {"id": "s1"}, "{ ... on Ship { way { office { hours } } } }", "office"),
    ],
)  # fmt: skip
async def test_no_tool_is_called_on_the_side_of_another(
    call: Caller, tool: str, arguments: dict[str, str], select: str, own: str
) -> None:
    """S-61: what policy says of a tool holds for every way to it."""
    code, message, sent = await call.refusal(tool, {**arguments, "_select": select})
    assert (code, message, sent) == (Code.INVALID_ARGS, f"/_select: {own} is a tool of its own", 0)


async def test_a_namespace_alone_does_nothing(call: Caller) -> None:
    assert (await call("Mutation:crew")).value == {"__typename": "CrewMutations"}
