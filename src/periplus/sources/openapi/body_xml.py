"""How an XML body is named: the `xml` hints of a schema as written, along references (S-52)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from periplus.sources.openapi.references_port import References, Unresolved

_HINTS: Final = ("name", "attribute", "wrapped", "prefix", "namespace", "nodeType")
_DEEPEST: Final = 50


class XmlHints:
    """Collects hints; `named` holds those of definitions, so that recursion ends."""

    def __init__(self, references: References) -> None:
        self._references = references
        self.named: dict[str, Any] = {}
        self._keys: dict[tuple[str, str], str] = {}

    def of(self, schema: Any, base: str, depth: int = 0) -> dict[str, Any]:
        """`{name?, attribute?, ..., members?{name: hints}, items?, ref?}`; `as` names a definition used as a root."""
        if not isinstance(schema, Mapping) or depth > _DEEPEST:
            return {}
        if isinstance(schema.get("$ref"), str):
            return self._behind(schema, base, depth)
        out: dict[str, Any] = {}
        for member in _list(schema.get("allOf")):
            inherited = self.of(member, base, depth + 1)
            members = {**out.get("members", {}), **inherited.get("members", {})}
            out = {**out, **inherited, **({"members": members} if members else {})}
        xml = schema.get("xml")
        if isinstance(xml, Mapping):
            out.update({key: xml[key] for key in _HINTS if key in xml})
        properties = schema.get("properties")
        for name, child in properties.items() if isinstance(properties, Mapping) else ():
            hints = self.of(child, base, depth + 1)
            if hints:
                out.setdefault("members", {})[name] = hints
        items = self.of(schema.get("items"), base, depth + 1)
        if items:
            out["items"] = items
        return out

    def _behind(self, schema: Mapping[str, Any], base: str, depth: int) -> dict[str, Any]:
        try:
            found = self._references.resolve(schema, base)
        except Unresolved:
            return {}
        place = found.base, found.pointer
        key = self._keys.get(place)
        if key is None:
            key = found.name if found.name not in self.named else f"{found.name}_{len(self.named)}"
            self._keys[place] = key
            self.named[key] = {}
            self.named[key] = {"as": found.name, **self.of(found.value, found.base, depth + 1)}
        return {"ref": key}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
