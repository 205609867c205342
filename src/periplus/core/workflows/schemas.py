"""JSON Schemas of definitions and of a session's record, from the model itself (W-6)."""

from __future__ import annotations

from typing import Any

import msgspec

from periplus.core.workflows.conditions import Condition
from periplus.core.workflows.model import Activity, Workflow
from periplus.core.workflows.record import Record
from periplus.core.workflows.skill import Skill

_DRAFT = "https://json-schema.org/draft/2020-12/schema"


def schemas() -> dict[str, Any]:
    """One schema for each kind of part."""
    kinds: dict[str, Any] = {"activity": Activity, "condition": Condition, "skill": Skill, "state": Record}
    made = {name: {"$schema": _DRAFT, **msgspec.json.schema(kind)} for name, kind in kinds.items()}
    return {"workflow": _workflow()} | made


def _workflow() -> dict[str, Any]:
    """Its activities may stand in it: they are those of the schema `activity`."""
    (whole, _), definitions = msgspec.json.schema_components((Workflow, Activity), ref_template="#/$defs/{name}")
    definitions["Workflow"]["properties"]["activities"]["items"] = {"$ref": "#/$defs/Activity"}
    return {"$schema": _DRAFT, **whole, "$defs": definitions}
