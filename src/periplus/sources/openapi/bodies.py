"""The declared body of an operation, behind its references (S-36, S-53)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from periplus.model import FindingCode, Severity
from periplus.sources.openapi.answers import media_types
from periplus.sources.openapi.operations import Operation, unresolved, unresolved_code
from periplus.sources.openapi.parameters import Spoilt
from periplus.sources.openapi.references import Library
from periplus.sources.openapi.references_port import Unresolved
from periplus.sources.openapi.report import Report

_BODILESS = frozenset({"GET", "HEAD", "DELETE"})


class Bodies:
    """Finds the bodies of operations of one document."""

    def __init__(self, library: Library, consumes: object, report: Report, *, swagger: bool) -> None:
        self._library = library
        self._consumes = media_types(consumes)
        self._report = report
        self._swagger = swagger

    def of(self, operation: Operation, key: str) -> tuple[Mapping[str, Any], str] | None:
        """The body and the base of its references; raises `Spoilt` when it cannot be found."""
        body = operation.written.get("requestBody")
        if body is None or self._swagger:
            return None
        place, base = operation.place.below("requestBody"), operation.place.base
        if isinstance(body, dict) and isinstance(body.get("$ref"), str):
            try:
                found = self._library.resolve(body, base)
            except Unresolved as error:
                raise Spoilt(unresolved_code(error), f"body {unresolved(error)}", place.where) from error
            body, base = found.value, found.base
        if not isinstance(body, dict):
            message = f"requestBody is {type(body).__name__}, not an object; it is left out"
            self._report.add(Severity.WARNING, FindingCode.BAD_OPERATION, place.where, message, operation=key)
            return None
        if operation.method in _BODILESS:
            message = f"declares a body on {operation.method}, which servers may ignore; it is sent"
            self._report.add(Severity.NOTE, FindingCode.PARSE_LENIENT, place.where, message, operation=key)
        return body, base

    def consumes(self, written: Mapping[str, Any]) -> tuple[str, ...]:
        """2.0: what a body may be, by the operation, else by the document."""
        return (media_types(written.get("consumes")) or self._consumes) if self._swagger else ()
