"""What of a native site arrives: all of it, by whichever way it can be had."""

from __future__ import annotations

import resource
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from landmarks import MANIFEST, SEARCH, NativeSite, action, as_text, city, everything, native, parameter, read

from periplus.model import Code, Effect, FindingCode, Problem, Reading, SourceSpec, Unchanged
from periplus.ports import ReadLimits
from periplus.sources.native import NativeSource
from periplus.testing.source_wires import wires_of


@pytest.fixture
def site() -> Iterator[NativeSite]:
    with native(*city(8, 30)) as made:
        yield made


def ids(site: NativeSite) -> set[str]:
    return {each["id"] for each in site.actions}


def codes(reading: Reading) -> list[FindingCode]:
    return [finding.code for finding in reading.findings]


async def test_a_large_site_arrives_whole_with_few_requests(site: NativeSite) -> None:
    """H-76"""
    site.put(city(400, 50))
    reading, drafts = await everything(site.base)
    assert drafts.keys() == ids(site)
    assert len(drafts) == 20_000
    assert len(reading.nodes) == 400 * 4
    assert reading.findings == []
    assert len(site.asked) < 12
    assert site.most_at_once <= 4


@pytest.mark.slow
async def test_the_largest_site_arrives_whole(site: NativeSite) -> None:
    """H-76: 99 750 actions, without holding them as objects."""
    site.put(city(1330, 75))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    reading = await read(site.base)
    assert isinstance(reading, Reading)
    assert {draft.key for draft in reading.drafts} == ids(site)
    assert len(ids(site)) == 99_750
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 400_000  # kB, the site's own answers included


@pytest.mark.parametrize("page", [1, 7, 30, 239, 240])
async def test_pages_are_followed_by_what_was_received(site: NativeSite, page: int) -> None:
    """H-76"""
    site.page = page
    _, drafts = await everything(site.base)
    assert drafts.keys() == ids(site)
    assert site.most_at_once <= 4


async def test_a_site_without_search_is_walked(site: NativeSite) -> None:
    """H-76, H-78: a missing search endpoint is not a crash."""
    site.search, site.page = False, 7
    reading, drafts = await everything(site.base)
    assert drafts.keys() == ids(site)
    assert reading.findings == []


async def test_what_the_search_does_not_know_is_found_in_its_area(site: NativeSite) -> None:
    """H-76: a child count above what arrived."""
    site.forgets = {"District_3:water:tool_1", "District_5:energy:tool_9"}
    reading, drafts = await everything(site.base)
    assert drafts.keys() == ids(site)
    assert reading.findings == []
    assert sum("landmark_id" in asked for asked in site.asked) == 2


async def test_a_site_of_text_alone_arrives_whole(site: NativeSite) -> None:
    """H-76: finally by parsing markdown."""
    site.texts, site.page = True, 7
    _, drafts = await everything(site.base)
    assert drafts.keys() == ids(site)
    assert drafts["District_0:water:tool_1"].args_schema == {
        "type": "object",
        "properties": {"unit": {"type": "integer"}},
        "required": ["unit"],
        "additionalProperties": False,
    }
    site.search = False
    _, walked = await everything(site.base)
    assert walked.keys() == ids(site)


async def test_one_action_that_its_site_cannot_write_costs_no_other(site: NativeSite) -> None:
    """S-3: a page that fails is taken in smaller pieces, and what breaks it as text."""
    site.put(city(40, 50))
    site.page, site.fails = 500, {"District_3:water:tool_1", "District_9:energy:tool_0"}
    reading, drafts = await everything(site.base)
    assert drafts.keys() == ids(site)
    assert reading.findings == []
    assert len(site.asked) < 150


async def test_a_site_that_fails_at_its_first_page_is_read_all_the_same(site: NativeSite) -> None:
    """S-3"""
    site.put([action("broken"), *city(4, 10)])
    site.fails = {"broken"}
    _, drafts = await everything(site.base)
    assert drafts.keys() == ids(site)


