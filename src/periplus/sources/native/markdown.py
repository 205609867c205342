"""Landmarks out of the text that a native site shows to models, for sites that have nothing else."""

from __future__ import annotations

import re
from typing import Any

from periplus.sources.native.signatures import parameters_of

_HEADING = re.compile(rb"^#{1,6}[ \t]+LANDMARK TOPOLOGY\b", re.MULTILINE)
_FUNCTION_HEAD = re.compile(rb"^function call_action\(action: '", re.MULTILINE)
_AREA = re.compile(r"- \*\*([^*`]+)\*\*:?(?: \((\d+) tools?[^)]*\))?(?: - (.*))?$")
_SUBAREA = re.compile(r"- Landmark: `([^`]+)`(?: \((\d+) tools?[^)]*\))?")
_ACTION = re.compile(r"- Action: `([^`]+)`(?: \((?:REQUIRED PARAMS: ([^|)]*)|[^)]*)[^)]*\))?")
_FUNCTION = re.compile(r"function call_action\(action: '([^']+)', parameters: (\{.*\})\)(?:: ([^;]*))?;?$")
_PARAMETER = re.compile(r"@param ([^\s(]+) \(.*?\)(?: \[REQUIRED\])?(?: (.*))?$")
_OFFSET = re.compile(r"\b_?offset=(\d{1,9})\b")
_HEAD = 200_000


def is_markdown(body: bytes) -> bool:
    """Whether a text is a page of landmarks: by its heading or a signature at the start of a line, in no markup."""
    head = body[:_HEAD].lstrip(b"\xef\xbb\xbf \t\r\n")
    if head[:1] in (b"<", b"{", b"["):
        return False
    return bool(_HEADING.search(head) or _FUNCTION_HEAD.search(head))


def markdown_page(text: str) -> tuple[list[dict[str, Any]], int | None]:
    """The landmarks in a text, each once, and the offset of the page behind it if the text names one."""
    reading = _Reading()
    for line in text.splitlines():
        reading.take(line)
    return list(reading.found.values()), reading.next


class _Reading:
    """Line by line: what was found, and the comment or landmark that the next lines may belong to."""

    def __init__(self) -> None:
        self.found: dict[str, dict[str, Any]] = {}
        self.next: int | None = None
        self._comment: list[str] | None = None
        self._last: list[str] = []
        self._quoted: dict[str, Any] | None = None

    def take(self, line: str) -> None:
        bare = line.strip()
        if bare.startswith("/**"):
            self._comment, self._last = [], []
        if self._comment is not None:
            self._comment.append(bare.removeprefix("/**").removesuffix("*/").removeprefix("*").strip())
            if bare.endswith("*/"):
                self._last, self._comment = self._comment, None
        elif function := _FUNCTION.match(bare):
            self._signature(*function.groups())
        elif bare.startswith(("- (", "**Page**")):
            offset = _OFFSET.search(bare)
            self.next = int(offset[1]) if offset else self.next
        elif bare.startswith("- "):
            self._listed(bare)
        elif bare.startswith(">") and self._quoted is not None:
            self._quoted.setdefault("description", bare.removeprefix(">").strip())

    def _listed(self, bare: str) -> None:
        if action := _ACTION.match(bare):
            required = [name.strip() for name in (action[2] or "").split(",") if name.strip()]
            parameters = [{"name": name, "type": "any", "required": True} for name in required]
            self._add({"id": action[1], "type": "action", "parameters": parameters, "open": True})
        elif area := _SUBAREA.match(bare) or _AREA.match(bare):
            description = area[3] if area.re is _AREA else None
            more = {"description": description} if description else {}
            self._add({"id": area[1], "type": "navigation"} | more)

    def _signature(self, id_: str, written: str, returns: str | None) -> None:
        told = {found[1]: found[2] or "" for found in map(_PARAMETER.match, self._last) if found}
        lines = [line for line in self._last if line and not line.startswith(("@", "Tool:"))]
        parameters = parameters_of(written)
        landmark: dict[str, Any] = {
            "id": id_,
            "type": "action",
            "description": "\n".join(lines).removeprefix("Description:").strip(),
            "returns": returns or "any",
        }
        if parameters is None:
            landmark |= {"parameters": [], "open": True}
        else:
            landmark["parameters"] = [each | {"description": told.get(each["name"], "")} for each in parameters]
        self.found[id_] = landmark
        self._last, self._quoted = [], None

    def _add(self, landmark: dict[str, Any]) -> None:
        self._quoted = self.found.setdefault(landmark["id"], landmark)
