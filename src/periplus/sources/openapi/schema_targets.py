"""The definitions references lead to: each found once, named once, normalised once."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Literal, NamedTuple

from periplus.model import Finding, FindingCode, Schema
from periplus.sources.openapi.references_port import Cycle, References, Refused, Unresolved

Dialect = Literal["2.0", "3.0", "3.1", "3.2"]

_OUTSIDE = re.compile(r"[^A-Za-z0-9._-]+")


class Piece(NamedTuple):
    """A schema as normalised, before it is seen from one direction, and the definitions it refers to."""

    schema: Any
    refers: tuple[Target, ...]
    marked: bool  # readOnly or writeOnly stands in it


class Target:
    """One definition. `schema` is what both directions start from; `refers` are the definitions in it."""

    __slots__ = (
        "base",
        "directional",
        "forms",
        "hidden",
        "marked",
        "name",
        "piece",
        "plain",
        "pointer",
        "raw",
        "reference",
        "refers",
        "schema",
        "title",
    )

    def __init__(self, title: str, name: str, raw: Any, place: tuple[str, str], *, plain: bool) -> None:
        self.title = title  # as the document calls it: what a discriminator would say
        self.name = name
        self.raw = raw
        self.base, self.pointer = place
        self.plain = plain
        self.reference: Schema = {"$ref": f"#/$defs/{name}"}
        self.piece = Piece(self.reference, (self,), marked=False)  # a mere reference to it
        self.schema: Any = True
        self.refers: tuple[Target, ...] = ()
        self.marked = False  # a readOnly or writeOnly stands in it
        self.hidden = False  # it is read-only or write-only as a whole
        self.directional = False  # requests and responses see it differently
        self.forms: list[Schema | None] = [None, None]  # the reference by direction, once it is kept

    @property
    def where(self) -> str:
        return f"{self.base}#{self.pointer}"


class Targets:
    """All definitions met so far."""

    def __init__(self, references: References, dialect: Dialect, report: Callable[[Finding], None]) -> None:
        self.references = references
        self.dialect = dialect
        self.modern = dialect in {"3.1", "3.2"}
        self.report = report
        self.fresh: list[Target] = []  # met, not yet normalised
        self.by_name: dict[str, Target] = {}
        self._links: dict[str, dict[str, Target]] = {}
        self._found: dict[tuple[str, str, bool], Target] = {}
        self._names: set[str] = set()

    def links(self, base: str) -> dict[str, Target]:
        """Reference text -> definition, as written in this document."""
        return self._links.setdefault(base, {})

    def find(self, text: str, base: str, *, plain: bool = False) -> Target:
        """The definition a reference leads to; raises what `References` raises."""
        value, document, pointer, title = self.references.hop({"$ref": text}, base)
        key = document, pointer, plain
        target = self._found.get(key)
        if target is None:
            name = self.name(f"{title}_base" if plain else title)
            target = Target(title, name, value, (document, pointer), plain=plain)
            self._found[key] = self.by_name[name] = target
            self.fresh.append(target)
        return target

    def at(self, reference: Any) -> Target | None:
        """The definition a normalised `$ref` names."""
        return self.by_name.get(reference[8:]) if isinstance(reference, str) else None

    def name(self, wish: str) -> str:
        """A name for `$defs` nobody has yet, near the one wished for."""
        wish = _OUTSIDE.sub("_", wish).strip("_") or "schema"
        name, count = wish, 1
        while name in self._names:
            count += 1
            name = f"{wish}_{count}"
        self._names.add(name)
        return name

    def reason(self, error: Unresolved) -> tuple[FindingCode, str]:
        """How the report names a reference that leads nowhere."""
        if isinstance(error, Refused):
            return FindingCode.REF_REFUSED, "may not be read"
        if isinstance(error, Cycle):
            return FindingCode.REF_CYCLE, "leads back to itself"
        return FindingCode.DANGLING_REF, "leads nowhere"
