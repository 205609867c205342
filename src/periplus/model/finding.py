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

    PARSE_ERROR = "parse_error"  # a part of the description cannot be parsed and is left out
    PARSE_LENIENT = "parse_lenient"  # something is written wrongly, and was read as what it must mean
    DANGLING_REF = "dangling_ref"  # a reference leads nowhere; anything is accepted in its place
    REF_REFUSED = "ref_refused"  # a reference leads where the document may not send the gateway
    REF_CYCLE = "ref_cycle"  # a reference leads back to itself
    BAD_OPERATION = "bad_operation"  # an operation, or a part of one, is not what it should be
    BAD_PARAMETER = "bad_parameter"  # a parameter is not what it should be
    UNDECLARED_PATH_PARAMETER = "undeclared_path_parameter"  # the path names a parameter nobody declares: it is text
    UNUSED_PATH_PARAMETER = "unused_path_parameter"  # a path parameter is declared and not in the path
    DUPLICATE_OPERATION_ID = "duplicate_operation_id"  # several operations have one operationId; all are kept
    NAME_COLLISION = "name_collision"  # several operations or areas want one name; all are kept and told apart
    PATTERN_UNSUPPORTED = "pattern_unsupported"  # a regular expression cannot be checked here and is left out
    SCHEMA_REDUCED = "schema_reduced"  # a schema says less than its description does
    SCHEMA_UNSATISFIABLE = "schema_unsatisfiable"  # no value satisfies a schema
    NO_SERVER = "no_server"  # the description does not say where calls go
    SERVER_VARIABLE_UNSET = "server_variable_unset"  # a variable in a server's URL has no value
    SECURITY_UNSUPPORTED = "security_unsupported"  # a security scheme is of a kind that is not known
    CREDENTIALS_MISSING = "credentials_missing"  # a secret is needed and not there, or stands where it should not
    MEDIA_TYPE_OPAQUE = "media_type_opaque"  # a media type is not known; it is kept as declared
    WEBHOOKS_IGNORED = "webhooks_ignored"  # webhooks are requests the API sends, so they are no tools
    CALLBACKS_NOTED = "callbacks_noted"  # callbacks are requests the API sends, so they are no tools
    LINKS_NOTED = "links_noted"  # a link between operations could not be taken over whole
    SUBSCRIPTIONS_NOTED = "subscriptions_noted"  # subscriptions cannot be called: a call has one answer
    EFFECT_REVIEW = "effect_review"  # a tool counts as writing although its name reads
    MISSING_MEMBER = "missing_member"  # something usual is not there
    TEXT_FLAGGED = "text_flagged"  # a text reads like instructions to a model, or hides characters
    INTROSPECTION_DISABLED = "introspection_disabled"  # the server does not tell its whole schema
    ASYNC_UNPOLLABLE = "async_unpollable"  # a long-running tool names tools or parameters that are not there
    HELD = "held"  # a change waits to be accepted
    OVER_LIMIT = "over_limit"  # a limit was reached; what lies beyond it is left out


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
