"""`call`, `result`, `approvals` and `policy check` against the harbour itself."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from outcome import Run

from periplus.demo.services import running
from periplus.model import Code
from sites import api, text


@pytest.fixture
def harbour(periplus: Run) -> Iterator[Run]:
    """The command line over the harbour office, which is open and has fresh books."""
    with running() as services:
        assert periplus("add", f"{services.office}/openapi.yaml", "--name", "harbour").code == 0
        yield periplus


RESERVE = ("call", "reserveBerth", "code=B4", "date=2031-05-02", "ship.name=Argo", "ship.length_m=36")


def test_typed_words_become_what_the_schema_wants(harbour: Run) -> None:
    berths = harbour("call", "listBerths", "free=true", "min_length_m=40", "depth.min=5.5")
    assert [berth["code"] for berth in berths.json] == ["B5"]
    assert berths.err == ""
    made = harbour(*RESERVE, "nights=2", "--json").json
    assert made["value"]["ship"] == {"name": "Argo", "length_m": 36}
    assert (made["tool"], made["meta"]["http_status"]) == ("harbour/berths/reserveBerth", 201)


def test_arguments_come_from_one_text_a_file_or_stdin(
    harbour: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = {"code": "B4", "length_m": 36, "nights": 2}
    first = harbour("call", "quoteBerth", "--json", json.dumps(given)).json["value"]
    (tmp_path / "quote.json").write_text(json.dumps(given))
    assert harbour("call", "quoteBerth", "@quote.json").json == first
    monkeypatch.setattr(sys, "stdin", io.StringIO(json.dumps(given)))
    assert harbour("call", "quoteBerth", "@-").json == first
    (tmp_path / "code.txt").write_text("B4")
    assert harbour("call", "quoteBerth", "code=@code.txt", "length_m=36", "nights=2").json == first


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (("code=B4", "length_m=long"), Code.INVALID_ARGS, '/length_m: "long" is not of type "number"'),
        (("code=B4", "length=3"), Code.INVALID_ARGS, "did you mean 'length_m'?"),
        (("B4",), Code.BAD_INPUT, "not an argument: 'B4'"),
        (("{not json",), Code.BAD_INPUT, "no JSON object"),
        (("code=@nowhere",), Code.NOT_FOUND, "nowhere cannot be read"),
        (("code=a", "code=b"), Code.BAD_INPUT, "'code' is given twice"),
    ],
)
def test_words_that_mean_nothing_are_explained(harbour: Run, words: tuple[str, ...], code: Code, told: str) -> None:
    refused = harbour("call", "quoteBerth", *words)
    assert refused.code == code.status.exit
    assert told in refused.err


def test_a_call_that_needs_a_person_waits_and_runs_once(harbour: Run) -> None:
    number = harbour(*RESERVE).json["id"]
    refused = harbour("call", "cancelReservation", f"id={number}", "--json")
    assert refused.code == Code.APPROVAL_REQUIRED.status.exit
    id_ = refused.error["details"]["approval"]
    listed = harbour("approvals")
    assert f"{id_}  pending   harbour/berths/cancelReservation  destroy" in listed.out
    assert f"id = {number}" in listed.out
    granted = harbour("approvals", "grant", id_, "--why", "it is mine", "--json").json
    assert (granted["state"], granted["settled_by"], granted["settled_why"]) == ("granted", "local", "it is mine")
    assert "grant" not in granted
    assert harbour("approvals").out == "nothing waits for an answer\n"
    assert harbour("call", "cancelReservation", f"id={number}", "--approval", id_).json is None
    assert "used already" in harbour("call", "cancelReservation", f"id={number}", "--approval", id_).err
    assert "granted by local: it is mine" in harbour("approvals", "list", "--all").out


def test_an_operator_can_approve_in_the_same_breath(harbour: Run) -> None:
    number = harbour(*RESERVE).json["id"]
    assert harbour("call", "cancelReservation", f"id={number}", "--approve", "it is mine").json is None


def test_a_refused_call_says_why(harbour: Run) -> None:
    id_ = harbour("call", "cancelReservation", "id=1", "--json").error["details"]["approval"]
    assert "refused by local: not ours" in harbour("approvals", "refuse", id_, "--why", "not ours").out
    assert "was refused: not ours" in harbour("call", "cancelReservation", "id=1", "--approval", id_).err


def test_part_of_a_result_is_shown_and_the_rest_read_on(harbour: Run) -> None:
    shown = harbour("call", "listBerths", "--select", "code", "--filter", "length_m>=40", "--limit", "1")
    assert shown.json == [{"code": "B4"}]
    handle = shown.err.split()[-1]
    assert harbour("result", handle, "--select", "code", "--offset", "2").json == [{"code": "A1"}, {"code": "C2"}]
    assert harbour("result", "rc_none").code == Code.NOT_FOUND.status.exit


def test_the_policy_explains_itself(harbour: Run, tmp_path: Path) -> None:
    (tmp_path / "periplus.toml").write_text(
        '[[policy.rules]]\nname = "long ships"\nverdict = "deny"\nprincipal = "agent-*"\ntools = "harbour/*"\n'
        'when = "ship.length_m > `100`"\nreason = "the basin is small"\n'
        '[[policy.rules]]\nverdict = "ask"\nprincipal = "scope:crew"\naction = "call"\neffect = "write"\n'
    )
    arguments = {"code": "B4", "date": "2031-05-02", "ship": {"name": "X", "length_m": 120}}
    check = ("policy", "check", "reserveBerth", "--as", "agent-7", "--args")
    told = harbour(*check, json.dumps(arguments))
    assert told.out.splitlines() == [
        "deny by long ships: the basin is small",
        "  long ships (deny): speaks",
        "  rule 2 (ask): means other principals",
    ]
    arguments["ship"] = {"name": "X", "length_m": 12}
    told = harbour(*check, json.dumps(arguments), "--scope", "crew", "--json")
    assert told.json["decision"] == {"verdict": "ask", "rule": "rule 2", "reason": ""}
    assert told.json["considered"][0]["silent"] == "its condition does not hold for these arguments"
    assert "is no JSON object" in harbour(*check, "[").err


def test_a_changed_tool_is_shown_beside_what_it_was_and_accepted(periplus: Run, tmp_path: Path) -> None:
    """T-33"""
    (tmp_path / "periplus.toml").write_text('[sources.quay]\nurl = "quay.json"\nkind = "openapi"\npin = "quarantine"\n')
    document = api("a", "b")
    (tmp_path / "quay.json").write_text(text(document))
    assert periplus("browse").code == 0
    document["paths"]["/a"]["get"]["summary"] = "Do a otherwise."
    (tmp_path / "quay.json").write_text(text(document))
    periplus("sync", "quay")
    shown = periplus("sources", "diff", "quay").out
    assert shown.startswith("quay/things/a  quarantined\n")
    assert '-  "summary": "Do a.",' in shown
    assert '+  "summary": "Do a otherwise.",' in shown
    assert periplus("sources", "accept", "quay").out == "accepted quay/things/a\n"
    assert periplus("sources", "diff", "quay").out == "nothing has changed\n"


def test_a_tool_of_any_kind_is_called_in_the_same_way(periplus: Run) -> None:
    """S-96, S-103, S-86: the whole harbour, an MCP server and a Python module among it."""
    with running() as services:
        assert periplus("add", f"{services.office}/openapi.yaml", "--name", "harbour").code == 0
        assert periplus("add", f"{services.crew}/graphql", "--name", "crew").code == 0
        assert periplus("add", f"mcp:{sys.executable} -m periplus.demo.tides", "--name", "tides").code == 0
        assert periplus("add", "python:periplus.demo.charts", "--name", "charts").code == 0
        assert periplus("call", "quoteBerth", "code=B4", "length_m=36").json["total"] == 86.4
        sailor = periplus("call", "sailor", "id=1", "--select", "name, vessel.name")
        assert sailor.json == {"name": "Jason", "vessel": {"name": "Argo"}}
        signed = periplus("call", "signOn", "input.name=Zetes", "input.rank=MATE", "input.vessel=Argo")
        assert signed.json["sailor"]["name"] == "Zetes"
        course = ("start.latitude=37.94", "start.longitude=23.64", "end.latitude=35.52", "end.longitude=24.02")
        assert periplus("call", "plot_course", *course).json["distance_nm"] == 146.4
        tides = periplus("browse", "tides", "--json").json["tools"]
        assert "tide_height" in str(tides)
        assert 0 < periplus("call", "tide_height", "station=bar", "hour=3").json["result"] < 4


def test_what_a_function_prints_is_not_its_result(periplus: Run, tmp_path: Path) -> None:
    (tmp_path / "noisy.py").write_text("def f() -> bytes:\n    print('noise')\n    return b'%PDF-'\n")
    assert periplus("add", "python:noisy.py", "--name", "noisy").code == 0
    done = periplus("call", "f", "--save", "chart.pdf")
    assert done.json["$file"]["media_type"] == "application/pdf"
    assert (tmp_path / "chart.pdf").read_bytes() == b"%PDF-"
    assert "noise" in done.err
    assert "is not what" not in done.err
