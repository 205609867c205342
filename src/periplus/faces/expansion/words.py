"""What the protocol tells a model, and what each operation takes (E-2, E-39, E-40)."""

from __future__ import annotations

from typing import Any

INSTRUCTIONS = """\
You stand before a catalog of tools that you do not know. Tools are found, never assumed: an id, a parameter or a \
result that you did not read here does not exist.
1. Look at the tree first: `list` shows areas, then tools, as one-line pointers. Go down with `path`.
2. Where no area fits, or the right one is unclear, ask in your own words: `search_nodes` finds areas, \
`search_tool_by_category` finds tools, in one category or everywhere (`category_path: []`). `confidence` is the \
probability that an entry serves you; a low one is a no.
3. Before the first call of a tool read it with `expand_tool`. Schemas are shown nowhere else.
4. Call it with `call_tool` and exactly that schema. A call without a reading is refused.
5. On an error follow `hints` and send `next_action` as it stands. `status: pending_approval` means that a person must \
agree: send the same call with `approval_id` afterwards. `status: async` means that it goes on: `call_tool` with its \
`run_id` tells how far it is.
Example: list {} -> search_tool_by_category {"query": "reserve a place for a ship", "category_path": ["harbour"]} -> \
expand_tool {"tool_id": "harbour/berths/reserve"} -> call_tool {"tool_id": "harbour/berths/reserve", "args": \
{"berth": "B4", "date": "2031-05-03"}}."""

LIST = """\
Look at one place of the tree before you search: areas, then tools as pointers. `query` or `tags` cover its whole \
subtree."""
SEARCH = """\
Find tools by what you want to do, in one category or everywhere. Gives pointers with confidence; read a tool with \
expand_tool before you call it."""
SEARCH_NODES = "Find the areas that hold what you want, when no child of `list` fits."
EXPAND = "Read one tool whole, before its first call: no other operation shows schemas."
CALL = """\
Call a tool you have read with expand_tool, with exactly its schema. After pending_approval send the same call with \
`approval_id`. Read on in a large result with `cache_ref`."""

_SESSION = {"type": "string"}
_LIMIT = {"type": "integer", "minimum": 1, "description": "1-50, default 10"}
_CURSOR = {"type": "string"}
_QUERY = {"type": "string", "minLength": 1, "maxLength": 2000, "pattern": r"\S", "description": "Your goal"}
_PATH = {
    "type": ["array", "string"],
    "items": {"type": "string"},
    "description": "Names from the root",
}
_TAGS = {
    "type": "array",
    "items": {"type": "string"},
    "maxItems": 20,
    "description": "e.g. read, write, destroy",
}
_TOOL_ID = {"type": "string", "minLength": 1, "maxLength": 200}


def _takes(required: tuple[str, ...], **members: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": members | {"session": _SESSION},
        "required": list(required),
        "additionalProperties": False,
    }


TAKES: dict[str, dict[str, Any]] = {
    "list": _takes(
        (),
        path=_PATH,
        tags=_TAGS,
        tags_mode={"enum": ["all", "any"]},
        query=_QUERY,
        limit=_LIMIT,
        cursor=_CURSOR,
        depth={"type": "integer", "minimum": 1, "maximum": 3, "description": "1-3"},
        recursive={"type": "boolean"},
        nodes={"enum": ["objects", "names"]},
    ),
    "search_tool_by_category": _takes(
        ("query",), query=_QUERY, category_path=_PATH, limit=_LIMIT, cursor=_CURSOR, tags=_TAGS
    ),
    "search_nodes": _takes(("query",), query=_QUERY, limit=_LIMIT, cursor=_CURSOR),
    "expand_tool": _takes(("tool_id",), tool_id=_TOOL_ID),
    "call_tool": _takes(
        (),
        tool_id=_TOOL_ID,
        args={"type": "object"},
        expansion_token={"type": "string", "description": "Proof of the reading, without a session"},
        approval_id={"type": "string"},
        idempotency_key={"type": "string"},
        timeout_s={"type": "number", "exclusiveMinimum": 0, "maximum": 300},
        run_id={"type": "string"},
        cache_ref={"type": "string", "description": "Read on in this result"},
        limit={"type": "integer", "minimum": 1},
        offset={"type": "integer", "minimum": 0},
    ),
}
