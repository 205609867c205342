"""Which OpenAPI a document speaks (S-33)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

import msgspec

from periplus.model import Code, FindingCode, Problem, Severity
from periplus.sources.openapi.report import Report

_NUMBER = re.compile(r"\s*v?(\d+)(?:\.(\d+))?")
NEWEST = 2  # of the 3.x line


class Version(msgspec.Struct, frozen=True, kw_only=True):
    """The text a document gives, and as what it is read."""

    text: str
    major: int
    minor: int

    @property
    def has_trace(self) -> bool:
        return self.major == 3

    @property
    def has_query(self) -> bool:
        return (self.major, self.minor) >= (3, 2)

    @property
    def has_siblings(self) -> bool:
        """Whether members beside a `$ref` count (S-37)."""
        return (self.major, self.minor) >= (3, 1)


def looks_like(root: Mapping[str, Any]) -> bool:
    """Whether a document says it is an OpenAPI description."""
    return "openapi" in root or "swagger" in root


def version_of(root: Mapping[str, Any], report: Report) -> Version:
    """The version by the text of `swagger` or `openapi`; a number is accepted."""
    member = "openapi" if root.get("openapi") is not None else "swagger"
    written = root.get(member)
    text = str(written).strip() if isinstance(written, str | int | float | Decimal) else ""
    found = _NUMBER.match(text)
    if found is None:
        raise _no_version(root, member, written)
    major, minor = int(found[1][:6]), int((found[2] or "0")[:6])
    if major == 2:
        return Version(text=text, major=2, minor=0)
    if major != 3:
        raise Problem(
            Code.UNSUPPORTED,
            f"{member}: {text[:40]!r} is not read; 2.0 and 3.x are",
            hints=("convert the document to OpenAPI 3",),
            where=f"{report.document}#/{member}",
        )
    if minor > NEWEST:
        report.add(
            Severity.WARNING,
            FindingCode.PARSE_LENIENT,
            f"/{member}",
            f"OpenAPI {text} is newer than this reader; it is read as 3.{NEWEST}",
        )
    return Version(text=text, major=3, minor=min(minor, NEWEST))


def _no_version(root: Mapping[str, Any], member: str, written: object) -> Problem:
    if written is not None:
        what = f"{member}: {str(written)[:40]!r} is no version"
    elif "swaggerVersion" in root:
        return Problem(
            Code.UNSUPPORTED,
            f"Swagger {str(root['swaggerVersion'])[:20]} is not read; 2.0 and 3.x are",
            hints=("convert the document to OpenAPI 3",),
            where=f"{member}",
        )
    else:
        members = ", ".join(list(root)[:8])
        what = f"the document has neither 'openapi' nor 'swagger'; its members are: {members or 'none'}"
    return Problem(
        Code.PARSE_ERROR,
        f"not an OpenAPI document: {what}",
        hints=('an OpenAPI document starts with openapi: "3.1.0" or swagger: "2.0"',),
    )
