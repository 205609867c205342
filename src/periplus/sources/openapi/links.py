"""Results that feed other operations: declared links whose target exists (S-33)."""

from __future__ import annotations

from collections.abc import Iterable

from periplus.model import FindingCode, Link, Severity
from periplus.sources.openapi.answers import DeclaredLink
from periplus.sources.openapi.references import Library
from periplus.sources.openapi.references_port import Unresolved
from periplus.sources.openapi.report import Report
from periplus.sources.openapi.survey import Survey

_TOKENS = 3  # paths, the key, the method


class Links:
    """Finds the operations that links name."""

    def __init__(self, library: Library, survey: Survey, report: Report) -> None:
        self._library = library
        self._survey = survey
        self._report = report

    def of(self, declared: Iterable[DeclaredLink], key: str) -> tuple[Link, ...]:
        """The links that lead somewhere; `to` is the key of the operation. The others are noted."""
        found: dict[tuple[str, str], Link] = {}
        for link in declared:
            target = self._target(link)
            if not target:
                told = link.written.get("operationId", link.written.get("operationRef"))
                message = f"link {link.name!r} leads to {str(told)[:80]!r}, which is no operation of this document"
                self._report.add(Severity.NOTE, FindingCode.LINKS_NOTED, link.place.where, message, operation=key)
                continue
            given = link.written.get("parameters")
            parameters = dict(given) if isinstance(given, dict) else {}
            if "requestBody" in link.written:
                parameters.setdefault("body", link.written["requestBody"])
            found.setdefault((link.name, target), Link(to=target, name=link.name, parameters=parameters))
        return tuple(found.values())

    def _target(self, link: DeclaredLink) -> str:
        name = link.written.get("operationId")
        if isinstance(name, str):
            return name if self._survey.has_id(name) and name not in self._survey.twins else ""
        reference = link.written.get("operationRef")
        if not isinstance(reference, str):
            return ""
        try:
            found = self._library.hop({"$ref": reference}, link.place.base)
        except Unresolved:
            return ""
        tokens = [token.replace("~1", "/").replace("~0", "~") for token in found.pointer.split("/")[1:]]
        if len(tokens) != _TOKENS or tokens[0] != "paths" or not isinstance(found.value, dict):
            return ""
        name = found.value.get("operationId")
        if isinstance(name, str) and " " not in name and name not in self._survey.twins:
            return name
        return f"{tokens[2].upper()} {tokens[1]}"
