"""One schema object in the words of 2020-12, whichever draft or habit it was written in."""

from __future__ import annotations

from typing import Any


def modern(schema: dict[str, Any]) -> dict[str, Any]:
    """The same object, one level deep, with older spellings replaced; what is in order is returned as it is."""
    if _OLD.isdisjoint(schema) and not isinstance(schema.get("items"), list) and not _has_marks(schema):
        return schema
    new = dict(schema)
    _tuples(new)
    _bounds(new)
    _dependencies(new)
    _marks(new)
    if "example" in new and "examples" not in new:
        new["examples"] = [new["example"]]
    return new


_OLD = frozenset({"exclusiveMinimum", "exclusiveMaximum", "dependencies", "additionalItems", "example"})


def _has_marks(schema: dict[str, Any]) -> bool:
    if isinstance(schema.get("required"), bool):
        return True
    properties = schema.get("properties")
    return isinstance(properties, dict) and any(
        isinstance(member, dict) and isinstance(member.get("required"), bool) for member in properties.values()
    )


def _tuples(new: dict[str, Any]) -> None:
    """`items` as a list is now `prefixItems`, and what followed it is now `items`."""
    items = new.get("items")
    if isinstance(items, list):
        del new["items"]
        if items:
            new.setdefault("prefixItems", items)
        if "additionalItems" in new:
            new["items"] = new["additionalItems"]


def _bounds(new: dict[str, Any]) -> None:
    """Draft 4 said with true or false whether a bound belongs to the range."""
    for exclusive, bound in (("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")):
        if isinstance(new.get(exclusive), bool) and new.pop(exclusive) and bound in new:
            new[exclusive] = new.pop(bound)


def _dependencies(new: dict[str, Any]) -> None:
    dependencies = new.get("dependencies")
    if not isinstance(dependencies, dict):
        return
    names = {name: value for name, value in dependencies.items() if isinstance(value, list)}
    schemas = {name: value for name, value in dependencies.items() if isinstance(value, (dict, bool))}
    for keyword, found in (("dependentRequired", names), ("dependentSchemas", schemas)):
        if found and isinstance(present := new.get(keyword, {}), dict):
            new[keyword] = {**found, **present}


def _marks(new: dict[str, Any]) -> None:
    """`required: true` on a property belongs into its parent's list."""
    if isinstance(new.get("required"), bool):
        del new["required"]
    properties = new.get("properties")
    if not isinstance(properties, dict):
        return
    marked = [
        name for name, member in properties.items() if isinstance(member, dict) and member.get("required") is True
    ]
    listed = new.get("required", [])
    if marked and isinstance(listed, list):
        new["required"] = [*listed, *(name for name in marked if name not in listed)]
