"""From scores to the probability of relevance, with the method and its numbers stored beside the model."""

import math
from collections.abc import Mapping
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]
FEATURES = ("score", "words", "meaning", "lead", "size", "place", "one")


class Calibration(msgspec.Struct, frozen=True, kw_only=True):
    """A logistic regression over a few features, then a monotone curve through measured frequencies."""

    weights: tuple[float, ...] = (12.0, 0.0, 0.0, 0.0, 0.0, 0.0, -8.0)
    curve_in: tuple[float, ...] = (0.0, 1.0)
    curve_out: tuple[float, ...] = (0.0, 1.0)
    floor: float = 0.02

    @classmethod
    def of(cls, settings: Mapping[str, Any]) -> "Calibration":
        return msgspec.convert(settings.get("calibration", {}), cls)

    def probabilities(self, features: Floats) -> Floats:
        """Of ranked hits, one row of `FEATURES` each; never rising from one hit to the next."""
        raw = 1 / (1 + np.exp(-(features @ np.array(self.weights, np.float32)).clip(-30, 30)))
        return np.minimum.accumulate(np.interp(raw, self.curve_in, self.curve_out)).astype(np.float32)


def features_of(scores: Floats, words: Floats, meaning: Floats, count: int) -> Floats:
    """The features of ranked hits: their scores, how the first one leads, how many tools there were to choose from."""
    rows = np.zeros((len(scores), len(FEATURES)), np.float32)
    rows[:, 0], rows[:, 1], rows[:, 2] = scores, words, meaning
    if len(scores):
        # How far a hit stands above the usual runner-up, and how far below the first.
        after = scores[min(5, len(scores) - 1)]
        rows[:, 3] = rows[:, 0] - after
        rows[:, 4] = math.log10(max(count, 1))
        rows[:, 5] = np.minimum(np.arange(len(scores)), 20) ** 0.5
        rows[:, 6] = 1
    return rows
