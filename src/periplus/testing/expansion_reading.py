"""Promises about expansions and calls."""

from __future__ import annotations

from typing import Any

import jsonschema_rs

from periplus.testing.expansion_server import Server, must

_EXPANSION = {
    "tool_id", "path", "paths", "summary", "description", "args_schema", "result_schema", "annotations", "side_effects",
    "cost", "requires_approval", "version", "schema_hash", "estimated_tokens", "expansion_token", "expires_at",
}  # fmt: skip
_CHANGING = {"expansion_token", "expires_at"}
_LOOKED_AT = 10


async def schemas_stay_back(server: Server) -> None:
    """E-29: lists and searches show no schema, no signature and no name of an argument."""
    tools = await server.tools()
    shown = str(await server.answer("search_tool_by_category", query=await server.query(), limit=50)) + str(tools)
    must("args_schema" not in shown and "inputSchema" not in shown, "a pointer holds a schema")
    known = {"tool_id", "path", "summary", "tags", "confidence", "score_raw"}
    for tool in tools:
        must(tool.keys() <= known, f"a pointer has further members: {sorted(tool.keys() - known)}")


async def expansions_are_whole(server: Server) -> None:
    """E-28: an expansion has every member, and schemas that refer to nothing outside."""
    for tool in (await server.tools())[:_LOOKED_AT]:
        read = await server.answer("expand_tool", tool_id=tool["tool_id"])
        must(read.keys() >= _EXPANSION, f"{tool['tool_id']} lacks {sorted(_EXPANSION - read.keys())}")
        must(read["tool_id"] == tool["tool_id"], f"{tool['tool_id']} is expanded as {read['tool_id']}")
        for schema in (read["args_schema"], read["result_schema"]):
            must(_refers_inside(schema), f"{tool['tool_id']} refers outside: {str(schema)[:200]}")
        must(_compiles(read["args_schema"]), f"the argument schema of {tool['tool_id']} is none")


async def expansions_repeat(server: Server) -> None:
    """E-30: the same expansion again is the same but for its token and its end."""
    tool = (await server.tools())[0]["tool_id"]
    first, again = [await server.answer("expand_tool", tool_id=tool) for _ in range(2)]
    same = {name: first[name] == again[name] for name in first.keys() - _CHANGING}
    must(all(same.values()), f"{tool} differs in {[name for name, is_same in same.items() if not is_same]}")


async def reading_comes_first(server: Server) -> None:
    """E-32: a call of a tool that was not read is EXPAND_REQUIRED before anything is looked at."""
    tool = (await server.tools())[0]["tool_id"]
    asked = {"tool_id": tool, "args": {"no such argument": 1}, "session": server.fresh()}
    error = await server.error("call_tool", asked, "EXPAND_REQUIRED")
    action = error["next_action"]
    must(action["op"] == "expand_tool" and action["args"].get("tool_id") == tool, f"next is {action}")
    await server.follow(error)


async def tokens_fit_their_tool(server: Server) -> None:
    """E-32: the token of another tool proves nothing."""
    tools = await server.tools()
    if len(tools) < 2:
        raise LookupError("the catalog has one tool")
    token = (await server.answer("expand_tool", tool_id=tools[0]["tool_id"], session=server.fresh()))["expansion_token"]
    asked = {"tool_id": tools[1]["tool_id"], "expansion_token": token, "session": server.fresh()}
    await server.error("call_tool", asked, "EXPAND_REQUIRED")


async def arguments_are_held_to_the_schema(server: Server) -> None:
    """E-35: an argument that a closed schema does not have is INVALID_ARGS, by its pointer."""
    session = server.fresh()
    for tool in (await server.tools())[:_LOOKED_AT]:
        read = await server.answer("expand_tool", tool_id=tool["tool_id"], session=session)
        if read["args_schema"].get("additionalProperties") is False:
            asked = {"tool_id": tool["tool_id"], "args": {"noSuchArgument_": 1}, "session": session}
            error = await server.error("call_tool", asked, "INVALID_ARGS")
            must("noSuchArgument_" in str(error), f"the argument is not named: {str(error)[:300]}")
            return
    raise LookupError("no tool within reach has a closed schema")


def _refers_inside(schema: Any) -> bool:
    if isinstance(schema, dict):
        ref = schema.get("$ref")
        return (not isinstance(ref, str) or ref.startswith("#")) and all(map(_refers_inside, schema.values()))
    return not isinstance(schema, list) or all(map(_refers_inside, schema))


def _compiles(schema: Any) -> bool:
    try:
        jsonschema_rs.Draft202012Validator(schema, offline=True)
    except (jsonschema_rs.ValidationError, ValueError, TypeError):
        return False
    return True


READING = (
    schemas_stay_back,
    expansions_are_whole,
    expansions_repeat,
    reading_comes_first,
    tokens_fit_their_tool,
    arguments_are_held_to_the_schema,
)
