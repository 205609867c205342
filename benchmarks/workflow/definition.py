"""A workflow of fourteen activities as large as published ones: steps with skills, checkpoints, conditions."""

from __future__ import annotations

import json
from pathlib import Path

ACTIVITIES = 14
ID = "fourteen"


def write(directory: Path) -> Path:
    """The definition below a directory."""
    root = directory / ID
    for number in range(ACTIVITIES):
        _put(root / "activities" / f"{number:02}-a{number}.json", _activity(number))
        skill = {
            "id": f"s{number}",
            "version": "1.0.0",
            "capability": "Do what an activity asks",
            "protocol": {
                "work": [f"Sentence {n} of what has to be done, as long as sentences are." for n in range(12)]
            },
            "rules": {f"rule-{n}": "Something that has to hold while the work is done." for n in range(6)},
            "resources": [f"{number:02}"],
        }
        _put(root / "skills" / f"{number:02}-s{number}.json", skill)
        guide = root / "resources" / f"{number:02}-guide.md"
        guide.parent.mkdir(parents=True, exist_ok=True)
        guide.write_text(f"# Guide {number}\n\n" + "A paragraph of a guide that an agent reads. " * 60)
    workflow = {
        "id": ID,
        "version": "1.0.0",
        "title": "Fourteen activities",
        "rules": ["Something every agent has to know"] * 8,
        "variables": [{"name": f"v{n}", "type": "boolean", "defaultValue": False} for n in range(20)],
        "executionModel": {"roles": [{"id": "agent", "description": "Does the work"}]},
        "skills": ["session-protocol", "execute-activity"],
        "initialActivity": "a0",
    }
    _put(root / "workflow.json", workflow)
    return directory


def _activity(number: int) -> dict[str, object]:
    following = f"a{number + 1}" if number + 1 < ACTIVITIES else "__terminal__"
    return {
        "id": f"a{number}",
        "version": "1.0.0",
        "name": f"Activity {number}",
        "description": "What this part of the work is about, in a sentence or two. " * 3,
        "steps": [
            {"id": f"s{n}", "name": f"Step {n}", "description": "What to do here. " * 8, "skill": f"s{number}"}
            for n in range(6)
        ],
        "checkpoints": [
            {
                "id": f"c{n}",
                "name": f"Question {n}",
                "message": "Shall the work go on as it was planned?",
                "options": [
                    {"id": "yes", "label": "Go on", "effect": {"setVariable": {f"v{number}": True}}},
                    {"id": "no", "label": "Look again", "effect": {"transitionTo": f"a{number}"}},
                ],
            }
            for n in range(2)
        ],
        "transitions": [
            {"to": following, "isDefault": True},
            *([{"to": "a0", "condition": _condition(number)}] if number else []),
        ],
    }


def _condition(number: int) -> dict[str, object]:
    one = {"type": "simple", "variable": f"v{number}", "operator": "==", "value": False}
    return {"type": "and", "conditions": [one, {"type": "simple", "variable": "again", "operator": "exists"}]}


def _put(path: Path, value: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value))
