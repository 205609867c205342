"""One operation as a draft: everything said of it in one value (S-17 to S-19, S-24, S-28, S-32)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import msgspec

from periplus.model import Draft, FindingCode, Severity
from periplus.sources.openapi import paths
from periplus.sources.openapi.answers import Answers
from periplus.sources.openapi.areas import Area, Areas, PathAreas, area_of_text, tags_of
from periplus.sources.openapi.arguments import OperationParts, build
from periplus.sources.openapi.bodies import Bodies
from periplus.sources.openapi.extensions import IDEMPOTENT, Extensions, base_effect, extensions_of
from periplus.sources.openapi.links import Links
from periplus.sources.openapi.operations import Operation
from periplus.sources.openapi.outcomes import Outcomes
from periplus.sources.openapi.parameters import Fitted, Parameters, Spoilt
from periplus.sources.openapi.report import Report
from periplus.sources.openapi.schemas import Schemas
from periplus.sources.openapi.security import Requirement, Security
from periplus.sources.openapi.servers import Servers
from periplus.sources.openapi.survey import Survey, operation_id


class Desk(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that is read once per document and asked for each operation."""

    report: Report
    survey: Survey
    areas: Areas
    path_areas: Callable[[], PathAreas]
    parameters: Parameters
    outcomes: Outcomes
    links: Links
    servers: Servers
    security: Security
    root_security: list[Requirement]
    bodies: Bodies
    schemas: Schemas


class Drafting:
    """Turns operations into drafts, one at a time; what spoils one is a finding."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._template = ("", paths.parse(""))

    def draft(self, operation: Operation) -> Draft | None:
        """The operation as a draft, or None and the reason in the report."""
        key = self._desk.survey.key(operation)
        try:
            return self._drafted(operation, key)
        except Spoilt as spoilt:
            self._desk.report.add(
                Severity.ERROR, spoilt.code, spoilt.where, spoilt.message, operation=key, skipped=True
            )
            return None

    def _drafted(self, operation: Operation, key: str) -> Draft:
        desk, written, where = self._desk, operation.written, operation.place.where
        said = extensions_of(operation, desk.report, key)
        tags = tags_of(written)
        name = operation_id(operation)
        if name in desk.survey.twins:
            desk.survey.twins[name].append(operation.origin)
        fitted = desk.parameters.of(operation, key, self._parsed(operation.path))
        security = desk.security.requirements(written, where)
        arguments = build(
            OperationParts(
                where=where,
                operation=key,
                parameters=_asked(fitted, said.idempotency),
                body=desk.bodies.of(operation, key),
                consumes=desk.bodies.consumes(written),
                hidden=_hidden(fitted, desk.security.keys(desk.root_security if security is None else security)),
            ),
            desk.schemas,
        )
        answers, result = desk.outcomes.of(operation, key)
        if not answers.declared:
            self._note(
                operation,
                FindingCode.MISSING_MEMBER,
                "declares no responses; any 2xx counts as success and the result type is unknown",
                key,
            )
        effect = base_effect(operation.method)
        return Draft(
            key=key,
            leaf=said.name or name or paths.leaf(operation.method, operation.path),
            origin=operation.origin,
            method=operation.method.lower(),
            areas=self._areas(operation.path, tags, said),
            summary=said.summary or _text(operation, "summary"),
            description=_text(operation, "description"),
            args_schema=arguments.args_schema,
            result_schema=result,
            effect=effect if said.effect is None else said.effect,
            effect_declared=said.effect is not None,
            effect_words=_words(operation.path),
            idempotent=operation.method in IDEMPOTENT or bool(arguments.idempotency_key or said.idempotency),
            requires_approval=said.approval,
            hidden=said.hidden,
            deprecated=_is_deprecated(written),
            tags=tags,
            examples=arguments.examples,
            links=desk.links.of(answers.links, key),
            aliases=_aliases(operation, name, tags),
            binding=self._binding(operation, fitted, answers, security) | _keyed(arguments.binding, said.idempotency),
            metadata=dict(_metadata(written, said)),
            notes=(*arguments.notes, *self._callbacks(operation, key)),
        )

    def _areas(self, path: str, tags: tuple[str, ...], said: Extensions) -> tuple[Area, ...]:
        areas = self._desk.areas
        own = area_of_text(said.area) if said.area else ()
        if own:
            return areas.places(own, *(areas.of_tags(tags) if tags else ()))
        return areas.of_tags(tags) if tags else areas.places(self._desk.path_areas().of(path))

    def _binding(
        self, operation: Operation, fitted: Fitted, answers: Answers, security: list[Requirement] | None
    ) -> dict[str, Any]:
        """What the HTTP transport needs to send this operation, beside what the whole site shares."""
        binding: dict[str, Any] = {"method": operation.method, "path": fitted.path, "accept": answers.accept}
        if fitted.query:
            binding["query"] = [list(member) for member in fitted.query]
        if security is not None:
            binding["security"] = security
        for owner, place in ((operation.written, operation.place), *reversed(operation.around)):
            if "servers" in owner and (site := self._desk.servers.of_part(owner, place)):
                binding["site"] = site.to_json()
                break
        if answers.poll:
            binding["poll"] = answers.poll
        if answers.headers:
            binding["headers"] = list(answers.headers)
        return binding

    def _callbacks(self, operation: Operation, key: str) -> Iterator[str]:
        callbacks = operation.written.get("callbacks")
        if isinstance(callbacks, dict) and callbacks:
            names = ", ".join(list(callbacks)[:5])
            yield f"calls back: {names}"
            self._note(operation, FindingCode.CALLBACKS_NOTED, f"callbacks are not received: {names}", key)

    def _note(self, operation: Operation, code: FindingCode, message: str, key: str) -> None:
        self._desk.report.add(Severity.NOTE, code, operation.place.where, message, operation=key)

    def _parsed(self, path: str) -> paths.Template:
        """The template of a path; operations of one path come one after the other."""
        if self._template[0] != path:
            self._template = path, paths.parse(path)
        return self._template[1]


def _aliases(operation: Operation, name: str, tags: tuple[str, ...]) -> tuple[str, ...]:
    """Other spellings: its operationId, where it is, and the reference gateway's id (S-19)."""
    stem = name or paths.leaf(operation.method, operation.path)
    aliases = (name, operation.origin, f"{tags[0] if tags else 'General'}:{stem}")
    return aliases if name else aliases[1:]


