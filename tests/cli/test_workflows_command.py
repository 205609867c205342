from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path

import anyio
import pytest
from outcome import Run

from periplus.app import open_gateway
from periplus.model import LOCAL
from periplus.settings import Settings, WorkflowSettings

SAMPLES = str(Path(__file__).parents[3] / "shared" / "data" / "workflows")
needs_samples = pytest.mark.skipif(not Path(SAMPLES).is_dir(), reason="the sample definitions are not here")


@pytest.fixture
def sid(tmp_path: Path) -> str:
    """A session of the shipped example that waits before its first gate."""
    settings = Settings(data=str(tmp_path / "data"), workflow=WorkflowSettings(min_response_seconds=0))

    async def walk() -> str:
        async with open_gateway(settings) as gateway:
            answer = await gateway.walk("start_session", {"workflow_id": "first-call", "agent_id": "lead"})
            entered = {"session_token": answer.token, "activity_id": "choose", "transition_condition": "x"}
            answer = await gateway.walk("next_activity", entered)
            chosen = {"session_token": answer.token, "checkpoint_id": "tool-confirmed", "option_id": "reads"}
            await gateway.walk("respond_checkpoint", chosen)
            return str((await gateway.workflows.sessions(LOCAL, 1))[0]["sid"])

    return anyio.run(walk)


@needs_samples
def test_definitions_are_listed_with_how_they_are(periplus: Run) -> None:
    """W-96."""
    rows = periplus("workflows", "list", "--workflows", SAMPLES, "--json").json
    assert [(row["id"], row["status"]) for row in rows] == [
        ("prism-evaluate", "ok"),
        ("work-packages", "ok"),
        ("workflow-design", "ok"),
    ]
    assert "first-call" in periplus("workflows", "list").out


@needs_samples
def test_check_names_every_fault_and_fails_on_errors(periplus: Run, tmp_path: Path) -> None:
    """W-96."""
    assert periplus("workflows", "check", SAMPLES).code == 0
    (tmp_path / "defs").mkdir()
    (tmp_path / "defs" / "bad.toon").write_text("id: bad\nversion: x\n")
    checked = periplus("workflows", "check", "defs")
    assert checked.code == 65
    assert "title: is missing" in checked.out
    assert "bad.toon" in checked.err
    assert {one["code"] for one in periplus("workflows", "check", "defs", "--json").json} == {"schema"}
    assert not (tmp_path / "data").exists()  # looking at files takes no data directory


def test_a_workflow_is_shown_and_drawn(periplus: Run, tmp_path: Path) -> None:
    shown = periplus("workflows", "show", "first-call").out
    for words in (
        "First call to an unknown tool",
        "weigh-candidates",
        "demo/echo",
        "tool-confirmed",
        "dry_run: boolean",
    ):
        assert words in shown
    drawn = periplus("workflows", "graph", "first-call").out
    assert "○ choose" in drawn
    assert "dry_run == true" in drawn
    assert "checkpoint:tool-confirmed:other" in drawn
    assert periplus("workflows", "graph", "first-call", "--svg", "first.svg").code == 0
    root = ET.fromstring((tmp_path / "first.svg").read_text())  # noqa: S314 - our own
    texts = [element.text for element in root.iter("{http://www.w3.org/2000/svg}text")]
    assert {"Choose a tool", "Try it", "Write the note", "The end"} <= set(texts)
    assert len(list(root.iter("{http://www.w3.org/2000/svg}path"))) == 1 + 6


@needs_samples
@pytest.mark.parametrize("id_", ["prism-evaluate", "work-packages", "workflow-design", "meta"])
def test_every_sample_can_be_drawn(periplus: Run, tmp_path: Path, id_: str) -> None:
    graph = periplus("workflows", "graph", id_, "--workflows", SAMPLES, "--json").json
    ids = [node["id"] for node in graph["nodes"]]
    assert len(set(ids)) == len(ids)
    assert {edge["start"] for edge in graph["edges"]} | {edge["end"] for edge in graph["edges"]} <= set(ids)
    layers = {node["id"]: node["layer"] for node in graph["nodes"]}
    assert all(edge["is_back"] or layers[edge["start"]] < layers[edge["end"]] for edge in graph["edges"])
    assert periplus("workflows", "graph", id_, "--workflows", SAMPLES, "--svg", "g.svg").code == 0
    ET.fromstring((tmp_path / "g.svg").read_text())  # noqa: S314 - our own


def test_a_session_is_listed_shown_traced_and_drawn_where_it_stands(periplus: Run, sid: str) -> None:
    """W-96."""
    assert sid in periplus("workflows", "sessions").out
    shown = periplus("workflows", "show", sid).out
    for words in ("at choose", "write-consent", "tool_writes: false", "by effect", "agents lead"):
        assert words in shown
    drawn = periplus("workflows", "graph", sid).out
    assert "◉ choose" in drawn
    assert "1 open" in drawn
    assert "○ trial" in drawn
    traced = periplus("workflows", "trace", sid)
    assert "respond_checkpoint" in traced.out
    assert '"option":"reads"' in traced.out
    events = periplus("workflows", "trace", sid, "--json").json
    assert [event["name"] for event in events] == ["start_session", "next_activity", "respond_checkpoint"]
    assert events[1]["aid"] == "lead"


def test_a_name_of_nothing_is_refused(periplus: Run) -> None:
    for command in ("show", "graph", "trace"):
        refused = periplus("workflows", command, "nothing")
        assert refused.code == 66
        assert "nothing" in refused.err
