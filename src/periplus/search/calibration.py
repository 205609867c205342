"""From scores to the probability of relevance, with the method and its numbers stored beside the model."""

import math
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from periplus.search.fusion import Weights

Floats = npt.NDArray[np.float32]
FEATURES = ("score", "words", "meaning", "lead", "size", "place", "one", "step", "behind", "length")
_RUNNERS_UP = 5
_LAST_PLACE = 20
_PAGE = 10
_SURE = 0.99  # nothing that is found by words is surer


class Calibration(msgspec.Struct, frozen=True, kw_only=True):
    """A logistic regression over a few features, then a monotone curve through measured frequencies."""

    weights: tuple[float, ...] = (12.0, 0.0, 0.0, 0.0, 0.0, 0.0, -8.0, 0.0, 0.0, 0.0)
    curve_in: tuple[float, ...] = (0.0, 1.0)
    curve_out: tuple[float, ...] = (0.0, 1.0)
    longest: int = 40  # words of a goal: beyond those it was fitted on, more of them say nothing
    floor: float = 0.05  # below this chance that any of the first hits is right, nothing matches
    least: float = 0.01  # hits below it are not shown
    unseen: float = 0.65  # how often a goal that none of its hits serves is served by a tool that was not found

    @classmethod
    def of(cls, settings: Mapping[str, Any]) -> "Calibration":
        return msgspec.convert(settings.get("calibration", {}), cls)

    def probabilities(self, features: Floats) -> Floats:
        """Of ranked hits, one row of `FEATURES` each; never rising from one hit to the next."""
        features = features.copy()
        features[:, -1] = np.minimum(features[:, -1], self.longest)
        raw = 1 / (1 + np.exp(-(features @ np.array(self.weights, np.float32)).clip(-30, 30)))
        return np.minimum.accumulate(np.interp(raw, self.curve_in, self.curve_out)).astype(np.float32)

    def together(self, chances: Iterable[float], missed: float = 0.0, share: float = 0.0) -> float:
        """The probability that one of several hits is right, or a tool that was not found and stands with them.

        `missed`: that none of all hits is right; `share`: which part of what was not found stands there.
        """
        found = 1 - math.prod(1 - min(chance, _SURE) for chance in chances)
        return min(found + missed * self.unseen * share, _SURE)

    def answers(self, chance: Floats) -> bool:
        """Whether ranked hits with these chances are an answer at all."""
        return bool(1 - np.prod(1 - chance[:_PAGE]) >= self.floor)


def features_of(scores: Floats, words: Floats, meaning: Floats, count: int, length: int) -> Floats:
    """The features of ranked hits: how well each fits and leads, among how many tools, for a goal of how many words."""
    rows = np.zeros((len(scores), len(FEATURES)), np.float32)
    rows[:, 0], rows[:, 1], rows[:, 2] = scores, words, meaning
    if len(scores):
        # How far a hit stands above the usual runner-up and above the next one, and how far below the first.
        rows[:, 3] = scores - scores[min(_RUNNERS_UP, len(scores) - 1)]
        rows[:, 4] = math.log10(max(count, 1))
        rows[:, 5] = np.minimum(np.arange(len(scores)), _LAST_PLACE) ** 0.5
        rows[:, 6] = 1
        rows[:, 7] = scores - np.append(scores[1:], np.float32(0))
        rows[:, 8] = scores[0] - scores
        rows[:, 9] = length
    return rows


class Fitted(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that was fitted for one way of searching."""

    weights: Weights
    calibration: Calibration

    @classmethod
    def of(cls, settings: Mapping[str, Any]) -> "Fitted":
        weights = msgspec.convert(settings.get("weights", {}), Weights)
        return cls(weights=weights, calibration=Calibration.of(settings))
