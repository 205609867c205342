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


BROKEN = "id: half\nversion: 1.0.0\ntitle: Half\nexecutionModel: {roles: [{id: a, description: A}]}\n"


def test_what_is_broken_is_shown_with_its_reason(periplus: Run, tmp_path: Path) -> None:
    """W-25, W-96: a faulty activity costs itself, and nobody has to guess which it is."""
    (tmp_path / "defs" / "half" / "activities").mkdir(parents=True)
    (tmp_path / "defs" / "half" / "workflow.yaml").write_text(BROKEN)
    (tmp_path / "defs" / "half" / "activities" / "01-good.yaml").write_text("id: good\nversion: 1.0.0\nname: Good\n")
    (tmp_path / "defs" / "half" / "activities" / "02-bad.yaml").write_text("id: bad\nversion: 1.0\nname: Bad\n")
    (tmp_path / "defs" / "gone.yaml").write_text("id: gone\n")
    shown = periplus("workflows", "show", "half", "--workflows", "defs").out
    assert "good  Good" in shown
    assert "✗ bad" in shown
    assert "1.0 is not a text: put it in quotes" in shown
    assert "title: is missing" in periplus("workflows", "show", "gone", "--workflows", "defs").out
    assert "✗ bad" in periplus("workflows", "graph", "half", "--workflows", "defs").out
    listed = periplus("workflows", "list", "--workflows", "defs").out
    assert "can be started, 1 error" in listed
    assert "broken, 3 errors" in listed


def test_a_session_is_drawn_as_a_picture_of_where_it_stands(periplus: Run, sid: str, tmp_path: Path) -> None:
    assert periplus("workflows", "graph", sid, "--svg", "at.svg").code == 0
    root = ET.fromstring((tmp_path / "at.svg").read_text())  # noqa: S314 - our own
    titles = [element.text for element in root.iter("{http://www.w3.org/2000/svg}title")]
    assert {"choose: here", "trial: ahead", "note: ahead"} <= set(titles)
    boxes = [element.get("class") for element in root.iter("{http://www.w3.org/2000/svg}rect")]
    assert boxes.count("box here") == 1


def test_what_a_mode_leaves_out_is_drawn_so(periplus: Run, tmp_path: Path) -> None:
    """W-71, W-72: not only what an answer skips."""
    (tmp_path / "defs").mkdir()
    (tmp_path / "defs" / "quick.yaml").write_text(
        BROKEN.replace("half", "quick")
        + "modes: [{id: q, name: Q, activationVariable: hurry, skipActivities: [scenic]}]\n"
        "activities:\n- id: one\n  version: 1.0.0\n  name: One\n  checkpoints: [{id: c, name: C, message: M,\n"
        "    options: [{id: y, label: Y, effect: {setVariable: {hurry: true}}}]}]\n  transitions: [{to: scenic}]\n"
        "- {id: scenic, version: 1.0.0, name: Scenic}\n"
    )
    places = WorkflowSettings(min_response_seconds=0, dir=(str(tmp_path / "defs"),))
    settings = Settings(data=str(tmp_path / "data"), workflow=places)

    async def walk() -> str:
        async with open_gateway(settings) as gateway:
            token = (await gateway.walk("start_session", {"workflow_id": "quick"})).token
            token = (await gateway.walk("next_activity", {"session_token": token, "activity_id": "one"})).token
            await gateway.walk("respond_checkpoint", {"session_token": token, "checkpoint_id": "c", "option_id": "y"})
            return str((await gateway.workflows.sessions(LOCAL, 1))[0]["sid"])

    session = anyio.run(walk)
    assert "⊘ scenic" in periplus("workflows", "graph", session, "--workflows", "defs").out
    elsewhere = periplus("workflows", "graph", session)
    assert elsewhere.code == 66
    assert "walks 'quick', which is no workflow here" in elsewhere.err
    assert "--workflows DIR" in elsewhere.err
