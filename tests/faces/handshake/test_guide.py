"""The conversation in the guide is the one that takes place; `...` stands for the rest of a line."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from pathlib import Path

from agents import Agent
from berths import HARBOUR

from sites import Site

_GUIDE = Path(__file__).parents[3] / "docs/guides/handshake.md"
_FENCE = re.compile(r"^```text\n(.*?)\n```$", re.MULTILINE | re.DOTALL)
_CALL = re.compile(r"\w+\(.*\)")


def shaped(text: str) -> re.Pattern[str]:
    return re.compile(re.escape(text).replace(re.escape("..."), r"[\s\S]*?"))


def test_the_conversation_of_the_guide_takes_place(agent: Agent, harbour: Site) -> None:
    harbour.write("/openapi.json", json.dumps(HARBOUR))
    fences = [
        found.replace("https://harbour.example.com", harbour.base) for found in _FENCE.findall(_GUIDE.read_text())
    ]
    pairs = [(call, said) for call, said in pairwise(fences) if _CALL.fullmatch(call)]
    assert len(pairs) == 6
    for call, said in pairs:
        answer = agent.printed(call).text
        wanted = said.replace('(landmark_id="...")', '(landmark_id="…")').replace('(query="...")', '(query="…")')
        assert shaped(wanted).fullmatch(answer.replace('="..."', '="…"')), (call, answer)
