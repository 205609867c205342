"""An action as a draft: `berths:prices:quote` is `quote` in the area `prices` of the area `berths` (S-100)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import msgspec
import re2

from periplus.documents.pruning import storable
from periplus.documents.schemas import Definitions, Findings, Normaliser
from periplus.model import Draft, Effect, NodeDraft
from periplus.sources.native.harvest import pieces
from periplus.sources.native.pages import Entry
from periplus.sources.native.parameters import Parameters

_METHODS = {
    "GET": Effect.READ, "HEAD": Effect.READ, "OPTIONS": Effect.READ, "TRACE": Effect.READ, "QUERY": Effect.READ,
    "POST": Effect.WRITE, "PUT": Effect.WRITE, "PATCH": Effect.WRITE, "DELETE": Effect.DESTROY,
}  # fmt: skip
_IDEMPOTENT = {"GET", "HEAD", "OPTIONS", "TRACE", "QUERY", "PUT", "DELETE"}
_LONG_NUMBER = re2.compile(rb"[0-9]{16}|[0-9][eE]")
_TIMEOUT_S = 60  # H-78


def tool_drafts(
    actions: Mapping[str, bytes], definitions: Definitions, findings: Findings, *, trusted: bool
) -> Iterator[Draft]:
    """One draft per action."""
    for id_, raw in actions.items():
        yield _Action(id_, _read(raw), findings, trusted=trusted).draft(definitions)


def area_nodes(areas: Iterable[Entry]) -> list[NodeDraft]:
    """Areas with what the site says of them; a sentence made of the id is none."""
    nodes: list[NodeDraft] = []
    for place, area in enumerate(areas, 1):
        told = _text(_read(area.raw), "description")
        description = "" if told in (area.id, f"Area: {area.id}") else told
        nodes.append(NodeDraft(path=pieces(area.id), description=description, place=place))
    return nodes


class _Action:
    """One landmark that can be called."""

    def __init__(self, id_: str, landmark: dict[str, Any], findings: Findings, *, trusted: bool) -> None:
        self._id = id_
        self._landmark = landmark
        self._findings = findings
        self._trusted = trusted
        meta = landmark.get("meta")
        self._meta: dict[str, Any] = meta if isinstance(meta, dict) else {}

    def draft(self, definitions: Definitions) -> Draft:
        *area, leaf = pieces(self._id)
        normaliser = Normaliser(self._id, f"/{self._id}", definitions, self._findings)
        written = Parameters(self._id, self._findings)
        schema = written.schema(self._landmark.get("parameters"), is_open=self._landmark.get("open") is True)
        output = self._landmark.get("outputSchema")
        effect, declared = self._effect()
        method = self._method()
        return Draft(
            key=self._id,
            leaf=leaf,
            origin=f"execute {self._id}",
            method=method,
            areas=(tuple(area),),
            description=self._description(),
            args_schema=normaliser.arguments(schema, "/parameters") if written.holds_foreign else schema,
            result_schema=None if output is None else normaliser.result(output, "/outputSchema"),
            effect=effect,
            effect_declared=declared,
            idempotent=self._trusted and method in _IDEMPOTENT,
            requires_approval=self._meta.get("requires_approval") is True,
            aliases=(self._id,),
            binding={"kind": "native", "method": "POST", "action": self._id},
            metadata={"timeout": _TIMEOUT_S} | self._kept(),
        )

    def _description(self) -> str:
        """What it does, and how its site wants it used."""
        told = (_text(self._landmark, "description"), _text(self._landmark, "instructions"))
        description = "\n\n".join(text for text in told if text)
        if not description:
            where = f"/{self._id}/description"
            self._findings.missing(where, self._id, "has no description")
        return description

    def _kept(self) -> dict[str, Any]:
        members = {name: _text(self._landmark, name) for name in ("remedy", "instructions")}
        return {name: text for name, text in members.items() if text}

    def _method(self) -> str:
        method = _text(self._meta, "method").upper()
        return method if method in _METHODS else ""

    def _effect(self) -> tuple[Effect, bool]:
        """What another Periplus says it does, else by its method; what is not trusted can raise but not lower."""
        said = Effect.of(_text(self._meta, "effect"))
        if said is not None and (self._trusted or said is Effect.DESTROY):
            return said, True
        effect = _METHODS.get(self._method(), Effect.WRITE)
        return (effect if self._trusted else max(effect, Effect.WRITE)), False


def _read(raw: bytes) -> dict[str, Any]:
    value: dict[str, Any] = msgspec.json.decode(raw)
    return storable(value) if _LONG_NUMBER.search(raw) else value


def _text(owner: Mapping[str, Any], name: str) -> str:
    value = owner.get(name)
    return value.strip() if isinstance(value, str) else ""
