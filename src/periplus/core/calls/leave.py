"""A permission that a person gave once, for several calls that were shown together (H-65)."""

from __future__ import annotations

from typing import Any

import msgspec

_REFERENCE = "$"


class Step(msgspec.Struct, frozen=True, kw_only=True):
    """One of several calls that are asked for together; its arguments may hold references to earlier results."""

    tool: str
    arguments: dict[str, Any] = {}


class Permitted(msgspec.Struct, frozen=True, kw_only=True):
    """A tool as it was when a person agreed, and the arguments as they were shown."""

    ref: str
    fingerprint: str
    arguments: dict[str, Any]


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
            one.ref == ref and one.fingerprint == fingerprint and _fits(one.arguments, arguments) for one in self.calls
        )


def holds_reference(value: Any) -> bool:
    """Whether a value is not settled before an earlier call has ended."""
    if isinstance(value, str):
        return _REFERENCE in value
    if isinstance(value, dict):
        return any(holds_reference(item) for item in value.values())
    return isinstance(value, list) and any(holds_reference(item) for item in value)


def _fits(shown: Any, given: Any) -> bool:
    """Whether a value is the one that was shown; a text with a reference in it stands for what it will become."""
    if isinstance(shown, str) and _REFERENCE in shown:
        return True
    if isinstance(shown, dict):
        return (
            isinstance(given, dict)
            and shown.keys() == given.keys()
            and all(_fits(value, given[name]) for name, value in shown.items())
        )
    if isinstance(shown, list):
        return (
            isinstance(given, list)
            and len(shown) == len(given)
            and all(_fits(one, other) for one, other in zip(shown, given, strict=True))
        )
    return type(shown) is type(given) and shown == given
