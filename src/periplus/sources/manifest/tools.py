"""A listed tool as a draft: named as it is, standing at the source's root and in its category (M-67)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from periplus.documents import canonical
from periplus.documents.schemas import Definitions, Findings, Normaliser, shown
from periplus.model import Draft, Example, FindingCode, NodeDraft, Schema, short_hash
from periplus.sources.manifest.members import member, objects, plain, plain_object, text
from periplus.sources.manifest.metadata import Metadata
from periplus.sources.manifest.parameters import adapted
from periplus.sources.manifest.polling import polling

_NAME = re.compile(r"[a-z][a-z0-9_]{0,99}")
_OTHER = re.compile(r"[^a-z0-9]+")


class Terms(msgspec.Struct, frozen=True, kw_only=True):
    """What all tools of a manifest are read under."""

    trusted: bool
    proto: bool
    execute: str  # the path calls are sent to, with {tool_name} where the service wants it there


def tool_drafts(tools: Sequence[Any], terms: Terms, definitions: Definitions, findings: Findings) -> Iterator[Draft]:
    """One draft per tool; equal names stay apart, equal tools do not count twice."""
    named = [tool for tool in tools if text(tool, "name").strip()]
    times = Counter(text(tool, "name") for tool in named)
    parameters = {text(tool, "name"): _parameters(tool) for tool in named}
    seen: set[bytes] = set()
    for number, tool in enumerate(tools):
        where = f"/tools/{number}"
        name = text(tool, "name")
        if not name.strip():
            findings.skipped(where, "", f"a tool without a name: {shown(tool)}")
            continue
        origin = f"execute {name}"
        if times[name] > 1:
            content = canonical(tool)
            if content in seen:
                findings.repeated(where, name)
                continue
            seen.add(content)
            origin = f"{origin} #{short_hash(content.decode(), 8)}"
        behaviour = member(member(tool, "metadata"), "async_behavior")
        polled = {} if behaviour is None else polling(behaviour, where, name, parameters, findings)
        more = {"async_behavior": polled} if polled else {}
        yield _Tool(tool, where, findings).draft(origin, terms, definitions, more)


def category_nodes(categories: Sequence[Any], findings: Findings) -> list[NodeDraft]:
    """The categories as areas; of two with one id the first counts (M-45)."""
    nodes: dict[str, NodeDraft] = {}
    for number, category in enumerate(categories):
        where = f"/categories/{number}"
        name = text(category, "id").strip()
        if not name:
            findings.lost(FindingCode.MISSING_MEMBER, where, "", f"a category without an id: {shown(category)}")
        elif name in nodes:
            findings.lost(FindingCode.NAME_COLLISION, where, "", f"category {name!r} is there twice; the first counts")
        else:
            description = text(category, "description")
            nodes[name] = NodeDraft(path=(name,), title=text(category, "name"), description=description)
    return list(nodes.values())


class _Tool:
    """One entry of the list and the place it stands at."""

    def __init__(self, tool: dict[str, Any], where: str, findings: Findings) -> None:
        self._tool = tool
        self._name = text(tool, "name")
        self._where = where
        self._findings = findings

    def draft(self, origin: str, terms: Terms, definitions: Definitions, more: dict[str, Any]) -> Draft:
        metadata = Metadata(self._tool, self._where, self._findings)
        declared = metadata.declared(trusted=terms.trusted, proto=terms.proto)
        normaliser = Normaliser(self._name, self._where, definitions, self._findings)
        output = member(self._tool, "output_schema")
        description = text(self._tool, "description")
        if not description.strip():
            self._findings.missing(f"{self._where}/description", self._name, "has no description")
        category = text(self._tool, "category").strip()
        return Draft(
            key=self._name,
            leaf=self._name,
            origin=origin,
            areas=((), (category,)) if category else ((),),
            description=description,
            args_schema=self._arguments(normaliser),
            result_schema=None if output is None else normaliser.result(adapted(output), "/output_schema"),
            effect=declared.effect,
            effect_declared=declared.effect_declared,
            idempotent=declared.idempotent,
            requires_approval=declared.requires_approval,
            hidden=declared.hidden,
            tags=declared.tags,
            examples=self._examples(),
            aliases=self._aliases(),
            version=metadata.version(),
            binding={"kind": "manifest", "method": "POST", "endpoint": terms.execute, "name": self._name},
            metadata=declared.kept | more,
        )

    def _arguments(self, normaliser: Normaliser) -> Schema:
        written = member(self._tool, "parameters")
        if written is None or written == {}:
            return {"type": "object", "properties": {}}
        return normaliser.arguments(adapted(written), "/parameters")

    def _examples(self) -> tuple[Example, ...]:
        found: list[Example] = []
        for example in objects(member(self._tool, "metadata"), "examples"):
            if isinstance(example, dict):
                output = member(example, "expected_output")
                found.append(
                    Example(
                        description=text(example, "description"),
                        input=plain_object(member(example, "input")),
                        expected_output=_output(output),
                    )
                )
        return tuple(found)

    def _aliases(self) -> tuple[str, ...]:
        if _NAME.fullmatch(self._name):
            return (self._name,)
        plainly = _OTHER.sub("_", self._name.lower()).strip("_")
        alias = (plainly if plainly[:1].isalpha() else f"t_{plainly}")[:100]
        message = f"is no name of this protocol; it is also called {alias!r}"
        self._findings.lost(FindingCode.PARSE_LENIENT, f"{self._where}/name", self._name, message)
        return (self._name, alias)


def _parameters(tool: Any) -> frozenset[str]:
    properties = member(adapted(member(tool, "parameters")), "properties")
    return (
        frozenset(name for name in properties if isinstance(name, str)) if isinstance(properties, dict) else frozenset()
    )


def _output(value: Any) -> Any:
    if isinstance(value, dict) and value.keys() == {"fields"}:
        return plain_object(value)
    return plain(value)
