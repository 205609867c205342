"""What reading a listing noticed, each with the place in the listing it is about."""

from __future__ import annotations

from typing import Any

from periplus.model import Finding, FindingCode, Severity

_SHOWN = 120


class Findings:
    """Collects findings; `where` is the listing's address and a JSON pointer into it."""

    def __init__(self, place: str) -> None:
        self._place = place
        self.found: list[Finding] = []

    def skipped(self, where: str, operation: Any, message: str) -> None:
        """An entry nothing can be made of."""
        self._add((Severity.ERROR, FindingCode.BAD_OPERATION), where, operation, message, skipped=True)

    def repeated(self, where: str, operation: Any) -> None:
        """An entry that is listed twice, word for word."""
        message = "listed more than once, in the same words; kept once"
        self._add((Severity.NOTE, FindingCode.NAME_COLLISION), where, operation, message, skipped=True)

    def missing(self, where: str, operation: Any, message: str) -> None:
        self._add((Severity.NOTE, FindingCode.MISSING_MEMBER), where, operation, message)

    def bad(self, where: str, operation: Any, message: str) -> None:
        self._add((Severity.WARNING, FindingCode.BAD_PARAMETER), where, operation, message)

    def reduced(self, where: str, operation: Any, message: str) -> None:
        self._add((Severity.WARNING, FindingCode.SCHEMA_REDUCED), where, operation, message)

    def lost(self, code: FindingCode, where: str, operation: Any, message: str, *, fix: str = "") -> None:
        """Something that was left out or is missed, of a kind of its own."""
        self._add((Severity.WARNING, code), where, operation, message, fix=fix)

    def lenient(self, message: str) -> None:
        """Something odd that cost nothing."""
        self._add((Severity.NOTE, FindingCode.PARSE_LENIENT), "", "", message)

    def _add(self, kind: tuple[Severity, FindingCode], where: str, operation: Any, message: str, **more: Any) -> None:
        severity, code = kind
        self.found.append(
            Finding(
                severity=severity,
                code=code,
                where=f"{self._place}#{where}" if where else self._place,
                operation=operation if isinstance(operation, str) else "",
                message=message,
                **more,
            )
        )


def shown(value: Any) -> str:
    """A value from outside as it may stand in a message."""
    text = repr(value)
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"
