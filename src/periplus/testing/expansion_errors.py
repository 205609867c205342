"""Promises about requests that are wrong: each is told, and each next action works (E-2, E-38, section 9)."""

from __future__ import annotations

from periplus.testing.expansion_server import Server, must


async def members_are_known(server: Server) -> None:
    """E-2: an unknown member is INVALID_REQUEST and names the nearest one."""
    error = await server.error("list", {"tag": ["x"]}, "INVALID_REQUEST")
    must("tags" in str(error), f"`tags` is not named: {error}")
    await server.follow(error)


async def tools_are_named(server: Server) -> None:
    """Section 9: `expand_tool` without a tool is INVALID_REQUEST; one that is not there TOOL_NOT_FOUND."""
    for asked in ({}, {"tool_id": ""}):
        await server.follow(await server.error("expand_tool", asked, "INVALID_REQUEST"))
    for op in ("expand_tool", "call_tool"):
        await server.follow(await server.error(op, {"tool_id": "no/such/tool_xyz"}, "TOOL_NOT_FOUND"))


async def near_names_are_told(server: Server) -> None:
    """Section 7: a name that is nearly right is answered with hints, never guessed."""
    tool = str((await server.tools())[0]["tool_id"])
    error = await server.error("expand_tool", {"tool_id": f"{tool}xq"}, "TOOL_NOT_FOUND")
    must(len(error["hints"]) <= 5, f"{len(error['hints'])} hints")


async def bodies_are_objects(server: Server) -> None:
    """Section 9: a body that is no object is INVALID_REQUEST."""
    await server.follow(await server.error("list", [], "INVALID_REQUEST"))


ERRORS = (members_are_known, tools_are_named, near_names_are_told, bodies_are_objects)
