"""How good rankings and their probabilities are: NDCG, recall, reciprocal rank, calibration error, intervals."""

import math
from collections.abc import Collection, Iterable, Sequence

import msgspec
import numpy as np

DEPTH = 5
_BINS = 10
_DRAWS = 1_000
_SEED = 11


class Judged(msgspec.Struct, frozen=True, kw_only=True):
    """One answered query: what was shown, how sure it was, and what would have been right."""

    goal: str
    shown: tuple[str, ...]  # refs, best first
    scores: tuple[float, ...]
    relevant: frozenset[str]

    @property
    def ndcg(self) -> float:
        return ndcg(self.shown, self.relevant)


def ndcg(shown: Sequence[str], relevant: Collection[str], depth: int = DEPTH) -> float:
    """Gain of the first hits, discounted by place, over the best possible."""
    gained = sum(1 / math.log2(place + 2) for place, ref in enumerate(shown[:depth]) if ref in relevant)
    return gained / sum(1 / math.log2(place + 2) for place in range(min(depth, len(relevant))))


def recall(shown: Sequence[str], relevant: Collection[str], depth: int) -> float:
    """The share of what is right that the first hits hold."""
    return len(set(shown[:depth]) & set(relevant)) / len(relevant)


def reciprocal_rank(shown: Sequence[str], relevant: Collection[str]) -> float:
    """One over the place of the first right hit, zero without any."""
    return next((1 / place for place, ref in enumerate(shown, 1) if ref in relevant), 0.0)


def calibration_error(judged: Iterable[Judged], depth: int = DEPTH) -> float:
    """How far told probabilities are from what came true, over the first hits, in ten bins of equal width."""
    pairs = [
        (score, ref in one.relevant)
        for one in judged
        for ref, score in zip(one.shown[:depth], one.scores[:depth], strict=True)
    ]
    if not pairs:
        return 0.0
    told = np.array([score for score, _ in pairs])
    true = np.array([right for _, right in pairs], np.float64)
    bins = np.minimum((told * _BINS).astype(int), _BINS - 1)
    gaps = np.abs(np.bincount(bins, true - told, _BINS))
    return float(gaps.sum() / len(pairs))


def interval(values: Sequence[float]) -> tuple[float, float]:
    """Where the mean lies with 95 % confidence, by bootstrap with a fixed seed."""
    sample = np.array(values)
    draws = np.random.default_rng(_SEED).integers(0, len(sample), (_DRAWS, len(sample)), dtype=np.int32)
    low, high = np.quantile(sample[draws].mean(axis=1), (0.025, 0.975))
    return float(low), float(high)


def difference(first: Sequence[float], second: Sequence[float]) -> tuple[float, float]:
    """Where the mean of what the second gains on the same goals lies with 95 % confidence."""
    return interval([after - before for before, after in zip(first, second, strict=True)])


class Quality(msgspec.Struct, frozen=True, kw_only=True):
    """What a set of answered queries amounts to."""

    queries: int
    ndcg5: float
    low: float  # of the interval that holds the mean NDCG with 95 % confidence
    high: float
    recall5: float
    recall10: float
    mrr: float
    ece: float
    silent: float  # share of queries that got nothing


def quality_of(judged: Sequence[Judged]) -> Quality:
    """The figures of at least one answered query."""
    gains = [one.ndcg for one in judged]
    low, high = interval(gains)
    return Quality(
        queries=len(judged),
        ndcg5=float(np.mean(gains)),
        low=low,
        high=high,
        recall5=float(np.mean([recall(one.shown, one.relevant, 5) for one in judged])),
        recall10=float(np.mean([recall(one.shown, one.relevant, 10) for one in judged])),
        mrr=float(np.mean([reciprocal_rank(one.shown, one.relevant) for one in judged])),
        ece=calibration_error(judged),
        silent=float(np.mean([not one.shown for one in judged])),
    )
