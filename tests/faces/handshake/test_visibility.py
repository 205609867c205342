"""H-46, H-54: what the policy hides is as if it did not exist."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from agents import Agent, Serve
from grids import grid

from periplus.settings import load_settings
from sites import Site, site

HIDING = """
[[rules]]
verdict = "deny"
action = ["discover"]
tools = ["node:grid/area_0001", "grid/area_0002/open_*"]
"""
ASKS: list[tuple[str, dict[str, Any]]] = [
    ("connect_to_site", {"get_manifest": True}),
    ("get_manifest", {"full": True}),
    ("get_landmarks", {}),
    ("inspect_landmark", {"landmark_id": "area_0002"}),
    ("inspect_landmark", {"landmark_id": "area_0001"}),
    ("inspect_landmark", {"landmark_id": "area_0002:open_valve_000002"}),
    ("inspect_landmark", {"landmark_id": "area_0002:open_valv_000002"}),
    ("search_landmarks", {"query": "valve|open"}),
    ("search_landmarks", {"query": "area_0001"}),
    ("search_landmarks", {"query": ".", "_limit": 3}),
    ("search_landmarks", {"query": "Works 0001", "type": "navigation"}),
    ("call_action", {"action": "area_0001:get_valve_000001"}),
    ("call_action", {"action": "area_0001"}),
    ("call_action", {"action": "area_0002:open_valve_000002"}),
]


def without_hidden(document: dict[str, Any]) -> dict[str, Any]:
    def shown(operation: dict[str, Any]) -> bool:
        tag, name = operation["get"]["tags"][0], operation["get"]["operationId"]
        return tag != "area_0001" and not (tag == "area_0002" and name.startswith("open_"))

    paths = {path: one for path, one in document["paths"].items() if shown(one)}
    return document | {"paths": paths}


def answers(serve: Serve, place: Site, document: dict[str, Any], **flags: Any) -> list[str]:
    place.write("/openapi.json", json.dumps(document))
    with serve(**flags) as base:
        agent = Agent(base)
        first = agent.ask(ASKS[0][0], url=f"{place.base}/openapi.json", name="grid", **ASKS[0][1])
        replies = [first, *(agent.ask(tool, arguments) for tool, arguments in ASKS[1:])]
        return [reply.text.replace(place.base, "") for reply in replies]


def test_hidden_and_missing_areas_and_actions_answer_the_same(serve: Serve, harbour: Site, tmp_path: Path) -> None:
    """H-96."""
    policy = tmp_path / "policy.toml"
    policy.write_text(HIDING)
    whole = grid(60, 4)
    hidden = answers(serve, harbour, whole, **{"policy.file": str(policy)})
    with site() as other:
        missing = answers(serve, other, without_hidden(whole), data=str(tmp_path / "other"))
    for (tool, arguments), one, two in zip(ASKS, hidden, missing, strict=True):
        assert one == two, (tool, arguments)


@pytest.mark.parametrize("key", ["connect", "structured"])
def test_a_setting_with_a_wrong_word_is_refused(key: str) -> None:
    with pytest.raises(Exception, match=key):
        load_settings(None, {}, {f"handshake.{key}": "perhaps"})
