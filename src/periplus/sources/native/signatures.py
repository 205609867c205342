"""The parameters in a printed signature: `{ berth: string, side?: "port"|"starboard" }`."""

from __future__ import annotations

import re
from typing import Any

_MEMBER = re.compile(r"""\s*("(?:[^"\\]|\\.)*"|'[^']*'|[^\s:?"']+)\s*(\?)?\s*:\s*(.+?)\s*$""", re.DOTALL)
_LITERAL = re.compile(r"""\s*(?:"([^"]*)"|'([^']*)')\s*""")
_OPENS, _CLOSES = "{[(<", "}])>"
_NAMED = {"string", "integer", "number", "boolean", "object", "array"}


def parameters_of(written: str) -> list[dict[str, Any]] | None:
    """The members of an object type as parameters; None where the text is cut or no object type."""
    inner = written.strip()
    if inner[:1] != "{" or inner[-1:] != "}":
        return None
    pieces = _split(inner[1:-1], ",;")
    if pieces is None:
        return None
    found = [_MEMBER.match(piece) for piece in pieces if piece.strip()]
    if not all(found):
        return None
    return [
        {"name": member[1].strip("\"'"), "required": not member[2], **_typed(member[3])} for member in found if member
    ]


def _typed(written: str) -> dict[str, Any]:
    """A type as the members that describe it elsewhere; one that is not known takes anything."""
    pieces = _split(written, "|") or [written]
    literals = [_LITERAL.fullmatch(piece) for piece in pieces]
    if all(literals):
        return {"type": "string", "options": [each[1] if each[1] is not None else each[2] for each in literals if each]}
    kind = written.strip()
    if kind.endswith("[]"):
        item = _typed(kind[:-2])
        return {"type": "array", "options": {"type": item["type"]} if item["type"] in _NAMED else None}
    if kind.startswith("{"):
        return _object(kind)
    if kind.startswith("Record<"):
        return {"type": "object"}
    return {"type": kind if kind in _NAMED else "any"}


def _object(written: str) -> dict[str, Any]:
    members = parameters_of(written)
    if members is None:
        return {"type": "object"}
    properties = {each["name"]: _schema(each) for each in members}
    required = [each["name"] for each in members if each["required"]]
    return {"type": "object", "options": {"type": "object", "properties": properties, "required": required}}


def _schema(member: dict[str, Any]) -> dict[str, Any]:
    type_, options = member["type"], member.get("options")
    if type_ == "object" and options:
        return dict(options)
    if type_ == "array":
        return {"type": "array"} | ({"items": options} if options else {})
    return ({} if type_ == "any" else {"type": type_}) | ({"enum": options} if options else {})


def _split(text: str, marks: str) -> list[str] | None:
    """The pieces between marks that stand in no bracket and no quotes; None where these do not close."""
    pieces, depth, quote, start = list[str](), 0, "", 0
    for place, sign in enumerate(text):
        if quote:
            quote = "" if sign == quote else quote
        elif sign in "\"'":
            quote = sign
        elif sign in _OPENS:
            depth += 1
        elif sign in _CLOSES:
            depth -= 1
        elif sign in marks and depth == 0:
            pieces.append(text[start:place])
            start = place + 1
    return None if depth or quote else [*pieces, text[start:]]