async def test_what_cannot_be_read_at_all_is_told_and_looked_for_again(site: NativeSite) -> None:
    """S-4: operations are tools and what was skipped; what came in part is not taken for unchanged."""
    site.fails = {"District_3:water:tool_1"}
    site.actions[3 * 30 + 1]["description"] = "\n### LANDMARK TOPOLOGY"
    site.actions[3 * 30 + 1]["parameters"] = []
    real = site._answered

    def refuse_text(request: Any, landmarks: list[dict[str, Any]]) -> Any:
        text = request.query_params.get("format") == "markdown"
        return site._answer_missing() if text else real(request, landmarks)

    site._answered = refuse_text  # type: ignore[method-assign]
    reading, drafts = await everything(site.base)
    assert drafts.keys() == ids(site) - site.fails
    assert sum(finding.count for finding in reading.findings if finding.skipped) == 1
    assert [f.where for f in reading.findings if not f.skipped] == [f"{site.base}{MANIFEST}#/District_3:water"]
    site.fails = set()
    again = await read(site.base, known=reading.document)
    assert isinstance(again, Reading)
    assert len(list(again.drafts)) == len(ids(site))


IDS = st.lists(st.sampled_from("abc"), max_size=4).map(lambda names: ":".join([*names, "do"]))


@settings(max_examples=150, deadline=None)
@given(
    ids_=st.sets(IDS, min_size=1, max_size=40),
    page=st.integers(1, 50),
    search=st.booleans(),
    texts=st.booleans(),
    forgotten=st.sets(IDS, max_size=5),
    broken=st.sets(IDS, max_size=3),
)
def test_always_every_action_arrives_or_is_told(
    ids_: set[str], page: int, *, search: bool, texts: bool, forgotten: set[str], broken: set[str]
) -> None:
    """H-76, S-4: whatever a site's pages hold, and whichever of them it fails over."""
    made = NativeSite([action(id_) for id_ in sorted(ids_)])
    made.page, made.search, made.texts = page, search, texts
    made.forgets, made.fails = forgotten, broken
    spec = SourceSpec(id="harbour", kind="native", url="https://harbour.example.com")
    try:
        reading = anyio.run(NativeSource().read, spec, wires_of(made.page_of), None)
    except Problem as problem:
        assert problem.code is Code.UPSTREAM_ERROR and made.fails  # noqa: PT017, PT018 - nothing at all could be had
        return
    assert isinstance(reading, Reading)
    came = {draft.key for draft in reading.drafts}
    assert came <= ids(made)
    assert came == ids(made) or reading.findings
    assert came >= ids(made) - made.fails or not search


async def test_a_site_that_begins_at_the_start_every_time_does_not_go_on_for_ever(site: NativeSite) -> None:
    """H-76: what its search and its areas cannot give is told."""
    site.page, site.ignores_offset = 30, True
    reading, drafts = await everything(site.base)
    assert drafts.keys() == ids(site)  # an area of ten fits on a page
    site.page = 7
    reading, drafts = await everything(site.base)
    assert drafts.keys() < ids(site)
    assert FindingCode.MISSING_MEMBER in codes(reading)
    assert len(site.asked) < 300


async def test_a_passing_fault_is_asked_again(site: NativeSite) -> None:
    """H-76: resumable"""
    site.down = 2
    _, drafts = await everything(site.base)
    assert drafts.keys() == ids(site)


async def test_a_site_that_is_down_keeps_what_was_read(site: NativeSite) -> None:
    """S-108"""
    site.down = 99
    with pytest.raises(Problem) as caught:
        await read(site.base)
    assert caught.value.code is Code.UNAVAILABLE


