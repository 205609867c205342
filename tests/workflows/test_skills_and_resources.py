"""Where skills and resources are found, layer by layer, and what the shipped ones teach."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from walking import SHIPPED, put, walking

HEAD = "version: 1.0.0\ntitle: T\nexecutionModel: {roles: [{id: a, description: A}]}\n"
ONE = "version: 1.0.0, name: One"


async def test_a_broken_skill_does_not_give_way_to_another_of_its_name(tmp_path: Path) -> None:
    """W-25, W-88."""
    root = tmp_path / "defs"
    put(
        root,
        "w/workflow.yaml",
        f"id: w\n{HEAD}activities: [{{id: a, {ONE}, skills: {{primary: session-protocol}}}}]\n",
    )
    put(root, "w/skills/01-session-protocol.yaml", "id: session-protocol\n")
    async with walking(tmp_path / "data", dir=(str(root),)) as agent:
        await agent.start("w")
        await agent.enter("a")
        assert (await agent.refused("get_skill", step_id="session-protocol"))["code"] == "definition_broken"


async def test_skills_are_found_layer_by_layer(tmp_path: Path) -> None:
    """W-88."""
    root = tmp_path / "defs"
    skills = "[own, execute-activity, worker-management, elsewhere, third/elsewhere]"
    put(root, "w/workflow.yaml", f"id: w\n{HEAD}skills: {skills}\nactivities: [{{id: a, {ONE}}}]\n")
    for path in ("w/skills/01-own", "meta/skills/01-execute-activity", "third/skills/01-elsewhere"):
        put(
            root,
            f"{path}.yaml",
            f"id: {path.rpartition('-')[0].rpartition('/')[2][3:]}x\nversion: 1.0.0\ncapability: Ours\n",
        )
    put(root, "third/workflow.yaml", f"id: third\n{HEAD}activities: [{{id: a, {ONE}}}]\n")
    async with walking(tmp_path / "data", dir=(str(root),)) as agent:
        snapshot = await agent.gateway.workflows.snapshot(agent.principal)
        home = snapshot.find("w")
        assert home is not None
        found = {ref: snapshot.skill(home, ref) for ref in home.body["skills"]}
        assert {ref: one and one.source for ref, one in found.items()} == {
            "own": "w",
            "execute-activity": "meta",
            "worker-management": "periplus",
            "elsewhere": "third",
            "third/elsewhere": "third",
        }


async def test_resources_of_a_lent_skill_are_those_of_its_own_workflow(tmp_path: Path) -> None:
    """W-87, W-88: the same number may be another text in the workflow that borrows it."""
    root = tmp_path / "defs"
    skills = "skills: [lent, lender/lent]"
    put(
        root,
        "w/workflow.yaml",
        f"id: w\n{HEAD}{skills}\nactivities: [{{id: a, {ONE}, skills: {{primary: lent}}}}]\n",
    )
    put(root, "lender/workflow.yaml", f"id: lender\n{HEAD}activities: [{{id: a, {ONE}}}]\n")
    resources = 'resources: ["01", "02", w/01, meta/00]'
    put(root, "lender/skills/01-lent.yaml", f"id: another\nversion: 1.0.0\ncapability: C\n{resources}\n")
    put(root, "lender/resources/01-theirs.md", "---\nid: theirs\n---\ntheir text")
    put(root, "w/resources/01-ours.md", "---\nid: ours\n---\nour text")
    async with walking(tmp_path / "data", dir=(str(root),)) as agent:
        await agent.start("w")
        skills_ = (await agent.ask("get_skills"))["skills"]
        assert list(skills_) == ["lent", "lender/lent"]  # as the workflow lists them
        assert skills_["lent"]["_resources"] == skills_["lender/lent"]["_resources"]
        await agent.enter("a")
        body = await agent.ask("get_skill", step_id="lent")
        theirs, lost, ours, shipped = body["skill"]["_resources"]
        assert theirs == {"index": "01", "id": "theirs", "ref": "lender/01"}
        assert lost == {"index": "02", "missing": True}
        assert ours == {"index": "w/01", "id": "ours"}
        assert shipped["id"] == "bootstrap"
        assert (await agent.ask("get_resource", resource_index=theirs["ref"]))["resource"]["content"] == "their text"
        assert (await agent.ask("get_resource", resource_index="01"))["resource"]["content"] == "our text"


async def test_resources_are_found_by_number_name_and_id(tmp_path: Path) -> None:
    """W-89."""
    root = tmp_path / "defs"
    put(root, "w/workflow.yaml", f"id: w\n{HEAD}activities: [{{id: a, {ONE}}}]\n")
    put(root, "w/resources/07-guide.md", "---\nid: guide\nversion: 2.0.0\n---\n\n text \n")
    put(root, "w/resources/07-guide.toon", "a: 1\n")
    put(root, "meta/resources/05-extra.md", "ours")
    async with walking(tmp_path / "data", dir=(str(root),)) as agent:
        await agent.start("w")

        async def read(index: str) -> dict[str, Any]:
            made: dict[str, Any] = (await agent.ask("get_resource", resource_index=index))["resource"]
            return made

        assert await read("7") == {"index": "7", "content": "a: 1"}
        assert (await read("007"))["content"] == "a: 1"
        assert await read("guide") == {"index": "guide", "id": "guide", "version": "2.0.0", "content": "text"}
        assert (await read("07-guide.md"))["content"] == "text"
        assert (await read("w/7"))["content"] == "a: 1"
        assert (await read("meta/5"))["content"] == "ours"
        assert (await read("meta/00"))["content"] == (await read("periplus/0"))["content"]
        assert (await read("meta/00"))["content"].startswith("# How to begin")
        assert await agent.plain("list_workflows") == [{"id": "w", "title": "T", "version": "1.0.0"}]


async def test_the_shipped_skills_teach_what_they_must(tmp_path: Path) -> None:
    """W-97."""
    async with walking(tmp_path) as agent:
        snapshot = await agent.gateway.workflows.snapshot(agent.principal)
        assert snapshot.problems() == []
        meta = snapshot.find("meta")
        assert meta is not None
        assert list(meta.activities) == ["begin", "resume", "finish"]
        assert list(meta.skills) == [
            *("session-protocol", "execute-activity", "orchestrator-management", "worker-management"),
        ]
        for skill in meta.skills.values():
            assert len(skill.body["rules"]) >= 6, skill.id
            assert len(skill.body["errors"]) >= 3, skill.id
            assert all(error["cause"] and error["recovery"] for error in skill.body["errors"].values())
            assert all(use["when"] for use in skill.body["tools"].values())
            assert skill.body["protocol"]
        bootstrap = snapshot.bootstrap()
        order = ["discover", "list_workflows", "start_session", "get_skills", "get_workflow", "next_activity"]
        assert [bootstrap.index(f"`{name}") for name in order] == sorted(bootstrap.index(f"`{name}") for name in order)
        await agent.start("meta")
        await agent.enter("begin")
    assert "workflow.yaml" in {path.name for path in SHIPPED.rglob("*")}
