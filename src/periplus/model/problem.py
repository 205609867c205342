"""What can go wrong, once: a code, a sentence for the reader, and what to do next."""

from __future__ import annotations

from enum import Enum
from typing import Any, NamedTuple


class Status(NamedTuple):
    """How one code looks on each wire."""

    http: int
    rpc: int
    exit: int


class Code(Enum):
    """Every way Periplus says no. The value is the spelling on the wire; the table below maps it."""

    BAD_INPUT = "bad_input"  # what was given cannot be read as what it should be
    INVALID_ARGS = "invalid_args"  # the arguments are not what the tool takes
    INVALID_CURSOR = "invalid_cursor"  # the cursor belongs to another query, another gateway or an older catalog
    INVALID_TOKEN = "invalid_token"  # noqa: S105 - a sealed token is not valid here, or has expired
    TOKEN_INVALID = "token_invalid"  # noqa: S105 - the token of a workflow session does not verify here
    BAD_SETTING = "bad_setting"  # a setting is unknown or has no legal value
    PARSE_ERROR = "parse_error"  # a description is not what it should be, and nothing of it can be used
    PLACEHOLDER = "placeholder"  # an argument is still a placeholder that nobody filled in
    REFERENCE_UNRESOLVED = "reference_unresolved"  # a reference to an earlier result leads nowhere
    NOT_CALLABLE = "not_callable"  # it exists and is no tool that can be called
    UNSUPPORTED = "unsupported"  # no part of the gateway can do that
    OVER_LIMIT = "over_limit"  # a description exceeds a limit, which is named
    TOO_LARGE = "too_large"  # an answer exceeds a limit
    UNAUTHENTICATED = "unauthenticated"  # nobody has said who asks
    FORBIDDEN = "forbidden"  # the one who asks may not
    REFUSED_ADDRESS = "refused_address"  # the fetch guard does not go there
    NOT_ENABLED = "not_enabled"  # the operator has not switched that on
    TOOL_NOT_FOUND = "tool_not_found"  # no visible tool has that name
    SOURCE_NOT_FOUND = "source_not_found"  # no visible source has that name
    NO_MATCH = "no_match"  # nothing there serves the goal
    UNKNOWN_PATH = "unknown_path"  # no visible node has that path
    UNKNOWN_LANDMARK = "unknown_landmark"  # no visible area or action of the site has that id
    NOT_FOUND = "not_found"  # what was named is not there: a file, a page
    AMBIGUOUS_NAME = "ambiguous_name"  # several tools have that name; the hints list them
    APPROVAL_REQUIRED = "approval_required"  # a person has to agree first
    CONFLICT = "conflict"  # it collides with what is there
    EXPAND_REQUIRED = "expand_required"  # its schema has to be read before it is called
    SCHEMA_CHANGED = "schema_changed"  # the tool is no longer the one that was described
    HELD = "held"  # the change would remove most of a source; it waits to be accepted
    HANDSHAKE_REQUIRED = "handshake_required"  # the conversation has not begun as its protocol wants
    NOT_CONNECTED = "not_connected"  # the conversation has no source yet
    TOKEN_STALE = "token_stale"  # noqa: S105 - the workflow session has gone on since this token
    WORKFLOW_MISMATCH = "workflow_mismatch"  # the token belongs to a session of another workflow
    DEFINITION_BROKEN = "definition_broken"  # a workflow's files cannot be used as they are
    GATE_CLOSED = "gate_closed"  # a checkpoint has to be answered first
    NOT_PENDING = "not_pending"  # no answer is waited for there
    NOT_ALLOWED = "not_allowed"  # a checkpoint cannot be answered in that way
    TOO_EARLY = "too_early"  # an answer came faster than it may; the same is accepted later
    DIRECT_CALL = "direct_call"  # the tool is called through another one
    IDEMPOTENCY_CONFLICT = "idempotency_conflict"  # the key was used with other arguments
    RATE_LIMITED = "rate_limited"  # too many calls for now
    CREDENTIALS_MISSING = "credentials_missing"  # a reference to a secret does not resolve
    UPSTREAM_UNAUTHENTICATED = "upstream_unauthenticated"  # the API did not accept the credentials
    UPSTREAM_ERROR = "upstream_error"  # the API answered with an error
    UNAVAILABLE = "unavailable"  # the API cannot be reached, or its server does not start
    TIMEOUT = "timeout"  # it took longer than it may
    CANCELLED = "cancelled"  # the caller gave up
    STORE_ERROR = "store_error"  # the data directory cannot be read or written
    INTERNAL = "internal"  # a fault of the gateway itself

    @property
    def status(self) -> Status:
        return _TABLE[self]


# JSON-RPC keeps -32602 for bad parameters; the rest is numbered by its HTTP status inside the server range.
# Exit codes follow sysexits where one fits, so that scripts can tell usage, data, access and outage apart.
_USAGE, _DATA, _MISSING, _ACCESS, _OUTAGE, _FAULT, _RETRY, _CONFIG = 64, 65, 66, 77, 69, 70, 75, 78

