"""What was noticed while reading: each loss once, equal ones beyond the twentieth as one line with a count (S-5)."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from periplus.model import Finding, FindingCode, Severity

ALONE = 20


class Report:
    """The growing list of findings of one document, and how many operations it has seen."""

    def __init__(self, document: str, findings: list[Finding], spelled: Callable[[str], str] | None = None) -> None:
        self.document = document
        self._spelled = spelled
        self.findings = findings
        self.skipped = 0
        self._equal: dict[tuple[Severity, FindingCode, str, bool], list[int]] = {}

    def take(self, finding: Finding) -> None:
        """Note a finding whose place is a whole URL with a pointer."""
        url, sign, pointer = finding.where.partition("#")
        where = f"{self._spelled(url)}#{pointer}" if sign and self._spelled else finding.where
        self.add(
            finding.severity,
            finding.code,
            where,
            finding.message,
            operation=finding.operation,
            fix=finding.fix,
            skipped=finding.skipped,
        )

    def add(  # noqa: PLR0913 - a finding has that many members
        self,
        severity: Severity,
        code: FindingCode,
        where: str,
        message: str,
        *,
        operation: str = "",
        fix: str = "",
        skipped: bool = False,
    ) -> None:
        """Note one thing. `where` is a JSON pointer into the root document, or a whole `document#/pointer`."""
        self.skipped += skipped
        key = (severity, code, message, skipped)
        places = self._equal.setdefault(key, [])
        if len(places) > ALONE:
            last = self.findings[places[-1]]
            self.findings[places[-1]] = msgspec.structs.replace(last, count=last.count + 1)
            return
        places.append(len(self.findings))
        where = where if "#" in where and not where.startswith("#") else f"{self.document}#{where.lstrip('#')}"
        self.findings.append(
            Finding(
                severity=severity,
                code=code,
                where=where,
                message=message,
                operation=operation,
                fix=fix,
                skipped=skipped,
            )
        )
