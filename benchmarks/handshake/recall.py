"""What an agent meets that makes every call it is shown, and none that it is not."""

from __future__ import annotations

import ast
import re
from typing import Any

from benchmarks.handshake.gateways import Answer, Gateway
from benchmarks.processes import FailedError

_NEXT = re.compile(r"^\*\*Page\*\*: .*? Next: (\w+\(.*\))$", re.MULTILINE)
_AREA = re.compile(r"^ *- \*\*([^*]+)\*\*: \((\d+) tools?(?:, (\d+) areas?)?\)", re.MULTILINE)
_TOOL = re.compile(r"^ \* Tool: (\S+)$", re.MULTILINE)
_SHOWN = re.compile(r"^ *- \*\*(\w+)\*\*", re.MULTILINE)
_ELLIPSIS = '"..."'


def walked(gateway: Gateway) -> tuple[int, int]:
    """How many areas and how many tools are reached from `get_landmarks()` by calls that are printed."""
    areas: dict[str, int] = {}
    waiting: list[dict[str, Any]] = [{}]
    while waiting:
        for page in _pages(gateway, "get_landmarks", waiting.pop()):
            for name, _, below in _AREA.findall(page.text):
                if name not in areas:
                    areas[name] = int(below or 0)
                    waiting += [{"landmark_id": name}] if below else []
    seen: set[str] = set()
    for name in areas:
        for page in _pages(gateway, "inspect_landmark", {"landmark_id": name}):
            seen.update(_TOOL.findall(page.text))
    return len(areas), len(seen)


def shown(gateway: Gateway) -> int:
    """How many areas the manifest and the landmarks name at all, whatever is printed of calls."""
    texts = (gateway("get_manifest").text, gateway("get_landmarks").text)
    return len({name for text in texts for name in _SHOWN.findall(text)})


def _pages(gateway: Gateway, tool: str, arguments: dict[str, Any]) -> list[Answer]:
    pages = [gateway(tool, **arguments)]
    while following := _NEXT.search(pages[-1].text):
        if _ELLIPSIS in following[1]:
            break
        name, words = _parsed(following[1])
        pages.append(gateway(name, **words))
    return pages


def _parsed(text: str) -> tuple[str, dict[str, Any]]:
    """A printed call as its name and arguments."""
    made = ast.parse(text, mode="eval").body
    if not isinstance(made, ast.Call) or not isinstance(made.func, ast.Name):
        raise FailedError(f"{text} is printed as a call")
    return made.func.id, {str(word.arg): ast.literal_eval(word.value) for word in made.keywords}
