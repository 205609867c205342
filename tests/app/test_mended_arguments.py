"""Arguments as models write them: what is left out, read otherwise, or never sent (H-55 to H-57)."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from periplus.core.gateway import Gateway
from periplus.core.mending.lenient import Leniency, mended
from periplus.core.schema.validation import Validators
from periplus.model import Code, Effect, Problem
from periplus.testing.catalogs import make_tool
from quay import Quay

pytestmark = pytest.mark.anyio
WORDS = ("UNKNOWN", "PLACEHOLDER", "UNKNOWN_TOKEN")
LENIENT = Leniency(unknown="drop", repair=True, placeholders=WORDS)
SHIP = {"length_m": 80}


async def call(gateway: Gateway, tool: str, leniency: Leniency = LENIENT, **arguments: Any) -> tuple[str, ...]:
    return (await gateway.call(tool, arguments, leniency=leniency)).notes


async def refusal(gateway: Gateway, tool: str, leniency: Leniency = LENIENT, **arguments: Any) -> Problem:
    with pytest.raises(Problem) as caught:
        await gateway.call(tool, arguments, leniency=leniency)
    return caught.value


async def test_what_a_tool_does_not_define_is_left_out_and_named(harbour: Gateway, office: Quay) -> None:
    """H-55."""
    assert await call(harbour, "listBerths", limit=2, bogus=1, other=None) == ("ignored: bogus, other",)
    assert office.asked == ["GET /berths?limit=2"]


async def test_a_slip_of_the_pen_costs_nothing_where_something_would_be_written(harbour: Gateway, office: Quay) -> None:
    """H-55: a mistyped `dry_run` cannot run; one that resembles nothing is left out."""
    problem = await refusal(harbour, "reserveBerth", code="B4", ship=SHIP, dryrun_=True)
    assert problem.code is Code.INVALID_ARGS
    assert "did you mean 'dry_run'?" in problem.message
    assert office.asked == []
    assert await call(harbour, "reserveBerth", code="B4", ship=SHIP, bogus=1) == ("ignored: bogus",)
    assert await call(harbour, "listBerths", limt=2) == ("ignored: limt",)


async def test_an_operator_may_have_everything_unknown_refused(harbour: Gateway, office: Quay) -> None:
    problem = await refusal(harbour, "listBerths", Leniency(unknown="refuse"), bogus=1)
    assert (problem.code, office.asked) == (Code.INVALID_ARGS, [])
    assert problem.details["violations"][0]["pointer"] == "/bogus"


async def test_a_body_given_whole_is_taken_apart_first(harbour: Gateway, office: Quay) -> None:
    """H-55, S-45."""
    assert await call(harbour, "reserveBerth", code="B4", body={"ship": SHIP, "nights": "2"}) == (
        'repaired: /nights: "2" taken as 2',
    )
    assert office.bodies == [{"ship": SHIP, "nights": 2}]


@pytest.mark.parametrize(
    "text", ["UNKNOWN", " unknown ", "placeholder", "<string: Berth code>", "<...>", "Unknown_Token"]
)
async def test_what_nobody_filled_in_is_never_sent(harbour: Gateway, office: Quay, text: str) -> None:
    """H-56: with the place and the value."""
    problem = await refusal(harbour, "quoteBerth", code=text)
    assert problem.code is Code.PLACEHOLDER
    assert problem.message == f"/code: {text!r} is a placeholder, not a value"
    nested = await refusal(harbour, "reserveBerth", code="B4", ship={"name": text})
    assert nested.message.startswith("/ship/name: ")
    assert office.asked == []


@pytest.mark.parametrize("text", ["$$100 budget", "unknown caller", "a <b> c", "<p>hello</p>", "placeholders"])
async def test_honest_texts_pass(harbour: Gateway, office: Quay, text: str) -> None:
    """H-56."""
    assert await call(harbour, "quoteBerth", code="B4", note=text) == ()
    assert len(office.asked) == 1


async def test_a_word_that_the_enum_allows_is_no_placeholder(harbour: Gateway, office: Quay) -> None:
    """H-56."""
    assert await call(harbour, "reserveBerth", code="B4", ship=SHIP, side="UNKNOWN") == ()
    assert office.bodies[0]["side"] == "UNKNOWN"


async def test_what_can_be_read_in_one_way_is_read_so_and_said(harbour: Gateway, office: Quay) -> None:
    """H-57."""
    notes = await call(
        harbour,
        "reserveBerth",
        code="B4",
        ship='{"length_m": "80.5"}',
        nights="3",
        side="Port",
        tags="a",
        dry_run="TRUE",
    )
    assert office.bodies == [{"ship": {"length_m": 80.5}, "nights": 3, "side": "port", "tags": ["a"], "dry_run": True}]
    assert len(notes) == 6
    assert 'repaired: /side: "Port" taken as "port"' in notes
    assert 'repaired: /ship/length_m: "80.5" taken as 80.5' in notes


@pytest.mark.parametrize(
    "arguments",
    [
        {"nights": "three"},
        {"nights": "05"},
        {"nights": "2.5"},
        {"dry_run": "yes"},
        {"dry_run": 1},
        {"ship": "a ship"},
        {"ship": "[1]"},
        {"side": "left"},
        {"tags": [1]},
    ],
)
async def test_anything_else_is_refused_and_never_guessed(
    harbour: Gateway, office: Quay, arguments: dict[str, Any]
) -> None:
    """H-57."""
    problem = await refusal(harbour, "reserveBerth", **{"code": "B4", "ship": SHIP} | arguments)
    assert (problem.code, office.asked) == (Code.INVALID_ARGS, [])


async def test_repair_can_be_switched_off(harbour: Gateway, office: Quay) -> None:
    """H-57."""
    problem = await refusal(harbour, "listBerths", Leniency(unknown="drop"), limit="2")
    assert (problem.code, office.asked) == (Code.INVALID_ARGS, [])


async def test_who_asks_for_no_leniency_gets_none(harbour: Gateway, office: Quay) -> None:
    problem = await refusal(harbour, "reserveBerth", Leniency(), code="B4", ship=SHIP, nights="2")
    assert (problem.code, office.asked) == (Code.INVALID_ARGS, [])


# --- always ------------------------------------------------------------------------------------------------------

SCHEMA: dict[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "i": {"type": "integer"},
        "n": {"type": ["number", "null"]},
        "b": {"type": "boolean"},
        "s": {"type": "string"},
        "e": {"enum": ["In-Port", "at sea"]},
        "l": {"type": "array", "items": {"type": "integer"}},
        "o": {"$ref": "#/$defs/o"},
        "u": {"anyOf": [{"type": "integer"}, {"type": "string"}]},
    },
    "$defs": {"o": {"type": "object", "properties": {"i": {"type": "integer"}, "o": {"$ref": "#/$defs/o"}}}},
}
TOOL = make_tool("t", effect=Effect.WRITE, args_schema=SCHEMA)
anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("iobx"), inner, max_size=3),
    max_leaves=8,
)
valid = st.fixed_dictionaries(
    {},
    optional={
        "i": st.integers(),
        "n": st.none() | st.floats(allow_nan=False, allow_infinity=False),
        "b": st.booleans(),
        "s": st.text(max_size=9),
        "e": st.sampled_from(["In-Port", "at sea"]),
        "l": st.lists(st.integers(), max_size=3),
        "u": st.integers() | st.text(max_size=5),
        "o": st.just({"i": 1, "o": {"i": 2}}),
    },
)


@given(valid)
def test_what_is_right_already_is_left_as_it_is(arguments: dict[str, Any]) -> None:
    assert mended(TOOL, arguments, Leniency(unknown="drop", repair=True)) == (arguments, ())


@given(st.dictionaries(st.sampled_from("inbseluo"), anything, max_size=4))
def test_repair_never_faults_and_a_second_one_finds_nothing_to_do(arguments: dict[str, Any]) -> None:
    once, _ = mended(TOOL, arguments, Leniency(repair=True))
    again, notes = mended(TOOL, once, Leniency(repair=True))
    assert (again, notes) == (once, ())
    if once != arguments:
        with pytest.raises(Problem):
            Validators().check_arguments(TOOL, arguments)
