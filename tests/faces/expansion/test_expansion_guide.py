"""The conversation of the guide, had again."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from conversing import Talk

_GUIDE = Path(__file__).resolve().parents[3] / "docs" / "guides" / "expansion.md"


def _same(shown: Any, got: Any) -> bool:
    """Whether an answer is what the guide shows; "..." stands for anything, and so does how likely something is."""
    if shown == "...":
        return True
    if isinstance(shown, dict) and isinstance(got, dict):
        return shown.keys() == got.keys() and all(
            name == "confidence" or _same(item, got[name]) for name, item in shown.items()
        )
    if isinstance(shown, list) and isinstance(got, list):
        return len(shown) == len(got) and all(map(_same, shown, got))
    return bool(shown == got)


async def test_every_request_of_the_guide_is_answered_as_the_guide_shows(talk: Talk) -> None:
    """E-1, section 12."""
    await talk.gateway.disconnect("office")
    blocks = [json.loads(text) for text in re.findall(r"```json\n(.*?)\n```", _GUIDE.read_text("utf-8"), re.DOTALL)]
    assert len(blocks) == 12
    for asked, shown in zip(blocks[::2], blocks[1::2], strict=True):
        reply = await talk.reply(asked["op"], asked["args"])
        assert _same(shown, reply.body), reply.body
