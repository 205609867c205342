"""Where tools stand beyond what their source says: divided areas (E-7), and areas of work (E-6)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from gateways import Opener

from periplus.core.survey import View
from periplus.core.taxonomy import CAPABILITIES
from periplus.model import Code, Problem, SourceSpec
from sites import Site, api

_VERBS = ("get", "list", "create", "delete")


def names(count: int) -> list[str]:
    return [f"things/{verb}{noun}{n}" for n in range(count) for verb in _VERBS for noun in ("Ship", "Berth", "Crane")]


async def test_a_tool_keeps_its_ref_when_its_area_is_divided_and_when_it_is_whole_again(
    opened: Opener, site: Site
) -> None:
    """E-7, S-21, S-27: a read that only moves tools changes no version."""
    async with opened() as gateway:

        async def read(count: int) -> str:
            site.write("/api.json", json.dumps(api(*names(count))))
            report = await gateway.connect(SourceSpec(id="quay", url=site.url("/api.json")), accept=True)
            tool = await gateway.describe("quay/things/getShip0")
            assert (str(tool.ref), tool.version) == ("quay/things/getShip0", "1.0.0")
            assert report.counts.changed == 0
            return tool.paths[0]

        assert await read(3) == "things"
        assert await read(12) == "things/ship"
        assert [node.name for node in (await gateway.browse("quay/things")).nodes] == ["berth", "crane", "ship"]
        found = await gateway.search("get ship 0", path="quay/things/ship")
        assert str(found.hits[0].ref).startswith("quay/things/")
        assert await read(3) == "things"
        assert (await gateway.browse("quay/things")).nodes == ()


async def test_the_limit_is_a_setting_and_another_one_places_stored_sources_anew(opened: Opener, site: Site) -> None:
    site.write("/api.json", json.dumps(api(*names(3))), validator="etag")
    spec = SourceSpec(id="quay", url=site.url("/api.json"))
    async with opened() as gateway:
        await gateway.connect(spec)
        assert (await gateway.browse("quay/things")).nodes == ()
    async with opened(catalog__max_fanout=20) as gateway:
        await gateway.sync("quay")
        assert len((await gateway.browse("quay/things")).nodes) == 3


async def test_every_tool_stands_in_an_area_of_work_whichever_source_it_came_from(opened: Opener, site: Site) -> None:
    """E-6: shared nodes count the tools of all sources, and lose them with their source."""
    site.write("/shop.json", json.dumps(api("orders/createOrder", "orders/refundPayment", title="Shop")))
    site.write("/bank.json", json.dumps(api("money/listInvoices", "money/xyzzy", title="Elsewhere")))
    async with opened(expansion__root="capability") as gateway:
        for name in ("shop", "bank"):
            await gateway.connect(SourceSpec(id=name, url=site.url(f"/{name}.json")))
        view = View(tree=CAPABILITIES)

        async def roots() -> dict[str, int]:
            page = await gateway.survey(view, limit=50)
            return {entry.node.name: entry.node.tools for entry in page.entries if entry.node}

        assert await roots() == {"Finance": 2, "Commerce": 1, "bank": 1}
        below = await gateway.survey(View(tree=CAPABILITIES, path="Finance"), limit=50)
        assert {entry.node.name: entry.node.tools for entry in below.entries if entry.node} == {"bank": 1, "shop": 1}
        found = await gateway.survey(View(tree=CAPABILITIES, path="Finance", goal="refund a payment"))
        assert {entry.place for entry in found.entries if entry.line} == {f"{CAPABILITIES}/Finance/shop"}
        assert [node.name for node in (await gateway.browse()).nodes] == ["bank", "shop"]
        await gateway.disconnect("bank")
        assert await roots() == {"Finance": 1, "Commerce": 1}


async def test_a_taxonomy_of_ones_own_goes_by_refs_tags_and_words(opened: Opener, site: Site, tmp_path: Path) -> None:
    """E-6: what fits nowhere stands under its source."""
    file = tmp_path / "areas.toml"
    file.write_text('["Harbour/Places"]\nwords = ["berth"]\n["Office"]\ntags = ["staff*"]\nrefs = ["*/misc/odd"]\n')
    site.write("/api.json", json.dumps(api("berths/getBerth", "staffing/x", "misc/odd", "misc/other")))
    async with opened(expansion__root="capability", catalog__taxonomy=str(file)) as gateway:
        await gateway.connect(SourceSpec(id="quay", url=site.url("/api.json")))
        page = await gateway.survey(View(tree=CAPABILITIES, recursive=True), limit=50)
        assert {entry.id: entry.place.removeprefix(f"{CAPABILITIES}/") for entry in page.entries if entry.line} == {
            "quay/berths/getBerth": "Harbour/Places/quay",
            "quay/staffing/x": "Office/quay",
            "quay/misc/odd": "Office/quay",
            "quay/misc/other": "quay",
        }


@pytest.mark.parametrize(
    ("text", "word"),
    [("x", "not valid TOML"), ('["A/"]\nwords = ["x"]', "'A/'"), ('["A"]\nword = []', "word"), ("", "no areas")],
)
async def test_a_taxonomy_that_is_none_says_why(opened: Opener, tmp_path: Path, text: str, word: str) -> None:
    (tmp_path / "areas.toml").write_text(text)
    with pytest.raises(Problem) as caught:
        async with opened(expansion__root="capability", catalog__taxonomy=str(tmp_path / "areas.toml")):
            pass
    assert caught.value.code is Code.BAD_SETTING
    assert word in caught.value.message


async def test_real_documents_stand_where_people_look_for_them(opened: Opener, shared: Path) -> None:
    """E-6: the general taxonomy, on documents nobody wrote for it."""
    wanted = {
        "github-api.github.com-full-3.0.json": "Code",
        "stripe-2022-11-15-3.0.yaml": "Finance",
        "spotify-web-official-3.0.yml": "Media",
        "twilio-api-v2010-3.0.json": "Communication",
        "google-gmail-v1-3.0.yaml": "Communication",
        "trello-1.0-3.0.yaml": "Projects",
        "kubernetes-core-v1-3.0.json": "Infrastructure",
        "weatherbit-2.0.0-2.0.yaml": "Weather",
        "docusign-v2.1-3.0.yaml": "Documents",
        "superset-v1-3.0.yaml": "Data",
        "fec-1.0-3.0.yaml": "Government",
        "discord-api-3.1.json": "Communication",
        "qdrant-1.18-3.0.json": "Data",
        "bungie-2.18.0-recursive-3.0.yaml": "Play",
        "tmdb-3-3.0.json": "Media",
        "gitea-v1-2.0.json": "Code",
        "medium-1.0-undeclared-pathparams.yaml": "Publishing",
        "redocly-museum-3.1.yaml": "Travel",
        "redocly-cafe-3.2.yaml": "Commerce",
        "adyen-checkout-v71-3.1.json": "Finance",
        "statsocial-1.0.0-danglingrefs.yaml": "Analytics",
    }
    async with opened(expansion__root="capability") as gateway:
        for number, (file, area) in enumerate(wanted.items()):
            await gateway.connect(SourceSpec(id=f"s{number}", url=str(shared / "data" / "openapi" / file)))
            page = await gateway.survey(View(tree=CAPABILITIES, path=f"{area}/s{number}", tools=False))
            tools = page.node.tools
            others = [
                other.node.tools
                for top in (await gateway.survey(View(tree=CAPABILITIES), limit=50)).entries
                if top.node and top.node.name != area
                for other in (await gateway.survey(View(tree=CAPABILITIES, path=top.node.name), limit=50)).entries
                if other.node and other.node.name == f"s{number}"
            ]
            assert tools > max(others, default=0), (file, tools, others)
