"""What a tool declares of itself beside its schema, in the terms of the core; nothing fails open (M-5, M-68)."""

from __future__ import annotations

import re
from typing import Any

import msgspec

from periplus.documents.schemas import Findings, shown
from periplus.model import Effect, FindingCode
from periplus.sources.manifest.members import flag, member, number, text

_COSTS = frozenset({"low", "medium", "high", "variable"})
_SEMVER = re.compile(r"(?:0|[1-9][0-9]*)\.(?:0|[1-9][0-9]*)\.(?:0|[1-9][0-9]*)(?:[-+][0-9A-Za-z.+-]+)?")


class Declared(msgspec.Struct, frozen=True, kw_only=True):
    """A tool's metadata as far as it can be believed."""

    effect: Effect = Effect.WRITE
    effect_declared: bool = False
    idempotent: bool = False
    requires_approval: bool = False
    hidden: bool = False
    tags: tuple[str, ...] = ()
    kept: dict[str, Any] = {}


class Metadata:
    """The metadata of one tool, read member by member; what is not what it should be is told and closes."""

    def __init__(self, tool: dict[str, Any], where: str, findings: Findings) -> None:
        written = member(tool, "metadata")
        self._written = written if isinstance(written, dict) else {}
        self._tool = tool
        self._name = text(tool, "name")
        self._where = f"{where}/metadata"
        self._findings = findings
        if written is not None and not isinstance(written, dict):
            self._bad("", written)

    def declared(self, *, trusted: bool, proto: bool) -> Declared:
        """Everything at once; `proto` says that in this dialect what is false is not written."""
        tags = self._tags()
        modifies = self._flag("modifies_state", closed=True)
        idempotent = bool(self._flag("idempotent", closed=False))
        approval = self._flag("requires_approval", closed=True)
        internal = bool(self._flag("internal_only", closed=True))
        kept: dict[str, Any] = {"enabled": self._enabled(proto=proto)}
        if approval is None and modifies:
            kept["approval"] = "modifies_state"
        kept |= self._numbers()
        for name, closed in (("long_running", False), ("sensitive_output", True)):
            if self._flag(name, closed=closed):
                kept[name] = True
        if modifies is not None:
            kept["modifies_state"] = modifies
        if internal:
            kept["internal_only"] = True
        kept |= self._ours()
        effect, declared = self._effect(modifies, reads=idempotent and "read" in tags, trusted=trusted)
        return Declared(
            effect=effect,
            effect_declared=declared,
            idempotent=idempotent,
            requires_approval=bool(modifies) if approval is None else approval,
            hidden=internal,
            tags=tags,
            kept=kept,
        )

    def version(self) -> str:
        """The version the tool declares, where it is one (M-27)."""
        value = member(self._tool, "version")
        if isinstance(value, str) and _SEMVER.fullmatch(value):
            return value
        if value not in (None, ""):
            self._findings.bad(self._where.removesuffix("/metadata") + "/version", self._name, _wrong(value))
        return ""

    def _effect(self, modifies: bool | None, *, reads: bool, trusted: bool) -> tuple[Effect, bool]:  # noqa: FBT001
        """By the table of effects; what is not trusted can raise but not lower (S-29)."""
        side = Effect.of(text(member(self._tool, "x_periplus"), "side_effects"))
        if side is not None and (trusted or side is Effect.DESTROY):
            return side, True
        is_read = modifies is False or (reads and modifies is None)
        return (Effect.READ if is_read and trusted else Effect.WRITE), False

    def _enabled(self, *, proto: bool) -> bool:
        enabled = self._flag("enabled_by_default", closed=False)
        if enabled is None and not proto:
            message = "says nothing of enabled_by_default; it is disabled until somebody enables it"
            self._findings.lost(FindingCode.MISSING_MEMBER, self._where, self._name, message)
        return bool(enabled)

    def _numbers(self) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for name, called in (("timeout_seconds", "timeout"), ("rate_limit_per_minute", "rate")):
            value = member(self._written, name)
            amount = number(value)
            if amount is not None and amount > 0:
                found[called] = amount
            elif value not in (None, 0, "0"):
                self._bad(name, value)
        cost = member(self._written, "cost_estimate")
        if isinstance(cost, str) and cost in _COSTS:
            found["cost_estimate"] = cost
        elif cost not in (None, ""):
            self._bad("cost_estimate", cost)
        return found

    def _ours(self) -> dict[str, Any]:
        """What another Periplus adds to the protocol, kept."""
        kept: dict[str, Any] = {}
        if digest := text(self._tool, "schema_hash"):
            kept["schema_hash"] = digest
        if isinstance(own := member(self._tool, "x_periplus"), dict):
            kept["x_periplus"] = own
        return kept

    def _tags(self) -> tuple[str, ...]:
        value = member(self._written, "tags")
        if value is not None and not isinstance(value, list):
            self._bad("tags", value)
        tags = value if isinstance(value, list) else []
        return tuple(dict.fromkeys(tag.strip() for tag in tags if isinstance(tag, str) and tag.strip()))

    def _flag(self, name: str, *, closed: bool) -> bool | None:
        value = member(self._written, name)
        if value is None:
            return None
        found = flag(value)
        if found is None:
            self._bad(name, value)
            return closed
        return found

    def _bad(self, name: str, value: Any) -> None:
        self._findings.bad(f"{self._where}/{name}" if name else self._where, self._name, _wrong(value))


def _wrong(value: Any) -> str:
    return f"{shown(value)} is not what it should be; it is left out"
