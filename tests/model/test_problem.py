from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from periplus.model import Code, Problem


@pytest.mark.parametrize("code", list(Code))
def test_every_code_has_its_place_on_every_wire(code: Code):
    status = code.status
    assert 400 <= status.http < 600
    assert status.rpc == -32602 or -32800 <= status.rpc <= -32001 or status.rpc == -32603
    assert 0 < status.exit < 256


def test_approval_needed_is_409_everywhere():
    assert Code.APPROVAL_REQUIRED.status.http == 409


def test_codes_are_lower_snake():
    for code in Code:
        assert code.value == code.name.lower()


def test_a_problem_says_what_was_wrong_and_what_to_do():
    problem = Problem(Code.BAD_INPUT, "limit 0 is outside 1 to 50", hints=("use 10",), where="limit")
    body = msgspec.json.decode(msgspec.json.encode(problem.to_json()))
    assert body == {
        "code": "bad_input",
        "message": "limit 0 is outside 1 to 50",
        "hints": ["use 10"],
        "where": "limit",
        "next_action": None,
        "retryable": False,
    }


_values = st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(max_size=20)
_objects = st.dictionaries(st.text(max_size=5), _values, max_size=3)


@given(
    code=st.sampled_from(Code),
    message=st.text(),
    hints=st.lists(st.text(), max_size=3).map(tuple),
    where=st.none() | st.text(),
    retryable=st.booleans(),
    next_action=st.none() | _objects,
    details=_objects,
)
def test_whatever_a_problem_says_arrives_as_it_was_said(code, **said):
    body = msgspec.json.decode(msgspec.json.encode(Problem(code, **said).to_json()))
    silent = {name for name, value in (("where", said["where"]), ("details", said["details"] or None)) if value is None}
    told = {name: value for name, value in said.items() if name not in silent}
    assert body == {"code": code.value, **told, "hints": list(said["hints"])}
