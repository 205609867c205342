"""What authors say to Periplus inside a document, and what others say to others (S-28)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from periplus.model import Effect, FindingCode, Severity
from periplus.sources.openapi.operations import Operation
from periplus.sources.openapi.report import Report

OURS = "x-periplus-"
_METHODS = {
    "GET": Effect.READ,
    "HEAD": Effect.READ,
    "OPTIONS": Effect.READ,
    "TRACE": Effect.READ,
    "QUERY": Effect.READ,
    "DELETE": Effect.DESTROY,
}
IDEMPOTENT = frozenset({"GET", "HEAD", "OPTIONS", "TRACE", "QUERY", "PUT", "DELETE"})
_APPROVES = frozenset({"true", "yes", "required", "always", "ask"})


class Extensions(msgspec.Struct, frozen=True, kw_only=True):
    """The settings an operation carries with it."""

    name: str = ""
    area: str = ""
    summary: str = ""
    effect: Effect | None = None
    approval: bool = False
    hidden: bool = False
    idempotency: str = ""  # the header that takes the call's key
    metadata: dict[str, Any] = {}


NOTHING = Extensions()


def base_effect(method: str) -> Effect:
    """What a method may do, before anything else is known."""
    return _METHODS.get(method, Effect.WRITE)


def extensions_of(operation: Operation, report: Report, key: str) -> Extensions:
    """The extensions of an operation, each taken only if it is what it should be."""
    found = {name: value for name, value in operation.written.items() if name[:2] in {"x-", "X-"}}
    outer = [item for item, _ in operation.around]
    hidden = _is_hidden(found) or any(_is_hidden(item) for item in outer)
    if not found:
        return Extensions(hidden=True) if hidden else NOTHING
    ours = {name[len(OURS) :].lower(): found.pop(name) for name in list(found) if name.lower().startswith(OURS)}

    def bad(name: str) -> None:
        pointer = operation.place.below(f"{OURS}{name}").where
        message = f"{OURS}{name}: {str(ours[name])[:60]!r} is not what it should be; it is left out"
        report.add(Severity.WARNING, FindingCode.BAD_OPERATION, pointer, message, operation=key)

    return Extensions(
        name=_text(ours, "name", bad),
        area=_text(ours, "area", bad),
        summary=_text(ours, "summary", bad),
        effect=_effect(ours, bad),
        approval=str(ours.get("approval", "")).lower() in _APPROVES,
        hidden=hidden,
        idempotency=_text(ours, "idempotency", bad),
        metadata=dict(_metadata(ours, found, bad)),
    )


def instructions_of(root: Mapping[str, Any]) -> str:
    """What the site says to its users: its own instructions, else the description of the API."""
    info = root.get("info")
    info = info if isinstance(info, Mapping) else {}
    for owner, name in ((root, "x-elemm-instructions"), (info, "x-elemm-instructions"), (info, "description")):
        text = owner.get(name)
        if isinstance(text, str) and text.strip():
            return text
    return ""


def _is_hidden(owner: Mapping[str, Any]) -> bool:
    return owner.get("x-internal") is True or owner.get("x-periplus-hidden") is True


def _text(ours: Mapping[str, Any], name: str, bad: Any) -> str:
    value = ours.get(name, "")
    if isinstance(value, list) and name == "area" and all(isinstance(item, str) for item in value):
        return "/".join(item.replace("/", " ") for item in value)
    if isinstance(value, str):
        return value.strip()
    bad(name)
    return ""


def _effect(ours: Mapping[str, Any], bad: Any) -> Effect | None:
    if "effect" not in ours:
        return None
    word = ours["effect"]
    effect = Effect.of(word) if isinstance(word, str) else None
    if effect is None:
        bad("effect")
    return effect


def _metadata(ours: Mapping[str, Any], found: Mapping[str, Any], bad: Any) -> Iterator[tuple[str, Any]]:
    timeout = ours.get("timeout")
    if isinstance(timeout, int | float) and not isinstance(timeout, bool) and timeout > 0:
        yield "timeout", timeout
    elif timeout is not None:
        bad("timeout")
    if ours.get("rate") is not None:
        yield "rate", ours["rate"]
    if isinstance(kind := found.get("x-semantic-type"), str):
        yield "semantic_type", kind
    if found:
        yield "extensions", dict(found)
