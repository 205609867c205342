"""Whatever a source calls its areas, names on one level are told apart by more than case and punctuation (E-5)."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from gateways import Opener

from periplus.core import connect
from periplus.core.gateway import Gateway
from periplus.core.intake import plan
from periplus.core.survey import View
from periplus.core.taxonomy import CAPABILITIES, read_taxonomy
from periplus.model import Code, FindingCode, Problem, SourceSpec, fold
from sites import Site, api

_NAMES = ("Users/listUsers", "users/dropUser", "user-s/banUser", "Users/addUser", "ships/getShip")
_PYTHON = """
from periplus.provider import Registry

quay = Registry("quay")
quay.category("Ships", "Ships", description="Large ones.")
quay.category("ships", "ships", description="Small ones.")


@quay.tool(category="Ships", effect="read")
def find_ship(name: str) -> str:
    "Find a large ship."


@quay.tool(category="ships", effect="read")
def find_boat(name: str) -> str:
    "Find a small ship."
"""


def openapi(site: Site, folder: Path) -> SourceSpec:
    site.write("/api.json", json.dumps(api(*_NAMES)))
    return SourceSpec(id="quay", url=site.url("/api.json"))


def python(site: Site, folder: Path) -> SourceSpec:
    (folder / "quay_tools.py").write_text(_PYTHON)
    return SourceSpec(id="quay", kind="python", url=f"{folder}/quay_tools.py")


def graphql(site: Site, folder: Path) -> SourceSpec:
    fields = [f"{verb}{kind}: {kind}" for kind in ("Ship", "SHIP") for verb in ("get", "find", "first")]
    kinds = "type Ship { id: ID! } type SHIP { id: ID! }"
    (folder / "quay.graphql").write_text(f"type Query {{ {' '.join(fields)} }} {kinds}")
    return SourceSpec(id="quay", kind="graphql", url=str(folder / "quay.graphql"))


def manifest(site: Site, folder: Path) -> SourceSpec:
    tools = [
        {"name": f"tool{n}", "description": "Does it.", "category": name} for n, name in enumerate(("Ships", "ships"))
    ]
    site.write("/tools/list", json.dumps({"version": "1", "tools": tools}))
    return SourceSpec(id="quay", kind="manifest", url=site.url("/tools/list"))


async def levels(gateway: Gateway, tree: str = "") -> Counter[tuple[str, str]]:
    """How many nodes have one normal form on one level."""
    found: Counter[tuple[str, str]] = Counter()
    open_ = [""]
    while open_:
        path = open_.pop()
        page = await gateway.survey(View(tree=tree, path=path, tools=False), limit=50)
        nodes = [entry.node for entry in page.entries if entry.node]
        found.update((path, fold(node.name)) for node in nodes)
        open_ += [node.path.removeprefix(tree).strip("/") for node in nodes]
    return found


@pytest.mark.parametrize("source", [openapi, python, graphql, manifest])
async def test_no_level_has_two_names_that_fold_alike_whichever_kind_brought_them(
    opened: Opener, site: Site, tmp_path: Path, source: Callable[[Site, Path], SourceSpec]
) -> None:
    async with opened() as gateway:
        report = await gateway.connect(source(site, tmp_path))
        found = await levels(gateway)
        assert max(found.values()) == 1
        assert len(found) > 2
        assert FindingCode.NAME_COLLISION in {finding.code for finding in report.problems}


async def test_the_first_keeps_its_name_and_the_others_say_whose_they_are(
    opened: Opener, site: Site, tmp_path: Path
) -> None:
    async with opened() as gateway:
        await gateway.connect(openapi(site, tmp_path))
        areas = {node.name: node.tools for node in (await gateway.browse("quay")).nodes}
        assert areas == {"Users": 2, "ships": 1, "user-s_quay": 1, "users_quay_2": 1}
        as_told = {
            "quay/Users": "Users",
            "quay/USERS": "Users",
            "quay/users": "users_quay_2",
            "quay/user-s": "user-s_quay",
        }
        for written, name in as_told.items():
            assert (await gateway.browse(written)).node.name == name
        again = await gateway.connect(openapi(site, tmp_path), refresh=True)
        assert (again.counts.changed, again.counts.removed) == (0, 0)
        assert {node.name: node.tools for node in (await gateway.browse("quay")).nodes} == areas


async def test_what_a_source_says_of_an_area_goes_with_it(opened: Opener, site: Site, tmp_path: Path) -> None:
    async with opened() as gateway:
        await gateway.connect(python(site, tmp_path))
        told = {node.name: node.summary for node in (await gateway.browse("quay")).nodes}
        assert told == {"Ships": "Large ones.", "ships_quay": "Small ones."}


async def test_a_newcomer_gets_the_longer_name_and_nobody_moves(opened: Opener, site: Site) -> None:
    """S-21 of areas: `Users` sorts before `users`, and comes later."""
    async with opened() as gateway:
        for names in (("users/dropUser",), ("users/dropUser", "Users/addUser")):
            site.write("/api.json", json.dumps(api(*names)))
            await gateway.connect(SourceSpec(id="quay", url=site.url("/api.json")))
        assert [node.name for node in (await gateway.browse("quay")).nodes] == ["Users_quay", "users"]
        assert str((await gateway.describe("dropUser")).ref) == "quay/users/dropUser"
        assert str((await gateway.describe("addUser")).ref) == "quay/Users_quay/addUser"


async def test_a_catalog_of_an_earlier_release_is_placed_anew_and_every_ref_stays(
    opened: Opener, site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only the place moves: refs, versions and what was shown of them hold, also for rules that name refs."""
    spec = openapi(site, tmp_path)
    with monkeypatch.context() as earlier:
        earlier.setattr(connect, "READER", connect.READER - 1)
        earlier.setattr(plan, "told_apart", lambda *_, **__: {})
        earlier.setattr("periplus.core.intake.placing.told_apart", lambda *_, **__: {})
        async with opened() as gateway:
            await gateway.connect(spec)
            before = {str(tool.ref): (tool.version, tool.schema_hash) async for tool in gateway.tools()}
            assert "quay/users" in {node.path for node in (await gateway.browse("quay")).nodes}
    async with opened() as gateway:
        await gateway.sync("quay")
        assert max((await levels(gateway)).values()) == 1
        assert {str(tool.ref): (tool.version, tool.schema_hash) async for tool in gateway.tools()} == before
        (moved,) = (await gateway.browse("quay/users_quay_2")).tools
        assert str(moved.ref) == "quay/users/dropUser"


