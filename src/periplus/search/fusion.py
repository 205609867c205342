"""How word scores and meaning become one score, and how several intents share a page."""

from collections.abc import Sequence

import msgspec
import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]


_SAMPLE_FROM = 8_192
_SAMPLE_STEP = 16


class Weights(msgspec.Struct, frozen=True, kw_only=True):
    """Tuned on pooled catalogs; shipped with the model."""

    meaning: float = 0.6  # the rest is words
    own_top: float = 0.6  # words are measured against the best tool found, the rest against the best thinkable
    clause: float = 0.35  # what the best clause adds to the whole
    told: float = 0.5  # what a summary that says the goal and nothing else adds
    value: float = 0.25  # what a word inside a value counts
    fine: float = 0.6  # the network's share of meaning, of tools that have its vectors


def fuse(words: Floats, meaning: Floats, top: float, ideal: float, weights: Weights) -> Floats:
    """The weighted sum of both scores, each on its own scale from 0 to 1."""
    scale = weights.own_top * top + (1 - weights.own_top) * ideal
    shared = words * np.float32((1 - weights.meaning) / max(scale, 1e-6))
    shared += np.maximum(meaning, 0) * np.float32(weights.meaning)
    return shared


def best(scores: Floats, most: int) -> Ints:
    """The places of the highest scores above zero, in order of place; a few more than `most` where scores are equal."""
    floor = np.float32(0)
    if len(scores) > _SAMPLE_FROM:
        # A sample tells roughly where the highest end; a selection over everything would cost more than the scoring.
        sample = np.sort(scores[::_SAMPLE_STEP])
        floor = max(sample[-min(2 * most // _SAMPLE_STEP + 8, len(sample))], floor)
    places = np.flatnonzero(scores > floor)
    if len(places) < most and floor > 0:
        places = np.flatnonzero(scores > 0)
    if len(places) > most:
        found = scores[places]
        places = places[found >= np.partition(found, -most)[-most]]
    return places[: most * 2]


def share_page(ranked: list[int], by_clause: Sequence[Sequence[int]], room: int) -> list[int]:
    """The ranking, with every clause's best inside the first `room` places even when one clause outshouts the rest.

    The first hit keeps its place; a clause that has one of its two best on the page already is content.
    """
    if len(by_clause) < 2 or room < len(by_clause):
        return ranked
    page = ranked[:room]
    wanted = [clause[0] for clause in by_clause if clause and not set(clause[:2]) & set(page)]
    if not wanted:
        return ranked
    wanted = list(dict.fromkeys(wanted))
    kept = [item for item in page if item not in wanted][: room - len(wanted)]
    chosen = set(kept) | set(wanted)
    return kept + wanted + [item for item in ranked if item not in chosen]