def _words(path: str) -> tuple[str, ...]:
    word = paths.last_word(path)
    return (word,) if word else ()


def _text(operation: Operation, member: str) -> str:
    """A text of the operation; where it has none at all, its path item's stands for it."""
    own = operation.written.get(member)
    if isinstance(own, str) and own:
        return own
    if operation.written.get("summary") or operation.written.get("description"):
        return ""
    texts = (item.get(member) for item, _ in reversed(operation.around))
    return next((text for text in texts if isinstance(text, str)), "")


def _is_deprecated(written: Mapping[str, Any]) -> bool:
    return written.get("deprecated") in (True, "true")


def _hidden(fitted: Fitted, keys: frozenset[tuple[str, str]]) -> frozenset[tuple[str, str]]:
    """The parameters that carry a credential: they are filled by its configuration, not by callers (S-43)."""
    if not keys:
        return keys
    return frozenset(
        (one.location, one.name)
        for one in fitted.parameters
        if (one.location, one.name.lower() if one.location == "header" else one.name) in keys
    )


def _asked(fitted: Fitted, header: str) -> list[tuple[Mapping[str, Any], str]]:
    """The parameters as they are written; the header that takes the call's key need not be given."""
    return [
        (
            {**one.written, "required": False} if header and _is_header(one.written, header) else one.written,
            one.place.base,
        )
        for one in fitted.parameters
    ]


def _keyed(binding: dict[str, Any], header: str) -> dict[str, Any]:
    """The binding with the header that an author named for the call's idempotency key (S-70)."""
    if not header:
        return binding
    wires = [wire for wire in binding["parameters"] if not _is_header(wire, header)]
    told = next((wire for wire in binding["parameters"] if _is_header(wire, header)), {"in": "header", "name": header})
    return {**binding, "parameters": [*wires, {**told, "fill": "idempotency_key"}]}


def _is_header(wire: Mapping[str, Any], name: str) -> bool:
    return wire["in"] == "header" and str(wire["name"]).lower() == name.lower()


def _metadata(written: Mapping[str, Any], said: Extensions) -> Iterator[tuple[str, Any]]:
    yield from said.metadata.items()
    documentation = written.get("externalDocs")
    url = documentation.get("url") if isinstance(documentation, dict) else None
    if isinstance(url, str):
        yield "documentation", url
