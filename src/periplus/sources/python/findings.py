"""What reading Python code noticed, each with the file and the line it is about."""

from __future__ import annotations

import inspect
from typing import Any

from periplus.model import Finding, FindingCode, Severity
from periplus.provider.foreign import Fault, attempt


class Findings:
    """Collects findings; `where` is the file and the line of the function."""

    def __init__(self, file: str) -> None:
        self._file = file
        self.found: list[Finding] = []

    def skipped(self, function: Any, name: str, message: str, fix: str = "") -> None:
        """A function nothing can be made of, or that nobody meant to publish."""
        self._add(Severity.WARNING, FindingCode.BAD_OPERATION, _where(function, self._file), name, message, fix, True)

    def reduced(self, function: Any, name: str, message: str) -> None:
        where = _where(function, self._file)
        self._add(Severity.WARNING, FindingCode.SCHEMA_REDUCED, where, name, message)

    def untyped(self, function: Any, name: str, message: str) -> None:
        self._add(Severity.NOTE, FindingCode.MISSING_MEMBER, _where(function, self._file), name, message)

    def bad(self, function: Any, name: str, message: str) -> None:
        self._add(Severity.WARNING, FindingCode.BAD_PARAMETER, _where(function, self._file), name, message)

    def pattern(self, pattern: str) -> None:
        message = f"{pattern[:120]!r} is left out: it is no pattern, or one with look-around or back references"
        self._add(Severity.WARNING, FindingCode.PATTERN_UNSUPPORTED, self._file, "", message)

    def missing(self, name: str) -> None:
        message = f"__all__ names {name!r}, which the module has not"
        self._add(Severity.NOTE, FindingCode.MISSING_MEMBER, self._file, name, message)

    def edited(self) -> None:
        message = "edited since this process loaded it; its tools are those of the text that was loaded"
        fix = "restart the gateway"
        self._add(Severity.WARNING, FindingCode.PARSE_LENIENT, self._file, "", message, fix)

    def _add(  # noqa: PLR0913, PLR0917 - one line of the report
        self,
        severity: Severity,
        code: FindingCode,
        where: str,
        operation: str,
        message: str,
        fix: str = "",
        skipped: bool = False,  # noqa: FBT001, FBT002
    ) -> None:
        text = message.encode("utf-8", "replace").decode()
        self.found.append(
            Finding(
                severity=severity,
                code=code,
                where=where,
                operation=operation,
                message=text,
                fix=fix,
                skipped=skipped,
            )
        )


def _where(function: Any, file: str) -> str:
    inner = attempt(lambda: inspect.unwrap(getattr(function, "__func__", function)))
    code = None if isinstance(inner, Fault) else getattr(inner, "__code__", None)
    return f"{code.co_filename}:{code.co_firstlineno}" if code else file
