"""What was noticed while reading one schema: equal findings beyond the twentieth stand together (S-5)."""

from __future__ import annotations

import msgspec

from periplus.model import Finding, FindingCode, Severity

_ALONE = 20


class Report:
    """The growing findings of one document. A place is a schema coordinate: `Ship`, `Ship.name`, `Query.ship(id:)`."""

    def __init__(self, document: str) -> None:
        self.findings: list[Finding] = []
        self._document = document
        self._equal: dict[tuple[Severity, FindingCode, str, bool], list[int]] = {}

    def lost(self, code: FindingCode, place: str, message: str, *, fix: str = "") -> None:
        """Something was left out or reduced, and its neighbours were not."""
        self._add(Finding(severity=Severity.WARNING, code=code, where=self._at(place), message=message, fix=fix))

    def skipped(self, operation: str, message: str) -> None:
        """A root field did not become a tool."""
        self._add(
            Finding(
                severity=Severity.ERROR,
                code=FindingCode.BAD_OPERATION,
                where=self._at(operation),
                message=message,
                operation=operation,
                skipped=True,
            )
        )

    def note(self, code: FindingCode, place: str, message: str, *, fix: str = "") -> None:
        """Something worth knowing that cost nothing."""
        self._add(Finding(severity=Severity.NOTE, code=code, where=self._at(place), message=message, fix=fix))

    def error(self, code: FindingCode, place: str, message: str, *, fix: str = "") -> None:
        """Something every tool of the source needs is missing."""
        self._add(Finding(severity=Severity.ERROR, code=code, where=self._at(place), message=message, fix=fix))

    def _at(self, place: str) -> str:
        return f"{self._document}#{place}" if place else self._document

    def _add(self, finding: Finding) -> None:
        key = (finding.severity, finding.code, finding.message, finding.skipped)
        places = self._equal.setdefault(key, [])
        # A skipped operation keeps its own line, so that operations = tools + skipped can be counted.
        if len(places) >= _ALONE and not finding.skipped:
            last = self.findings[places[-1]]
            self.findings[places[-1]] = msgspec.structs.replace(last, count=last.count + 1)
            return
        places.append(len(self.findings))
        self.findings.append(finding)
