"""Where an activity may lead, and which of these ways holds now (W-36, W-72)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import msgspec

from periplus.core.conditions.truth import Lookup, joined
from periplus.core.workflows.condition_text import same_meaning, text_of
from periplus.core.workflows.conditions import Condition, holds
from periplus.core.workflows.model import Activity, Mode

Answered = Callable[[str], str | None]
"""The option a checkpoint of the present visit was answered with; `""` when it was dismissed, None while it is open."""

_BASES = ("known", "default", "unknown")


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """One way out of an activity. Without a target it is the end."""

    to: str
    condition: Condition | None = None
    checkpoint: str = ""
    option: str = ""
    is_default: bool = False
    mode: str = ""  # it is taken instead of the default while this mode is active

    @property
    def text(self) -> str:
        """Its condition as a client claims it; empty where there is none."""
        if self.checkpoint:
            return f"checkpoint:{self.checkpoint}:{self.option}"
        return text_of(self.condition) if self.condition else ""

    def is_claimed_by(self, text: str) -> bool:
        """Whether a claimed text means this way."""
        if self.checkpoint:
            return "".join(text.split()) == self.text
        return self.condition is not None and same_meaning(text, self.condition)


class Way(msgspec.Struct, frozen=True, kw_only=True):
    """A way out, as it stands now."""

    entry: Entry
    holds: bool | None
    basis: str

    def to_json(self) -> dict[str, Any]:
        """As `next` shows it."""
        text = self.entry.text
        said: dict[str, Any] = {"to": self.entry.to} | ({"condition_text": text} if text else {})
        return said | {"default": self.entry.is_default, "holds": self.holds, "basis": self.basis}


def entries_of(activity: Activity, modes: Iterable[Mode]) -> tuple[Entry, ...]:
    """Every way out in its order, each target and condition once; those without a target are left out."""
    found: dict[tuple[str, str], Entry] = {}
    for entry in _written(activity, modes):
        found.setdefault((entry.to, entry.text), entry)
    return tuple(found.values())


def may_end(activity: Activity) -> bool:
    """Whether some decision says that the workflow ends here."""
    return any(not branch.transition_to for one in activity.decisions for branch in one.branches)


def ways(entries: Sequence[Entry], known: Lookup, assumed: Lookup, answered: Answered) -> tuple[Way, ...]:
    """How each way stands: by what is known, else by what is assumed by default."""
    plain = {entry: _conditional(entry, known, assumed, answered) for entry in entries if not _waits(entry)}
    others = [way for way in plain.values() if not (way.entry.checkpoint and answered(way.entry.checkpoint) is None)]
    return tuple(plain.get(entry) or _default(entry, others, known, assumed) for entry in entries)


def _waits(entry: Entry) -> bool:
    """A default waits for what becomes of the others; one by a mode does not."""
    return entry.is_default and not entry.mode


def _written(activity: Activity, modes: Iterable[Mode]) -> Iterator[Entry]:
    for one in activity.transitions:
        yield Entry(to=one.to, condition=one.condition, is_default=one.is_default)
    for decision in activity.decisions:
        for branch in decision.branches:
            if branch.transition_to:
                yield Entry(to=branch.transition_to, condition=branch.condition, is_default=branch.is_default)
    added = tuple(point for override in activity.mode_overrides.values() for point in override.checkpoints)
    for point in (*activity.checkpoints, *added):
        for option in point.options:
            if option.effect and option.effect.transition_to:
                yield Entry(to=option.effect.transition_to, checkpoint=point.id, option=option.id)
    for mode in modes:
        override = activity.mode_overrides.get(mode.id)
        if override and override.transition_override:
            yield Entry(to=override.transition_override, is_default=True, mode=mode.id)


def _conditional(entry: Entry, known: Lookup, assumed: Lookup, answered: Answered) -> Way:
    if entry.checkpoint:
        option = answered(entry.checkpoint)
        basis = "unknown" if option is None else "known"
        return Way(entry=entry, holds=None if option is None else option == entry.option, basis=basis)
    if entry.condition is None:
        return Way(entry=entry, holds=True, basis="known")
    return _judged(entry, entry.condition, known, assumed)


def _judged(entry: Entry, condition: Condition, known: Lookup, assumed: Lookup) -> Way:
    surely = holds(condition, known)
    if surely is not None:
        return Way(entry=entry, holds=surely, basis="known")
    perhaps = holds(condition, assumed)
    return Way(entry=entry, holds=perhaps, basis="unknown" if perhaps is None else "default")


def _default(entry: Entry, others: Sequence[Way], known: Lookup, assumed: Lookup) -> Way:
    """It holds when every other way fails, or when a condition of its own does."""
    own = _judged(entry, entry.condition, known, assumed) if entry.condition else None
    if own and own.holds:
        return own
    taken = joined([way.holds for way in others], decides=True)
    deciding = [way for way in others if way.holds is True] if taken else others
    weakest = max((_BASES.index(way.basis) for way in deciding), default=0)
    if taken is None:
        return Way(entry=entry, holds=None, basis="unknown")
    return Way(entry=entry, holds=not taken, basis=_BASES[weakest])
