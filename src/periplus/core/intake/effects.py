"""What a tool may do: operator, declaration, then the kind's base, which words can only raise (S-29 to S-31)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from periplus.core.intake.texts import is_derived
from periplus.core.words import words
from periplus.model import Code, Draft, Effect, Problem, glob_matches

_DESTROYS = frozenset(
    {
        "delete", "remove", "destroy", "purge", "drop", "wipe", "erase", "revoke", "terminate", "truncate",
        "uninstall",
    }
)  # fmt: skip
_READS_FIRST = frozenset({"get", "list", "search", "find", "count", "describe"})
_REVIEWED = frozenset({"search", "list", "get", "query", "find", "lookup", "validate", "preview", "estimate"})


class Settled(NamedTuple):
    """The effect, and whether an operator should look at it because its verb reads."""

    effect: Effect
    review: bool = False


def parse_overrides(source: str, effects: Mapping[str, str]) -> tuple[tuple[str, Effect], ...]:
    """The operator's `effects` table, or what is wrong with it."""
    parsed: list[tuple[str, Effect]] = []
    for glob, word in effects.items():
        effect = Effect.of(word)
        if effect is None:
            raise Problem(
                Code.BAD_SETTING,
                f"[sources.{source}] effects: {glob!r} = {word!r} is not an effect",
                hints=("use read, write or destroy",),
            )
        parsed.append((glob, effect))
    return tuple(parsed)


def settle(draft: Draft, overrides: tuple[tuple[str, Effect], ...], path: str) -> Settled:
    """The strongest evidence wins: operator, then declaration, then base and words."""
    for glob, effect in overrides:
        if glob_matches(glob, draft.leaf) or glob_matches(glob, path) or glob_matches(glob, draft.origin):
            return Settled(effect)
    if draft.effect_declared:
        return Settled(draft.effect)
    raisable = draft.effect is Effect.WRITE or (draft.effect is Effect.READ and draft.method.upper() == "GET")
    if raisable and _destroys(draft):
        return Settled(Effect.DESTROY)
    return Settled(draft.effect, review=draft.effect is Effect.WRITE and _reads(draft))


def _destroys(draft: Draft) -> bool:
    texts = draft.effect_words if is_derived(draft) else (draft.leaf, *draft.effect_words)
    if not is_derived(draft) and _first(draft.leaf) in _READS_FIRST:
        return False  # list_delete_requests reads, wherever its path ends
    return any(_first(text) not in _READS_FIRST and not _DESTROYS.isdisjoint(words(text)) for text in texts)


def _reads(draft: Draft) -> bool:
    texts = draft.effect_words if is_derived(draft) else (draft.leaf, *draft.effect_words)
    return any(_first(text) in _REVIEWED for text in texts)


def _first(text: str) -> str:
    return next(iter(words(text)), "")
