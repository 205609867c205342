"""What a reader of a source noticed: every skip and every loss, so that nothing vanishes."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

import msgspec


class Severity(StrEnum):
    """An error lost something, a warning guessed or reduced something, a note only informs."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


class FindingCode(StrEnum):
    """The kinds of findings a load report has."""

    PARSE_ERROR = "parse_error"
    PARSE_LENIENT = "parse_lenient"
    DANGLING_REF = "dangling_ref"
    REF_REFUSED = "ref_refused"
    REF_CYCLE = "ref_cycle"
    BAD_OPERATION = "bad_operation"
    BAD_PARAMETER = "bad_parameter"
    UNDECLARED_PATH_PARAMETER = "undeclared_path_parameter"
    UNUSED_PATH_PARAMETER = "unused_path_parameter"
    DUPLICATE_OPERATION_ID = "duplicate_operation_id"
    NAME_COLLISION = "name_collision"
    PATTERN_UNSUPPORTED = "pattern_unsupported"
    SCHEMA_REDUCED = "schema_reduced"
    SCHEMA_UNSATISFIABLE = "schema_unsatisfiable"
    NO_SERVER = "no_server"
    SERVER_VARIABLE_UNSET = "server_variable_unset"
    SECURITY_UNSUPPORTED = "security_unsupported"
    CREDENTIALS_MISSING = "credentials_missing"
    MEDIA_TYPE_OPAQUE = "media_type_opaque"
    WEBHOOKS_IGNORED = "webhooks_ignored"
    CALLBACKS_NOTED = "callbacks_noted"
    LINKS_NOTED = "links_noted"
    SUBSCRIPTIONS_NOTED = "subscriptions_noted"
    EFFECT_REVIEW = "effect_review"
    MISSING_MEMBER = "missing_member"
    TEXT_FLAGGED = "text_flagged"
    INTROSPECTION_DISABLED = "introspection_disabled"
    HELD = "held"
    OVER_LIMIT = "over_limit"


class Finding(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One line of a load report. `where` is the document and a JSON pointer, or line and column."""

    severity: Severity
    code: FindingCode
    where: str
    message: str
    operation: str = ""
    fix: str = ""
    skipped: bool = False  # this finding cost its operation: operations = tools + skipped
    count: int = 1  # equal findings beyond the twentieth stand together


class LoadCounts(msgspec.Struct, frozen=True, kw_only=True):
    """What a read found and what it changed."""

    operations: int = 0
    tools: int = 0
    areas: int = 0
    added: int = 0
    changed: int = 0
    removed: int = 0
    skipped: int = 0


class LoadReport(msgspec.Struct, frozen=True, kw_only=True):
    """How reading a source went: printed after `add`, by `sources show`, by every face that connects."""

    source: str
    kind: str
    document: dict[str, Any]
    counts: LoadCounts
    problems: tuple[Finding, ...] = ()
    changes: dict[str, int] = {}  # of the changed ones: text, additive, breaking
    ms: int = 0
    unchanged: bool = False
