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
    raisable = draft.effect is Effect.WRITE or (draft.effect is Effect.READ and draft.method.upper() == "GET")
    if draft.effect_declared or not raisable:
        return Settled(draft.effect)
    said = [words(text) for text in draft.effect_words]
    own = () if is_derived(draft) else words(draft.leaf)
    if _destroys(own, said):
        return Settled(Effect.DESTROY)
    reads = draft.effect is Effect.WRITE and any(each and each[0] in _REVIEWED for each in (own, *said))
    return Settled(draft.effect, review=reads)


def _destroys(own: tuple[str, ...], said: list[tuple[str, ...]]) -> bool:
    if own and own[0] in _READS_FIRST:
        return False  # list_delete_requests reads, wherever its path ends
    return any(each and each[0] not in _READS_FIRST and not _DESTROYS.isdisjoint(each) for each in (own, *said))
