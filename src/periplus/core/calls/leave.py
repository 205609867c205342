"""A permission that a person gave once, for several calls that were shown together (H-65)."""

from __future__ import annotations

from typing import Any

import msgspec

from periplus.core.sequence.templates import Template, inside


class Wanted(msgspec.Struct, frozen=True, kw_only=True):
    """One of several calls that are asked for together; its arguments may hold references to earlier results."""

    tool: str
    arguments: Template = Template({})
    each: str = ""  # what it is done for each of, where that is not known yet


class Permitted(msgspec.Struct, frozen=True, kw_only=True):
    """A tool as it was when a person agreed, and the arguments as they were shown."""

    ref: str
    fingerprint: str
    arguments: dict[str, Any]
    open: tuple[str, ...] = ()  # places of the arguments that were shown as references
    each: str = ""


class Leave(msgspec.Struct, frozen=True, kw_only=True):
    """What a spent approval of several calls permits, to its principal and under its policy alone."""

    approval: str
    tenant: str
    principal: str
    policy: str
    calls: tuple[Permitted, ...]

    def covers(self, ref: str, fingerprint: str, arguments: dict[str, Any]) -> bool:
        """Whether a call is one of those that were shown, references in them filled in."""
        return any(
            one.ref == ref
            and one.fingerprint == fingerprint
            and _fits(one.arguments, arguments, frozenset(one.open), "")
            for one in self.calls
        )


def _fits(shown: Any, given: Any, open_: frozenset[str], at: str) -> bool:
    """Whether a value is the one that was shown; a reference stands for what it will become."""
    if at in open_:
        return True
    if isinstance(shown, dict):
        return (
            isinstance(given, dict)
            and shown.keys() == given.keys()
            and all(_fits(value, given[name], open_, inside(at, name)) for name, value in shown.items())
        )
    if isinstance(shown, list):
        return (
            isinstance(given, list)
            and len(shown) == len(given)
            and all(
                _fits(one, other, open_, inside(at, place))
                for place, (one, other) in enumerate(zip(shown, given, strict=True))
            )
        )
    return type(shown) is type(given) and shown == given
