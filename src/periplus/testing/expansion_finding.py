"""Promises about the tree and about search."""

from __future__ import annotations

from typing import Any

from periplus.testing.expansion_server import Deviation, Server, must

_LISTING = {"path", "nodes", "tools", "next_cursor", "total"}
_SIZES = (1, 3, 50)
_MOST = 200


async def root_is_listed(server: Server) -> None:
    """E-11: `list` without arguments shows the root: nodes and tools, without confidence."""
    page = await server.answer("list")
    must(page.keys() >= _LISTING, f"list gives {sorted(page)}, not {sorted(_LISTING)}")
    must(page["path"] == [], f"the root has the path {page['path']}")
    for node in page["nodes"]:
        must({"name", "path", "summary", "tags", "tool_count"} <= node.keys(), f"a node is {node}")
        must(node["tool_count"] > 0, f"a node without tools is shown: {node}")
    must(all("confidence" not in entry for entry in (*page["nodes"], *page["tools"])), "confidence without a query")


async def pages_are_exact(server: Server) -> None:
    """E-25: pages of any size make up the same sequence."""
    query = await server.query()
    for asked in ({}, {"recursive": True}, {"query": query}):
        whole = await _all(server, asked, _SIZES[-1])
        for size in _SIZES[:-1]:
            got = await _all(server, asked, size)
            must(got == whole, f"list {asked} in pages of {size} differs from pages of {_SIZES[-1]}")


async def _all(server: Server, asked: dict[str, Any], size: int) -> list[Any]:
    entries: list[Any] = []
    cursor: str | None = None
    while len(entries) < _MOST:
        page = await server.answer("list", **asked, limit=size, **({"cursor": cursor} if cursor else {}))
        must(len(page["nodes"]) + len(page["tools"]) <= size, f"a page of {size} holds more")
        entries += [*page["nodes"], *page["tools"]]
        cursor = page["next_cursor"]
        if not cursor:
            break
    return sorted(map(str, entries[:_MOST])) if "query" in asked else list(map(str, entries[:_MOST]))


async def limits_are_kept(server: Server) -> None:
    """E-13: a limit above 50 is 50 with a warning; 0 and words are refused."""
    page = await server.answer("list", limit=500, recursive=True)
    must(len(page["nodes"]) + len(page["tools"]) <= _SIZES[-1], "limit 500 gives more than 50")
    must(page.get("warnings"), "limit 500 gives no warning")
    for limit in (0, "ten", -1):
        await server.follow(await server.error("list", {"limit": limit}, "INVALID_REQUEST"))


async def paths_are_folded(server: Server) -> None:
    """E-10: a path matches in another case; a prefix of a name never does, and its next action works."""
    nodes = (await server.answer("list"))["nodes"]
    if not nodes:
        raise LookupError("the root has no nodes")
    path = nodes[0]["path"]
    name = str(path[-1])
    must((await server.answer("list", path=[name.upper()]))["path"] == path, f"{name.upper()!r} is not {path}")
    prefix = name[:-1] or "zz"
    if prefix.casefold() not in {str(node["name"]).casefold() for node in nodes}:
        await server.follow(await server.error("list", {"path": [prefix]}, "UNKNOWN_PATH"))


async def confidence_is_a_probability(server: Server) -> None:
    """E-21: confidence has two decimals, lies between 0 and 1 and never rises with rank."""
    found = await server.answer("search_tool_by_category", query=await server.query(), limit=50)
    chances = [one["confidence"] for one in found["results"]]
    must(all(0 <= chance <= 1 and round(chance, 2) == chance for chance in chances), f"confidence is {chances}")
    must(chances == sorted(chances, reverse=True), f"confidence rises: {chances}")


async def confidence_stays(server: Server) -> None:
    """E-21: confidence of a tool is the same for every limit."""
    query = await server.query()
    many = await server.answer("search_tool_by_category", query=query, limit=50)
    one = await server.answer("search_tool_by_category", query=query, limit=1)
    must(one["results"][0] == many["results"][0], "the first result depends on the limit")


async def nothing_found_is_told(server: Server) -> None:
    """E-17, E-19: a search that finds nothing is NO_MATCH_IN_CATEGORY, one for nodes is empty with a warning."""
    query = "qzxv wkjp " * 3
    error = await server.error("search_tool_by_category", {"query": query}, "NO_MATCH_IN_CATEGORY")
    await server.follow(error)
    found = await server.answer("search_nodes", query=query)
    must(found["results"] == [] and found.get("warnings"), f"search_nodes gives {found}")


async def queries_are_said(server: Server) -> None:
    """E-20: an empty or blank query is refused."""
    for op in ("search_tool_by_category", "search_nodes", "list"):
        for query in ("", "  "):
            await server.error(op, {"query": query}, "INVALID_REQUEST")


async def cursors_are_sealed(server: Server) -> None:
    """E-26: a cursor that was changed, or belongs to another request, is INVALID_CURSOR; its next action works."""
    page = await server.answer("list", recursive=True, limit=1)
    cursor = page["next_cursor"]
    if not cursor:
        raise LookupError("the catalog has one entry")
    changed = cursor[:-2] + ("AA" if cursor[-2:] != "AA" else "BB")
    for asked in ({"recursive": True, "cursor": changed}, {"cursor": cursor, "depth": 2}):
        await server.follow(await server.error("list", asked, "INVALID_CURSOR"))


FINDING = (
    root_is_listed,
    limits_are_kept,
    paths_are_folded,
    pages_are_exact,
    cursors_are_sealed,
    confidence_is_a_probability,
    confidence_stays,
    nothing_found_is_told,
    queries_are_said,
)

__all__ = ["FINDING", "Deviation"]
