"""A question put to a person before a call may go out."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

import msgspec


class ApprovalState(StrEnum):
    """Where a question stands. Only a granted one can be spent, once."""

    PENDING = "pending"
    GRANTED = "granted"
    REFUSED = "refused"
    SPENT = "spent"
    EXPIRED = "expired"


class Approval(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Bound to principal, tool fingerprint, canonical arguments and policy version: nothing else can use it (T-31)."""

    id: str
    binding: str  # digest of everything it is bound to
    tenant: str
    principal: str
    tool: str  # the ref
    arguments: dict[str, Any]  # as a person is shown them, secrets redacted
    effect: str
    rule: str
    reason: str = ""
    asked_at: float = 0.0
    expires_at: float = 0.0
    state: ApprovalState = ApprovalState.PENDING
    settled_by: str = ""
    settled_at: float = 0.0
    settled_why: str = ""
    grant: str = ""  # sealed over id and binding when it is granted: a row that was edited grants nothing
