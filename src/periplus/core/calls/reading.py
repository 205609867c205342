"""Whether a caller has read the schema it calls with, where its protocol wants that (E-32, E-33)."""

from __future__ import annotations

import msgspec

from periplus.core.sessions import Conversations
from periplus.model import Code, Principal, Problem, Tool


class MustRead(msgspec.Struct, frozen=True, kw_only=True):
    """A schema counts as read for so long, remembered by the session or proved by what a token says."""

    within_s: float = 1800.0
    proved: tuple[str, str] = ("", "")  # of a token that is in force: whose schema, and its hash
    unfit: bool = False  # a token was shown that proves nothing: another's, an old one, or none of ours


async def check_read(rule: MustRead, tool: Tool, sessions: Conversations, who: Principal, session: str) -> None:
    """Refuse a call of a tool whose present schema its caller has not read lately."""
    ref, proved = rule.proved
    known = {proved} if ref == str(tool.ref) else set[str]()
    if session and (told := await sessions.shown(who, session, tool, rule.within_s)):
        known.add(told)
    if tool.schema_hash in known:
        return
    if known:
        raise Problem(
            Code.SCHEMA_CHANGED,
            f"the schema of {tool.ref} has changed since it was read; nothing ran",
            hints=("look at the new schema, then call again",),
            retryable=True,
        )
    foreign = "the token does not fit, it is another caller's or its time is over; " if rule.unfit else ""
    foreign = f"the token is for {ref}, not for {tool.ref}; " if ref else foreign
    raise Problem(
        Code.EXPAND_REQUIRED,
        f"{foreign}read the schema of {tool.ref} first",
        hints=(f"a schema counts as read for {rule.within_s / 60:g} min",),
        next_action={"op": "describe", "args": {"tool": str(tool.ref)}},
        retryable=True,
    )