async def test_a_site_whose_search_only_fails_is_walked_without_asking_for_ever(site: NativeSite) -> None:
    """S-3"""
    real = site._answer

    def broken_search(request: Any) -> Any:
        site_has = SEARCH not in request.url.path
        return real(request) if site_has else site._answer_broken()

    site._answer = broken_search  # type: ignore[method-assign]
    _, drafts = await everything(site.base)
    assert drafts.keys() == ids(site)
    assert len(site.asked) < 80


@pytest.mark.parametrize("address", ["", "/", MANIFEST, "/.well-known/elemm-inspect.md", f"{MANIFEST}?landmark_id=x"])
async def test_every_spelling_of_an_address_leads_to_the_site(site: NativeSite, address: str) -> None:
    """H-16"""
    reading, drafts = await everything(site.base + address)
    assert drafts.keys() == ids(site)
    assert reading.site == {"base": site.base, "execute": "/.well-known/elemm/execute", "query": ""}
    assert (reading.document.title, reading.instructions) == ("Harbour", "Quote before you reserve.")


async def test_an_action_keeps_everything_that_was_declared(site: NativeSite) -> None:
    """H-77, S-100"""
    ship = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
    site.put(
        [
            action(
                "berths:prices:quote",
                description="Quotes a price.",
                parameters=[
                    parameter("berth", required=True, description="Berth code", aliases=["code"]),
                    parameter("state", options=["free", "taken"], default="free"),
                    parameter("level", options=[1, 2]),
                    parameter("days", "array", options=["mon", "tue"]),
                    parameter("ship", "object", options=ship),
                    parameter("ships", "array", options=ship),
                    parameter("odd", "whatever", description="Parameter: odd"),
                ],
                outputSchema={"type": "object", "properties": {"cost": {"type": "number"}}},
                remedy="Ask the office.",
                instructions="In euros.",
            )
        ]
    )
    site.described = {"berths": "Places for ships.", "berths:prices": "Area: berths:prices"}
    reading, drafts = await everything(site.base)
    draft = drafts["berths:prices:quote"]
    assert (draft.leaf, draft.areas, draft.aliases) == ("quote", (("berths", "prices"),), ("berths:prices:quote",))
    assert draft.description == "Quotes a price.\n\nIn euros."
    assert draft.args_schema == {
        "type": "object",
        "properties": {
            "berth": {"type": "string", "description": "Berth code (also called code)"},
            "state": {"type": "string", "enum": ["free", "taken"], "default": "free"},
            "level": {"enum": [1, 2]},
            "days": {"type": "array", "items": {"enum": ["mon", "tue"]}},
            "ship": ship,
            "ships": {"type": "array", "items": ship},
            "odd": {},
        },
        "required": ["berth"],
        "additionalProperties": False,
    }
    assert draft.result_schema == {"type": "object", "properties": {"cost": {"type": "number"}}}
    assert draft.metadata == {"timeout": 60, "remedy": "Ask the office.", "instructions": "In euros."}
    assert draft.binding == {"kind": "native", "method": "POST", "action": "berths:prices:quote"}
    assert [(node.path, node.description) for node in reading.nodes] == [
        (("berths",), "Places for ships."),
        (("berths", "prices"), ""),
    ]


@pytest.mark.parametrize(
    ("meta", "trusted", "expected"),
    [
        ({}, True, (Effect.WRITE, False)),
        ({"method": "get"}, True, (Effect.READ, False)),
        ({"method": "get"}, False, (Effect.WRITE, False)),
        ({"method": "DELETE"}, False, (Effect.DESTROY, False)),
        ({"method": "FROB"}, True, (Effect.WRITE, False)),
        ({"effect": "read"}, True, (Effect.READ, True)),
        ({"effect": "read"}, False, (Effect.WRITE, False)),
        ({"effect": "destroy"}, False, (Effect.DESTROY, True)),
        ([], True, (Effect.WRITE, False)),
    ],
)
async def test_what_an_action_does_is_told_by_its_meta(
    site: NativeSite, meta: Any, *, trusted: bool, expected: Any
) -> None:
    """H-77, S-29"""
    site.put([action("act", meta=meta)])
    _, drafts = await everything(site.base, trust_annotations=trusted)
    assert (drafts["act"].effect, drafts["act"].effect_declared) == expected


