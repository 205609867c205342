"""A call as it is asked for, and as it stands once it may be sent."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from periplus.core.calls.leave import Leave
from periplus.core.calls.reading import MustRead
from periplus.core.mending.lenient import STRICT, Leniency
from periplus.core.shaping.shape import WHOLE, Shape
from periplus.model import CallRules, Decision, Prepared, Principal, Tool
from periplus.ports import Calling, Dialogue, Listener, Site, no_progress
from periplus.ports.transports import Progress


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """One call: which tool, with what, for whom, and how much of its result is wanted."""

    tool: str
    arguments: dict[str, Any]
    principal: Principal
    session: str = ""
    approval: str = ""
    leave: Leave | None = None
    used: Callable[[Leave], None] | None = None  # hears what its approval permits once it is spent
    idempotency_key: str = ""
    timeout_s: float | None = None
    shape: Shape = WHOLE
    must_read: MustRead | None = None  # the schema, before it is called
    keep: bool = False  # keep the result whole even if all of it is shown
    stays: bool = False  # keep it its whole time, also when nobody uses it
    budget: int | None = None  # characters of the result that are shown; None: as many as the rules say
    leniency: Leniency = STRICT
    echoes: bool = False  # tell with the result what was sent
    dialogue: Dialogue | None = None
    presented: dict[str, str] = {}
    progress: Progress = no_progress
    listener: Listener | None = None


class Bounds(msgspec.Struct, frozen=True, kw_only=True):
    """What holds for every call."""

    rules: CallRules = CallRules()
    response_bytes: int = 32 << 20
    stream_s: float = 20.0


class Ready(msgspec.Struct, frozen=True, kw_only=True):
    """A call whose every check has passed but the person's and the limits': what was judged is what will be sent."""

    tool: Tool
    site: Site
    given: dict[str, Any]  # as its caller gave them, under the names of the schema
    arguments: dict[str, Any]  # as they are sent
    calling: Calling
    prepared: Prepared
    decision: Decision
    policy: str  # its version
    notes: tuple[str, ...] = ()  # what was done to the arguments
