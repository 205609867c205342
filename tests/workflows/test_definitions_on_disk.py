"""Definitions as files: three formats, every fault listed, a fault costs the smallest thing it spoils."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest
from walking import SAMPLES, Walker, needs_samples, put, walking

from periplus.model import Code, Problem

ROLES = "executionModel: {roles: [{id: a, description: A}]}\n"
HEAD = f"version: 1.0.0\ntitle: T\n{ROLES}"
ACTIVITY = "version: 1.0.0\nname: One\n"


async def problems(agent: Walker) -> list[tuple[str, str, str]]:
    reply = await agent.reply("list_workflows")
    assert reply.structured is not None
    return [(one["severity"], one["code"], one["file"]) for one in reply.structured["problems"]]


async def listed(agent: Walker) -> dict[str, str]:
    return {one["id"]: one.get("status", "ok") for one in await agent.plain("list_workflows")}


@needs_samples
async def test_every_sample_loads_and_nothing_of_it_is_lost(tmp_path: Path) -> None:
    """W-24, W-122: what each file says is in what is served."""
    import toon_format  # noqa: PLC0415 - only this test reads them a second time

    async with walking(tmp_path, dir=(str(SAMPLES),)) as agent:
        reply = await agent.reply("list_workflows")
        assert reply.structured is not None
        assert {one["code"] for one in reply.structured["problems"]} <= {
            *("unknown_key", "unresolved_skill", "unresolved_workflow", "dangling_target"),
        }
        snapshot = await agent.gateway.workflows.snapshot(agent.principal)
        files = 0
        for one in snapshot.definitions:
            parts = [*one.activities.values(), *one.skills.values()]
            for part in parts:
                if not one.shipped:
                    raw = toon_format.decode((SAMPLES / part.file).read_text())
                    assert holds_all_of(part.body, raw), part.file
                    files += 1
        assert files == len(list(SAMPLES.rglob("*/*/*.toon")))


def holds_all_of(served: Any, raw: Any) -> bool:
    if isinstance(raw, dict):
        return all(name in served and holds_all_of(served[name], value) for name, value in raw.items())
    if isinstance(raw, list):
        return len(served) == len(raw) and all(map(holds_all_of, served, raw))
    return bool(served == raw)


@needs_samples
@pytest.mark.parametrize("id_", ["meta", "prism-evaluate", "work-packages", "workflow-design"])
async def test_the_default_way_through_every_sample_works(tmp_path: Path, id_: str) -> None:
    """W-122: first options, suggested transitions, all skills and resources on the way."""
    async with walking(tmp_path, dir=(str(SAMPLES),)) as agent:
        await agent.start(id_)
        await agent.ask("get_skills")
        workflow = await agent.ask("get_workflow")
        body = await agent.enter(workflow.get("initialActivity") or workflow["activities"][0]["id"])
        seen: list[str] = []
        while body["id"] not in seen:
            seen.append(body["id"])
            manifest = await worked(agent, body)
            following = await answered(agent, body)
            if not following.get("suggested") or following["suggested"] not in {
                x["id"] for x in workflow["activities"]
            }:
                break
            body = await agent.enter(following["suggested"], step_manifest=manifest)
            assert [text for text in agent.warnings if "direct transition" in text or "steps" in text] == []
        assert len(seen) >= 1
        assert len(agent.token) < 1000
        assert (await agent.gateway.trail.verify()).faults == ()


async def worked(agent: Walker, body: dict[str, Any]) -> list[dict[str, str]]:
    """Read what belongs to each step, and report it."""
    for step in body.get("steps", ()):
        reply = await agent.reply("get_skill", session_token=agent.token, step_id=step["id"])
        if reply.problem:
            assert "has no associated skill" in reply.text or "Skill not found" in reply.text
            continue
        assert reply.structured is not None
        agent.token = reply.structured["session_token"]
        for one in reply.structured["skill"].get("_resources", ()):
            if not one.get("missing"):
                await agent.ask("get_resource", resource_index=one["index"])
    return [{"step_id": step["id"], "output": "done"} for step in body.get("steps", ())]


async def answered(agent: Walker, body: dict[str, Any]) -> dict[str, Any]:
    following: dict[str, Any] = body["next"]
    for id_ in following["pending"]:
        shown = await agent.ask("get_checkpoint", activity_id=body["id"], checkpoint_id=id_)
        replied = await agent.answer(id_, shown["options"][0]["id"])
        following = replied.get("next", following)
    return following


async def test_three_formats_say_the_same(tmp_path: Path) -> None:
    """W-20."""
    root = tmp_path / "defs"
    put(root, "in-yaml.yaml", f"id: in-yaml\n{HEAD}activities: [{{id: one, version: 1.0.0, name: One}}]\n")
    put(
        root,
        "in-json.json",
        msgspec.json.encode(
            {
                "id": "in-json",
                "version": "1.0.0",
                "title": "T",
                "executionModel": {"roles": [{"id": "a", "description": "A"}]},
                "activities": [{"id": "one", "version": "1.0.0", "name": "One"}],
            }
        ).decode(),
    )
    put(
        root,
        "in-toon.toon",
        "id: in-toon\nversion: 1.0.0\ntitle: T\nexecutionModel:\n  roles[1]{id,description}:\n    a,A\n"
        "activities[1]{id,version,name}:\n  one,1.0.0,One\n",
    )
    async with walking(tmp_path / "data", dir=(str(root),)) as agent:
        assert await listed(agent) == {"in-json": "ok", "in-toon": "ok", "in-yaml": "ok"}
        bodies = []
        for name in ("in-json", "in-toon", "in-yaml"):
            await agent.start(name)
            body = await agent.ask("get_workflow", summary=False)
            bodies.append({key: value for key, value in body.items() if key not in ("id", "session_token")})
        assert bodies[0] == bodies[1] == bodies[2]
        assert await problems(agent) == []


async def test_words_of_yaml_stay_words_and_references_are_refused(tmp_path: Path) -> None:
    """W-20."""
    root = tmp_path / "defs"
    put(
        root,
        "words.yaml",
        f"id: words\nversion: 1.0.0\ntitle: yes\n{ROLES}tags: [on, no]\nactivities: [{{id: a, {_one()}}}]\n",
    )
    put(root, "alias.yaml", f"id: alias\n{HEAD}tags: &t [x]\nrules: *t\nactivities: [{{id: a, {_one()}}}]\n")
    put(root, "tag.yaml", f"id: tag\n{HEAD}tags: [!mine x]\nactivities: [{{id: a, {_one()}}}]\n")
    async with walking(tmp_path / "data", dir=(str(root),)) as agent:
        assert await listed(agent) == {"alias": "broken", "tag": "broken", "words": "ok"}
        assert [one["title"] for one in await agent.plain("list_workflows")][2] == "yes"
        assert ("error", "parse_error", "alias.yaml") in await problems(agent)


def _one() -> str:
    return "version: 1.0.0, name: One"


async def test_toon_is_read_leniently_where_that_loses_nothing(tmp_path: Path) -> None:
    """W-20, W-106."""
    root = tmp_path / "defs"
    good = f"id: good\n{HEAD}"
    put(root, "good/workflow.yaml", good)
    put(root, "good/activities/01-twice.toon", "id: twice\nversion: 1.0.0\nname: First\nname: Last\n")
    put(root, "good/activities/02-cut.toon", "id: cut\nversion: 1.0.0\nname: Cut\noutcome[3]: a,b\n")
    async with walking(tmp_path / "data", dir=(str(root),)) as agent:
        assert await listed(agent) == {"good": "ok"}
        assert await problems(agent) == [
            ("warning", "parse_lenient", "good/activities/01-twice.toon"),
            ("error", "parse_error", "good/activities/02-cut.toon"),
        ]
        await agent.start("good")
        assert (await agent.enter("twice"))["name"] == "Last"
        refused = await agent.refused("next_activity", activity_id="cut")
        assert refused["code"] == "definition_broken"
        assert "the list promises 3 items and has 2" in refused["message"]
        assert refused["where"] == "good/activities/02-cut.toon:4"


async def test_order_is_by_number_and_numbers_are_prefixes(tmp_path: Path) -> None:
    """W-21, W-22."""
    root = tmp_path / "defs"
    put(root, "folder/workflow.yaml", f"id: inner\n{HEAD}")
    for number, id_ in (("10", "ten"), ("9", "nine"), ("02", "two")):
        put(root, f"folder/activities/{number}-{id_}.yaml", f"id: {id_}\n{ACTIVITY}")
    put(root, "folder/activities/03-other.yaml", f"id: three\n{ACTIVITY}")
    put(root, "folder/activities/11-two.yaml", f"id: two\n{ACTIVITY}")
    put(root, "folder/activities/02-two.json", "{}")
    async with walking(tmp_path / "data", dir=(str(root),)) as agent:
        for name in ("inner", "folder"):
            await agent.start(name)
        body = await agent.ask("get_workflow", summary=False)
        assert [(one["id"], one["artifactPrefix"]) for one in body["activities"]] == [
            *(("two", "02"), ("three", "03"), ("nine", "9"), ("ten", "10")),
        ]
        assert "activitiesDir" not in body
        assert set(await problems(agent)) == {
            ("note", "id_differs", "folder/workflow.yaml"),
            ("note", "id_differs", "folder/activities/03-other.yaml"),
            ("error", "duplicate_id", "folder/activities/11-two.yaml"),
            ("warning", "shadowed", "folder/activities/02-two.json"),
        }


async def test_faults_of_a_workflow_break_it_and_are_all_named(tmp_path: Path) -> None:
    """W-23, W-25."""
    root = tmp_path / "defs"
    put(root, "bad.yaml", f"id: bad\nversion: one\n{ROLES}more: 1\nactivities: [{{id: a, version: 1.0.0}}]\n")
    put(
        root,
        "roles.yaml",
        "id: roles\nversion: 1.0.0\ntitle: T\nexecutionModel: {roles: [{id: a, description: A, x: 1}]}\n",
    )
    put(root, "good.yaml", f"id: good\n{HEAD}extra: {{kept: [1]}}\nactivities: [{{id: a, {_one()}, mine: 7}}]\n")
    async with walking(tmp_path / "data", dir=(str(root),)) as agent:
        assert await listed(agent) == {"bad": "broken", "good": "ok", "roles": "broken"}
        reply = await agent.reply("start_session", workflow_id="bad")
        assert reply.problem is not None
        assert reply.problem.code is Code.DEFINITION_BROKEN
        for words in ("Workflow validation failed for bad", "version: ", "title: is missing"):
            assert words in reply.text
        await agent.start("good")
        assert (await agent.ask("get_workflow", summary=False))["extra"] == {"kept": [1]}
        assert (await agent.enter("a"))["mine"] == 7
        health = await agent.plain("health_check")
        assert (health["status"], health["workflows_available"], health["workflows_broken"]) == ("healthy", 1, 2)
        assert (await agent.plain("discover"))["broken_workflows"] == ["bad", "roles"]


async def test_what_leads_nowhere_is_a_warning(tmp_path: Path) -> None:
    """W-24."""
    root = tmp_path / "defs"
    put(
        root,
        "w/workflow.yaml",
        f"id: w\n{HEAD}initialActivity: none\nskills: [no-skill]\nactivities:\n"
        f"- {{id: a, {_one()}, transitions: [{{to: gone}}], triggers: [{{workflow: other}}], skills: {{primary: none}}}}\n",
    )
    put(root, "w/skills/01-s.yaml", 'id: s\nversion: 1.0.0\ncapability: C\nresources: ["07"]\n')
    async with walking(tmp_path / "data", dir=(str(root),)) as agent:
        assert [code for _, code, _ in await problems(agent)] == [
            *("initial_activity_missing", "unresolved_skill", "dangling_target", "unresolved_skill"),
            *("unresolved_workflow", "unresolved_resource"),
        ]
        started = await agent.start("w")
        assert started["load_problems"]["count"] == 6
        skills = await agent.ask("get_skills")
        assert (skills["skills"], skills["failed_skills"]) == ({}, ["no-skill"])
        await agent.enter("a")
        refused = await agent.refused("get_skill", step_id="none")
        assert (refused["code"], refused["message"]) == ("not_found", "Skill not found: none")
        refused = await agent.refused("next_activity", activity_id="gone")
        assert "the definition names it" in refused["message"]


async def test_links_and_sizes_stay_within_bounds(tmp_path: Path) -> None:
    """W-27, W-101, W-106: one bad entry costs itself."""
    root = tmp_path / "defs"
    put(tmp_path, "secret/workflow.yaml", f"id: secret\n{HEAD}activities: [{{id: a, {_one()}}}]\n")
    put(root, "good.yaml", f"id: good\n{HEAD}activities: [{{id: a, {_one()}}}]\n")
    put(root, "large.yaml", "#" * ((2 << 20) + 1))
    put(root, "climbs.yaml", f"id: climbs\n{HEAD}activitiesDir: ../../secret\n")
    put(root, "many/workflow.yaml", f"id: many\n{HEAD}activities: [{{id: a, {_one()}}}]\n")
    for number in range(2001):
        put(root, f"many/resources/{number}.md", "")
    (root / "secret").symlink_to(tmp_path / "secret")
    (root / "dangling.yaml").symlink_to(tmp_path / "nothing")
    (root / "alias.yaml").symlink_to(root / "good.yaml")
    async with walking(tmp_path / "data", dir=(str(root),)) as agent:
        assert await listed(agent) == {
            **dict.fromkeys(("climbs", "dangling", "large", "many", "secret"), "broken"),
            "good": "ok",
        }
        codes = {(code, file) for _, code, file in await problems(agent)}
        assert {
            ("outside_root", "secret"),
            ("unreadable", "dangling.yaml"),
            ("too_large", "large.yaml"),
            ("outside_root", "climbs.yaml"),
            ("too_large", "many"),
        } <= codes


async def test_two_directories_are_one_and_the_first_counts(tmp_path: Path) -> None:
    """Section 2, W-97."""
    for name in ("first", "second"):
        put(
            tmp_path / name,
            "w.yaml",
            f"id: w\nversion: 1.0.0\ntitle: {name}\n{ROLES}activities: [{{id: a, {_one()}}}]\n",
        )
    put(tmp_path / "second", "x.yaml", f"id: x\n{HEAD}activities: [{{id: a, {_one()}}}]\n")
    async with walking(tmp_path / "data", dir=(str(tmp_path / "first"), str(tmp_path / "second"))) as agent:
        assert [(one["id"], one["title"]) for one in await agent.plain("list_workflows")] == [
            ("w", "first"),
            ("x", "T"),
        ]
        assert await problems(agent) == [("warning", "shadowed", "w")]


async def test_a_changed_file_is_seen_by_the_next_call(tmp_path: Path) -> None:
    """W-26."""
    root = tmp_path / "defs"
    text = f"id: w\n{HEAD}activities: [{{id: a, {_one()}, transitions: [{{to: b}}]}}, {{id: b, {_one()}}}]\n"
    put(root, "w.yaml", text)
    async with walking(tmp_path / "data", dir=(str(root),)) as agent:
        await agent.start("w")
        put(root, "w.yaml", text.replace("1.0.0\ntitle", "1.1.0\ntitle"))
        await agent.enter("a")
        assert any("version drift" in one and "1.0.0" in one and "1.1.0" in one for one in agent.warnings)
        put(root, "w.yaml", "id: [")
        await agent.enter("b")
        assert any("on disk is broken" in one for one in agent.warnings)
        assert (await agent.reply("start_session", workflow_id="w")).problem is not None
        (root / "w.yaml").unlink()
        assert (await agent.refused("get_workflow"))["code"] == "not_found"


async def test_a_directory_that_is_not_there_stops_the_start(tmp_path: Path) -> None:
    """W-11."""
    with pytest.raises(Problem, match=str(tmp_path / "none")):
        async with walking(tmp_path / "data", dir=(str(tmp_path / "none"),)):
            pass


async def test_a_directory_that_goes_away_is_no_end(tmp_path: Path) -> None:
    """W-50: health says so, and what was read stays."""
    root = tmp_path / "defs"
    put(root, "w.yaml", f"id: w\n{HEAD}activities: [{{id: a, {_one()}}}]\n")
    async with walking(tmp_path / "data", dir=(str(root),)) as agent:
        assert (await agent.plain("health_check"))["status"] == "healthy"
        root.rename(tmp_path / "moved")
        health = await agent.plain("health_check")
        assert (health["status"], health["workflows_available"]) == ("degraded", 1)
        await agent.start("w")