async def test_parts_of_a_divided_area_and_areas_of_work_are_told_apart_too(opened: Opener, site: Site) -> None:
    """E-5 beside E-6 and E-7: a part is called like an area below it, a source like an area of work."""
    names = [
        f"things/{verb}{noun}{n}" for n in range(12) for verb in ("get", "list") for noun in ("Ship", "Berth", "Crane")
    ]
    document: dict[str, Any] = api(*names, "misc/xyzzy")
    document["paths"]["/odd"] = {
        "get": {"operationId": "odd", "tags": ["things:Ship"], "responses": {"200": {"description": "x"}}}
    }
    site.write("/api.json", json.dumps(document))
    async with opened(expansion__root="capability") as gateway:
        await gateway.connect(SourceSpec(id="finance", url=site.url("/api.json")))
        assert {node.name for node in (await gateway.browse("finance/things")).nodes} == {
            "Ship",
            "berth",
            "crane",
            "ship_finance",
        }
        assert max((await levels(gateway)).values()) == 1
        assert max((await levels(gateway, CAPABILITIES)).values()) == 1


async def test_sources_that_differ_only_in_hyphens_are_refused_and_unnamed_ones_numbered(
    opened: Opener, site: Site
) -> None:
    """E-5 at the root, M-7."""
    site.write("/api.json", json.dumps(api("ships/getShip")))
    site.write("/a-pi.json", json.dumps(api("ships/getShip")))
    async with opened() as gateway:
        await gateway.connect(SourceSpec(id="quay-1", url=site.url("/api.json")))
        with pytest.raises(Problem, match="differ only in hyphens") as caught:
            await gateway.connect(SourceSpec(id="quay1", url=site.url("/a-pi.json")))
        assert caught.value.code is Code.BAD_INPUT
        await gateway.connect(SourceSpec(id="quay-1", url=site.url("/api.json")), refresh=True)
        await gateway.connect(SourceSpec(url=site.url("/a-pi.json")))
        assert len(await gateway.sources()) == 2
        assert max((await levels(gateway)).values()) == 1


def test_a_taxonomy_that_calls_two_areas_alike_is_refused() -> None:
    with pytest.raises(Problem, match="differ only in case or punctuation"):
        read_taxonomy({"Finance/Invoices": {}, "finance/Taxes": {}}, "areas.toml")
