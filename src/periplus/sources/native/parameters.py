"""The parameters of an action as one JSON Schema; what is not known takes any value (H-77)."""

from __future__ import annotations

from typing import Any

from periplus.documents.schemas import Findings, shown
from periplus.model import FindingCode, Schema

_TYPES = {
    "string": "string", "str": "string", "text": "string", "integer": "integer", "int": "integer", "number": "number",
    "float": "number", "double": "number", "boolean": "boolean", "bool": "boolean", "array": "array", "list": "array",
    "object": "object", "dict": "object",
}  # fmt: skip
_PYTHON: dict[str, type | tuple[type, ...]] = {
    "string": str,
    "integer": int,
    "number": (int, float),
    "boolean": bool,
    "array": list,
    "object": dict,
}


class Parameters:
    """The list of one action, and where it stands."""

    def __init__(self, name: str, findings: Findings) -> None:
        self._name = name
        self._where = f"/{name}/parameters"
        self._findings = findings
        self.holds_foreign = False  # whether the site wrote a part of the schema itself

    def schema(self, written: Any, *, is_open: bool) -> Schema:
        """An object of exactly these; of any where the site did not say them all."""
        if written is not None and not isinstance(written, list):
            self._bad("", f"a list was expected, not {shown(written)}; any arguments are passed on")
            return {"type": "object", "properties": {}}
        properties: dict[str, Schema] = {}
        required: list[str] = []
        for number, parameter in enumerate(written or []):
            name = parameter.get("name") if isinstance(parameter, dict) else None
            if not isinstance(name, str) or not name or name in properties:
                what = "is there twice; the first counts" if name in properties else "is no parameter; it is left out"
                self._bad(f"/{number}", f"{shown(parameter)} {what}")
                continue
            properties[name] = self._property(parameter)
            if parameter.get("required") is True:
                required.append(name)
        schema: Schema = {"type": "object", "properties": properties}
        if required:
            schema["required"] = required
        return schema if is_open else schema | {"additionalProperties": False}

    def _property(self, parameter: dict[str, Any]) -> Schema:
        type_ = _TYPES.get(str(parameter.get("type")).lower(), "")
        options = parameter.get("options")
        schema: Schema = {"type": type_} if type_ else {}
        if isinstance(options, list) and options:
            schema = _among(type_, options)
        elif isinstance(options, dict):
            self.holds_foreign = True
            schema = {"type": "array", "items": options} if type_ == "array" else {**schema, **options}
        if description := self._description(parameter):
            schema["description"] = description
        if parameter.get("default") is not None:
            schema["default"] = parameter["default"]
        return schema

    def _description(self, parameter: dict[str, Any]) -> str:
        """What it is, and what else the site calls it; an echo of its name says nothing."""
        name, told = parameter["name"], parameter.get("description")
        description = told.strip() if isinstance(told, str) else ""
        if description in (name, f"Parameter: {name}"):
            description = ""
        aliases = parameter.get("aliases")
        others = [each for each in aliases if isinstance(each, str)] if isinstance(aliases, list) else []
        return " ".join((description, f"(also called {', '.join(others)})" if others else "")).strip()

    def _bad(self, where: str, message: str) -> None:
        self._findings.lost(FindingCode.BAD_PARAMETER, self._where + where, self._name, message)


def _among(type_: str, options: list[Any]) -> Schema:
    """One of these, or a list of them; the type only where it is theirs."""
    if type_ == "array" and not all(isinstance(each, list) for each in options):
        return {"type": "array", "items": {"enum": options}}
    fits = type_ and all(_is(each, type_) for each in options)
    return {"type": type_, "enum": options} if fits else {"enum": options}


def _is(value: Any, type_: str) -> bool:
    return isinstance(value, _PYTHON[type_]) and (not isinstance(value, bool) or type_ == "boolean")