async def test_an_unchanged_site_costs_two_requests(site: NativeSite) -> None:
    """H-79"""
    reading, _ = await everything(site.base)
    site.asked.clear()
    assert isinstance(await read(site.base, known=reading.document), Unchanged)
    assert len(site.asked) == 2
    site.put([*city(8, 30), action("District_7:water:late")])
    _, drafts = await everything(site.base, known=reading.document)
    assert "District_7:water:late" in drafts


async def test_a_site_with_an_etag_is_asked_conditionally(site: NativeSite) -> None:
    """H-79, S-106"""
    site.validator = True
    reading, _ = await everything(site.base)
    site.asked.clear()
    assert isinstance(await read(site.base, known=reading.document), Unchanged)
    assert len(site.asked) == 1


async def test_every_request_carries_what_the_operator_set(site: NativeSite) -> None:
    """H-78, H-98"""
    await everything(site.base, headers={"Authorization": "Bearer x"}, query={"tenant": "t1"})
    assert all(headers.get("authorization") == "Bearer x" for headers in site.headers)
    assert all("tenant=t1" in asked for asked in site.asked)


@pytest.mark.parametrize(
    "landmark", [None, 7, "x", [], {}, {"id": None}, {"id": 7}, {"id": ""}, {"id": " : "}, {"id": ["a"]}]
)
async def test_an_entry_without_an_id_costs_itself(site: NativeSite, landmark: Any) -> None:
    """S-3, S-4"""
    site.put([action("one")])
    site._known["action"] = [action("one"), landmark, action("two")]
    site._below[""] = {"one": action("one"), "two": action("two")}
    reading, drafts = await everything(site.base)
    assert drafts.keys() == {"one", "two"}
    assert [finding.skipped for finding in reading.findings if finding.code is FindingCode.BAD_OPERATION] == [True]


@pytest.mark.parametrize(
    "written", [None, 7, "x", {}, [None], [{"name": 7}], [{"name": "a", "type": []}, {"name": "a"}]]
)
async def test_odd_parameters_cost_themselves(site: NativeSite, written: Any) -> None:
    """S-3"""
    site.put([action("one", parameters=written), action("two")])
    _, drafts = await everything(site.base)
    assert drafts.keys() == {"one", "two"}
    assert drafts["one"].args_schema["type"] == "object"


async def test_more_actions_than_the_limit_are_refused_by_name(site: NativeSite) -> None:
    """S-6"""
    with pytest.raises(Problem) as caught:
        await read(site.base, limits=ReadLimits(operations=239))
    assert caught.value.code is Code.OVER_LIMIT
    assert "operations" in caught.value.hints[0]


async def test_a_description_in_a_file_is_read_without_a_site(tmp_path: Path) -> None:
    """S-9, S-51"""
    (tmp_path / "site.md").write_text(as_text([action("berths:list")], 1, 1))
    reading, drafts = await everything(str(tmp_path / "site.md"))
    assert drafts.keys() == {"berths:list"}
    assert codes(reading) == [FindingCode.NO_SERVER]
    assert isinstance(await read(str(tmp_path / "site.md"), known=reading.document), Unchanged)


@pytest.mark.parametrize("body", ["<html>LANDMARK TOPOLOGY</html>", "{}", '{"landmarks": 7}', "", "[1]", "{", "hello"])
async def test_what_is_no_page_of_a_site_is_told(tmp_path: Path, body: str) -> None:
    """S-9"""
    (tmp_path / "site.md").write_text(body)
    with pytest.raises(Problem) as caught:
        await read(str(tmp_path / "site.md"))
    assert caught.value.code is Code.PARSE_ERROR
