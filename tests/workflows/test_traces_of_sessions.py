"""Long traces: what is cut says so, and proofs lose their details before they lose an event."""

from __future__ import annotations

from pathlib import Path

import pytest
from walking import walking, write

from periplus.core.workflows import tracing
from periplus.core.workflows.tokens import trace_token

LARGE = "x" * 20_000
CHECKPOINTS = "".join(
    f"  - {{id: {id_}, name: N, message: M, options: [{{id: a, label: A, effect: {{setVariable: {{v: {LARGE}}}}}}}]}}\n"
    for id_ in ("one", "two")
)
DEFINITION = (
    "id: long\nversion: 1.0.0\ntitle: T\nexecutionModel: {roles: [{id: a, description: A}]}\nactivities:\n"
    f"- id: a\n  version: 1.0.0\n  name: A\n  steps: [{{id: s, name: S}}]\n  checkpoints:\n{CHECKPOINTS}  transitions: [{{to: b}}]\n"
    "- {id: b, version: 1.0.0, name: B}\n"
)


async def test_of_a_very_long_trace_the_first_events_are_given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """W-84."""
    monkeypatch.setattr(tracing, "SHOWN", 3)
    async with walking(tmp_path) as agent:
        await agent.start()
        for number in range(2, 5):
            await agent.ask("get_workflow")
            trace = await agent.ask("get_trace")
            assert trace.get("truncated", False) is (number > 3)
            assert trace["event_count"] == len(trace["events"]) == min(number, 3)
            assert trace["events"][0]["name"] == "start_session"


async def test_a_proof_that_grows_too_long_leaves_out_details_and_no_event(tmp_path: Path) -> None:
    """W-86: the effects of two answers alone are longer than a trace token may be."""
    root = write(tmp_path / "defs", long_yaml=DEFINITION)
    async with walking(tmp_path / "data", dir=(str(root),)) as agent:
        await agent.start("long")
        await agent.enter("a")
        await agent.answer("one", "a")
        await agent.answer("two", "a")
        await agent.enter("b")
        text = agent.meta["trace_token"]
        assert len(text) < 32 << 10
        proof = trace_token(agent.gateway.workflows._room.traces, text)
        assert [event["name"] for event in proof.events] == [
            "respond_checkpoint",
            "respond_checkpoint",
            "next_activity",
        ]
        assert not any("d" in event for event in proof.events)
        assert proof.events[2]["vw"]  # what else there is fits
        told = await agent.ask("get_trace", trace_tokens=[text])
        assert "token_errors" not in told
        assert (await agent.ask("get_trace"))["events"][2]["d"]["effect"]["setVariable"]["v"].startswith("xxx")
