"""Logistic regression and a monotone curve, by hand: a few dozen numbers need no library."""

import itertools

import numpy as np
import numpy.typing as npt

Numbers = npt.NDArray[np.float64]


def logistic(features: Numbers, right: Numbers, weight: Numbers, ridge: float = 1e-3, rounds: int = 60) -> Numbers:
    """Coefficients by Newton's method."""
    found = np.zeros(features.shape[1])
    for _ in range(rounds):
        told = sigmoid(features @ found)
        slope = features.T @ (weight * (told - right)) + ridge * found
        bend = (features * (weight * told * (1 - told))[:, None]).T @ features + ridge * np.eye(len(found))
        found -= np.linalg.solve(bend, slope)
    return found


def sigmoid(values: Numbers) -> Numbers:
    told: Numbers = 1 / (1 + np.exp(-values.clip(-30, 30)))
    return told


def curve(told: Numbers, right: Numbers, weight: Numbers, knots: int = 20) -> tuple[list[float], list[float]]:
    """What told probabilities were worth, at quantiles of them; never falling."""
    edges = np.quantile(told, np.linspace(0, 1, knots + 1))
    x, y = [0.0], [0.0]
    for low, high in itertools.pairwise(edges):
        inside = (told >= low) & (told <= high)
        x.append(float(np.average(told[inside], weights=weight[inside])))
        y.append(max(y[-1], float(np.average(right[inside], weights=weight[inside]))))
    kept = [place for place in range(1, len(x)) if x[place] > x[place - 1]]
    return [0.0, *(x[place] for place in kept), 1.0], [0.0, *(y[place] for place in kept), 1.0]


def error(told: Numbers, right: Numbers, bins: int = 10) -> float:
    """Expected calibration error in bins of equal width."""
    place = np.minimum((told * bins).astype(int), bins - 1)
    return float(np.abs(np.bincount(place, right - told, bins)).sum() / len(told))