_TABLE: dict[Code, Status] = {
    Code.BAD_INPUT: Status(400, -32602, _USAGE),
    Code.INVALID_ARGS: Status(400, -32602, _DATA),
    Code.INVALID_CURSOR: Status(400, -32602, _USAGE),
    Code.INVALID_TOKEN: Status(400, -32602, _USAGE),
    Code.TOKEN_INVALID: Status(401, -32001, _ACCESS),
    Code.BAD_SETTING: Status(400, -32602, _CONFIG),
    Code.PARSE_ERROR: Status(422, -32022, _DATA),
    Code.PLACEHOLDER: Status(400, -32602, _DATA),
    Code.REFERENCE_UNRESOLVED: Status(400, -32602, _DATA),
    Code.NOT_CALLABLE: Status(400, -32602, _USAGE),
    Code.UNSUPPORTED: Status(422, -32022, _DATA),
    Code.OVER_LIMIT: Status(413, -32013, _DATA),
    Code.TOO_LARGE: Status(413, -32013, _DATA),
    Code.UNAUTHENTICATED: Status(401, -32001, _ACCESS),
    Code.FORBIDDEN: Status(403, -32003, _ACCESS),
    Code.REFUSED_ADDRESS: Status(403, -32003, _ACCESS),
    Code.NOT_ENABLED: Status(403, -32003, _ACCESS),
    Code.TOOL_NOT_FOUND: Status(404, -32004, _MISSING),
    Code.SOURCE_NOT_FOUND: Status(404, -32004, _MISSING),
    Code.NO_MATCH: Status(404, -32004, _MISSING),
    Code.UNKNOWN_PATH: Status(404, -32004, _MISSING),
    Code.UNKNOWN_LANDMARK: Status(404, -32004, _MISSING),
    Code.NOT_FOUND: Status(404, -32004, _MISSING),
    Code.AMBIGUOUS_NAME: Status(409, -32009, _USAGE),
    Code.APPROVAL_REQUIRED: Status(409, -32009, _RETRY),
    Code.CONFLICT: Status(409, -32009, _DATA),
    Code.EXPAND_REQUIRED: Status(409, -32009, _USAGE),
    Code.SCHEMA_CHANGED: Status(409, -32009, _DATA),
    Code.HELD: Status(409, -32009, _RETRY),
    Code.HANDSHAKE_REQUIRED: Status(409, -32009, _USAGE),
    Code.NOT_CONNECTED: Status(409, -32009, _USAGE),
    Code.TOKEN_STALE: Status(409, -32009, _USAGE),
    Code.WORKFLOW_MISMATCH: Status(409, -32009, _USAGE),
    Code.DEFINITION_BROKEN: Status(422, -32022, _DATA),
    Code.GATE_CLOSED: Status(409, -32009, _USAGE),
    Code.NOT_PENDING: Status(409, -32009, _USAGE),
    Code.NOT_ALLOWED: Status(409, -32009, _USAGE),
    Code.TOO_EARLY: Status(425, -32025, _RETRY),
    Code.DIRECT_CALL: Status(409, -32009, _USAGE),
    Code.IDEMPOTENCY_CONFLICT: Status(409, -32009, _DATA),
    Code.RATE_LIMITED: Status(429, -32029, _RETRY),
    Code.CREDENTIALS_MISSING: Status(502, -32052, _CONFIG),
    Code.UPSTREAM_UNAUTHENTICATED: Status(502, -32052, _ACCESS),
    Code.UPSTREAM_ERROR: Status(502, -32052, _OUTAGE),
    Code.UNAVAILABLE: Status(503, -32053, _OUTAGE),
    Code.TIMEOUT: Status(504, -32054, _RETRY),
    Code.CANCELLED: Status(499, -32800, 130),
    Code.STORE_ERROR: Status(500, -32603, 74),
    Code.INTERNAL: Status(500, -32603, _FAULT),
}


class Problem(Exception):  # noqa: N818 - it is a value that travels as an exception, not only an error
    """One refusal: what was wrong with its value, and what the reader can do about it."""

    def __init__(  # noqa: PLR0913 - one for each thing a reader may be told
        self,
        code: Code,
        message: str,
        *,
        hints: tuple[str, ...] = (),
        next_action: dict[str, Any] | None = None,
        where: str | None = None,
        retryable: bool = False,
        details: dict[str, Any] | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.hints = hints
        self.next_action = next_action
        self.where = where
        self.retryable = retryable
        self.details = details or {}  # of an upstream's refusal: http_status, body, retry_after, not_processed

    def to_json(self) -> dict[str, Any]:
        """Give the one shape every wire starts from."""
        body: dict[str, Any] = {"code": self.code.value, "message": self.message, "hints": list(self.hints)}
        if self.where is not None:
            body["where"] = self.where
        if self.details:
            body["details"] = self.details
        return body | {"next_action": self.next_action, "retryable": self.retryable}

    def __repr__(self) -> str:
        return f"Problem({self.code.name}, {self.message!r})"
