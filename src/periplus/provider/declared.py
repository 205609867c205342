"""What an author says of a tool beside its code."""

from __future__ import annotations

from typing import Any, TypedDict

import msgspec

from periplus.model import Code, Effect, Problem, Schema

_COSTS = ("", "low", "medium", "high", "variable")


class Example(msgspec.Struct, frozen=True):
    """A call worth imitating."""

    description: str = ""
    input: dict[str, Any] = {}
    expected_output: Any = None


class Category(msgspec.Struct, frozen=True):
    """A place where tools of a registry stand."""

    id: str
    name: str = ""
    description: str = ""
    display_order: int = 0
    icon: str = ""


class Options(TypedDict, total=False):
    """What `@tool(...)` and `@registry.tool(...)` take."""

    name: str
    title: str
    description: str
    category: str
    effect: Effect | str
    modifies_state: bool
    idempotent: bool
    requires_approval: bool
    enabled_by_default: bool
    timeout_seconds: float
    rate_limit_per_minute: int
    cost_estimate: str
    long_running: bool
    sensitive_output: bool
    internal: bool
    hidden: bool
    deprecated: bool | str
    version: str
    tags: list[str] | tuple[str, ...]
    examples: list[Example] | tuple[Example, ...]
    parameters: Schema


class Declared(msgspec.Struct, frozen=True, kw_only=True):
    """One tool's declaration; the defaults say nothing, so that its code speaks."""

    name: str = ""
    title: str = ""
    description: str = ""
    category: str = ""
    effect: Effect | str = ""
    modifies_state: bool | None = None
    idempotent: bool = False
    requires_approval: bool = False
    enabled_by_default: bool = True
    timeout_seconds: float | None = None
    rate_limit_per_minute: int = 0
    cost_estimate: str = ""
    long_running: bool = False
    sensitive_output: bool = False
    internal: bool = False  # for other tools, not for a model: its status and cancel tools, say
    hidden: bool = False
    deprecated: bool | str = False
    version: str = ""
    tags: tuple[str, ...] = ()
    examples: tuple[Example, ...] = ()
    parameters: Schema | None = None  # instead of what the type hints say

    @property
    def known_effect(self) -> Effect | None:
        """The effect that was declared, by its word or in the words of a manifest; None: nothing was said."""
        if self.effect != "":
            return self.effect if isinstance(self.effect, Effect) else Effect.of(self.effect)
        reads = self.modifies_state is False or (self.idempotent and "read" in self.tags)
        return Effect.READ if reads else None


def declared(options: Options) -> Declared:
    """The declaration in these options; what is wrong with one is told where it is written."""
    sequences = {"tags": tuple(options.get("tags", ())), "examples": tuple(options.get("examples", ()))}
    made = msgspec.structs.replace(Declared(), **{**options, **sequences})
    what = made.name or "a tool"
    if isinstance(made.effect, str) and made.effect and Effect.of(made.effect) is None:
        raise _wrong(f"{what}: effect={made.effect!r} is not an effect", "use read, write or destroy")
    if made.timeout_seconds is not None and made.timeout_seconds <= 0:
        raise _wrong(f"{what}: timeout_seconds={made.timeout_seconds} leaves no time", "use seconds above 0")
    if made.cost_estimate not in _COSTS:
        raise _wrong(f"{what}: cost_estimate={made.cost_estimate!r}", f"use one of {', '.join(_COSTS[1:])}")
    if made.parameters is not None and made.parameters.get("type") != "object":
        raise _wrong(f"{what}: parameters= must be a JSON Schema of an object", 'start it with {"type": "object"}')
    return made


def _wrong(message: str, remedy: str) -> Problem:
    return Problem(Code.BAD_INPUT, message, hints=(remedy,))
