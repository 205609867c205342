"""Whatever a client sends, in whatever order and with whichever of its tokens: the gate holds, numbers only grow."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import anyio
from hypothesis import given, settings
from hypothesis import strategies as st
from walking import Walker, walking

ACTIVITIES = ("choose", "trial", "note", "__terminal__", "nowhere")
CHECKPOINTS = ("tool-confirmed", "write-consent", "answer-fits", "none")
OPTIONS = ("reads", "writes", "other", "agree", "stop", "yes", "no", "", "none")
FLAG = st.sampled_from((None, True, False))
ODD = st.sampled_from(("", " ", "x", "é" * 300, "../..", "²", "1" * 5000, "NOT (", 0, 2**70, 1.5, True, [], {}, [None]))


def call(name: str, **fields: st.SearchStrategy[Any]) -> st.SearchStrategy[tuple[str, dict[str, Any]]]:
    return st.tuples(st.just(name), st.fixed_dictionaries(fields))


SENSIBLE = st.one_of(
    call("next_activity", activity_id=st.sampled_from(ACTIVITIES)),
    call("respond_checkpoint", checkpoint_id=st.sampled_from(CHECKPOINTS), option_id=st.sampled_from(OPTIONS)),
    call("respond_checkpoint", checkpoint_id=st.sampled_from(CHECKPOINTS), auto_advance=FLAG, condition_not_met=FLAG),
    call("get_checkpoint", activity_id=st.sampled_from(ACTIVITIES), checkpoint_id=st.sampled_from(CHECKPOINTS)),
    call("start_session", workflow_id=st.just("first-call"), agent_id=st.sampled_from(("", "worker-1"))),
    call("get_workflow"),
    call("get_skill", step_id=st.sampled_from(("search", "call", "none"))),
    call("run_step", step_id=st.sampled_from(("call", "compare"))),
)
SENSELESS = st.one_of(
    call("next_activity", activity_id=ODD, transition_condition=ODD, step_manifest=ODD, activity_manifest=ODD),
    call("respond_checkpoint", checkpoint_id=ODD, option_id=ODD),
    call("get_resource", resource_index=ODD),
    call("get_trace", trace_tokens=ODD),
    call("start_session", workflow_id=ODD, agent_id=ODD),
)
WALKS = st.lists(st.tuples(st.one_of(SENSIBLE, SENSIBLE, SENSELESS), st.integers(0, 5)), max_size=25)


@settings(max_examples=15, deadline=None)
@given(WALKS)
def test_the_gate_holds_on_any_walk(walk: list[tuple[tuple[str, dict[str, Any]], int]]) -> None:
    """W-60, W-41, W-46, W-10: nobody leaves an activity whose questions are open, and nothing fails inside."""

    async def walked() -> None:
        with tempfile.TemporaryDirectory() as data:
            async with walking(Path(data)) as agent:
                await agent.start()
                tokens = [agent.token]
                for (name, arguments), back in walk:
                    await step(agent, name, arguments, tokens, back)

    anyio.run(walked)


async def step(agent: Walker, name: str, arguments: dict[str, Any], tokens: list[str], back: int) -> None:
    before = await standing(agent)
    token = tokens[-1 - min(back, len(tokens) - 1)]
    reply = await agent.reply(name, session_token=token, **arguments)
    after = await standing(agent)
    assert reply.problem is None or reply.problem.code.value != "internal", reply.text
    if before["pending"]:
        assert after["activity"] == before["activity"]
    if reply.problem is not None:
        assert after == before
        return
    assert after["seq"] == before["seq"] + 1
    tokens.append(reply.meta["session_token"])


async def standing(agent: Walker) -> dict[str, Any]:
    (short,) = await agent.gateway.workflows.sessions(agent.principal, 2)
    return {name: short[name] for name in ("activity", "pending", "seq", "status")}
