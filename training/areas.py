"""Fit how often what was not found is right, for the probability of areas; no test split is read.

python -m training.areas --packages FOLDER [--write]

The same catalogs and shares as `training.calibrate`. An area is right for a goal when a right tool stands below it.
"""

from __future__ import annotations

import argparse
import json
import math
import tempfile
from collections import Counter, defaultdict
from pathlib import Path

import msgspec
import numpy as np

from periplus.search.calibration import Calibration
from periplus.search.semantic import SHIPPED
from training import calibrate

_LOOKED_AT = 100
_AREAS = 15  # of a goal, the likeliest
_GOALS = 150
_TRIED = tuple(round(0.05 * step, 2) for step in range(20))


def rows(asked: calibrate.Asked, calibration: Calibration) -> np.ndarray:
    """Of each area: that what was found there is right, that all miss, the area's share of the tools, whether it is."""
    view = asked.engine.view()
    sizes = Counter(area for segment in view.segments for ref in segment.refs for area in _above(ref))
    found: list[tuple[float, float, float, float]] = []
    for query in asked.goals[:_GOALS]:
        chances = asked.engine.chances(query.text)[:_LOOKED_AT]
        below: defaultdict[str, list[float]] = defaultdict(list)
        for ref, chance in chances:
            for area in _above(str(ref)):
                below[area].append(chance)
        missed = math.prod(1 - chance for _, chance in chances)
        right = {area for ref in query.relevant for area in _above(ref)}
        told = {area: calibration.together(several) for area, several in below.items()}
        likeliest = sorted(told, key=lambda one: -told[one])[:_AREAS]
        found += ((told[area], missed, sizes[area] / view.count, float(area in right)) for area in likeliest)
    return np.array(found)


def likelihood(calibration: Calibration, measured: list[tuple[float, np.ndarray]]) -> float:
    """How likely what came true is, the mean of all families by their shares."""
    total = 0.0
    for share, table in measured:
        told = np.clip(table[:, 0] + calibration.unseen * table[:, 1] * table[:, 2], 0.001, 0.99)
        total += share * float(np.mean(np.log(np.where(table[:, 3] > 0, told, 1 - told))))
    return total / sum(share for share, _ in measured)


def _above(ref: str) -> list[str]:
    names = ref.split("/")[:-1]
    return ["/".join(names[:end]) for end in range(1, len(names) + 1)]


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--packages", type=Path, required=True)
    options.add_argument("--write", action="store_true", help="write what was fitted into the model")
    chosen = options.parse_args()
    path = SHIPPED / "model.json"
    settings = json.loads(path.read_text(encoding="utf-8"))
    calibration = Calibration.of(settings)
    with tempfile.TemporaryDirectory() as folder:
        measured = [
            (one.share, table)
            for one in calibrate.catalogs(chosen.packages, Path(folder), None)
            if len(table := rows(one, calibration))
        ]
    worth = {unseen: likelihood(msgspec.structs.replace(calibration, unseen=unseen), measured) for unseen in _TRIED}
    for unseen, reached in worth.items():
        print(f"{unseen:4.2f}  {reached:.4f}")
    if chosen.write:
        best = max(worth, key=lambda unseen: worth[unseen])
        for one in (settings["calibration"], settings["quality"]["calibration"]):
            one["unseen"] = best
        path.write_text(json.dumps(settings, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
