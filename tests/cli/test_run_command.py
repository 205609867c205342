"""`periplus run`: steps from a file, what became of each, and the last value."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from outcome import Run
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from sites import Site, api, text

ROWS = [{"id": 1, "name": "Argo"}, {"id": 2, "name": "Kon-Tiki"}]


@pytest.fixture
def office(periplus: Run, site: Site) -> Run:
    """The command line over a catalog with a service that runs."""
    document = api("ships", "get", "strike") | {"servers": [{"url": site.base}]}
    document["paths"]["/strike"]["delete"] = document["paths"]["/strike"].pop("get")
    site.write("/api.json", text(document))
    site.write("/ships", text(ROWS))

    async def one(request: Request) -> Response:
        return JSONResponse({"x": int(request.query_params["x"])})

    site.serve("/get", one)
    site.serve("/strike", one)
    assert periplus("add", site.url("/api.json"), "--name", "quay").code == 0
    site.asked()
    return periplus


def written(tmp_path: Path, *steps: object) -> str:
    (tmp_path / "steps.json").write_text(json.dumps({"steps": steps}))
    return "steps.json"


def test_the_last_value_is_printed_and_every_step_beside_it(office: Run, site: Site, tmp_path: Path) -> None:
    file = written(tmp_path, {"tool": "ships", "name": "all"}, {"tool": "get", "arguments": {"x": "$all[1].id"}})
    outcome = office("run", file)
    assert (outcome.code, outcome.json) == (0, {"x": 2})
    first, second = outcome.err.splitlines()
    assert first.startswith("0  all  ships  ok  ")
    assert first.endswith("list of 2 {id, name}")
    assert second.startswith("1  step1  get  ok  ")
    assert [path for _, path, _ in site.asked()] == ["/ships", "/get"]


def test_json_has_every_step_with_its_value(office: Run, tmp_path: Path) -> None:
    file = written(
        tmp_path,
        {"tool": "ships", "filter": "id=1"},
        {"tool": "get", "for_each": [5, 6], "arguments": {"x": "$item"}},
        {"tool": "get", "arguments": {"x": 1}, "condition": "$step1[0].x > 5"},
        {"together": [{"tool": "get", "arguments": {"x": "$n"}}, {"tool": "get", "arguments": {"x": 8}}]},
    )
    told = office("run", file, "--value", "n=7", "--json").json
    assert [one["state"] for one in told["steps"]] == ["ok", "ok", "skipped", "ok", "ok"]
    assert [one.get("value") for one in told["steps"]] == [[ROWS[0]], [{"x": 5}, {"x": 6}], None, {"x": 7}, {"x": 8}]
    assert [item["value"] for item in told["steps"][1]["items"]] == [{"x": 5}, {"x": 6}]


def test_a_step_that_fails_gives_its_exit_status(office: Run, site: Site, tmp_path: Path) -> None:
    file = written(
        tmp_path, {"tool": "ships", "on_error": "continue"}, {"tool": "get", "arguments": {"x": "$step0.id"}}
    )
    outcome = office("run", file)
    assert outcome.code == 65
    assert "reference_unresolved: step 1: $step0.id leads nowhere" in outcome.err
    assert json.loads(outcome.out) == ROWS


@pytest.mark.parametrize(
    ("step", "says"),
    [
        ({"tool": "ships", "foreach": [1]}, "did you mean 'for_each'?"),
        ({"arguments": {}}, "tool"),
        ("ships", "step 0"),
        ({"tool": "ships", "on_error": "ignore"}, "step 0"),
        ({"tool": "ships", "retry": {"times": "often"}}, "step 0"),
    ],
)
def test_a_step_that_cannot_be_read_says_what_a_step_has(office: Run, tmp_path: Path, step: object, says: str) -> None:
    outcome = office("run", written(tmp_path, step), "--json")
    assert outcome.code == 64
    assert says in outcome.err
    assert outcome.error["message"].startswith("step 0: ")


def test_a_file_without_steps_and_a_value_without_a_name_are_refused(office: Run, tmp_path: Path) -> None:
    (tmp_path / "none.yaml").write_text("a: 1\n")
    assert "there is no list of steps" in office("run", "none.yaml").err
    assert "cannot be read" in office("run", "nowhere.yaml").err
    file = written(tmp_path, {"tool": "ships"})
    assert "not a value: 'x'" in office("run", file, "--value", "x").err


def test_what_destroys_waits_for_a_person_once_for_all(office: Run, site: Site, tmp_path: Path) -> None:
    file = written(tmp_path, {"tool": "strike", "for_each": [1, 2], "arguments": {"x": "$item"}})
    outcome = office("run", file, "--json")
    assert outcome.code == 75
    assert "2 calls" in outcome.error["message"]
    approval = outcome.error["details"]["approval"]
    assert site.asked() == []
    assert office("approvals", "grant", approval).code == 0
    assert office("run", file, "--approval", approval).code == 0
    assert len(site.asked()) == 2
    assert office("run", file, "--approve", "again").code == 0
