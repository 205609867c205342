"""Fit the fusion's weights and the calibration for a model, and write both into its `model.json`.

python -m training.calibrate --packages FOLDER [--quality] [--sweep] [--write]
FOLDER holds the wheels ansible and ansible-core

No test split is read. Catalogs: modules of Ansible alone, in sizes from 10 to all 9,500, with goals that have an answer
there and goals that have none; the train splits of the public sets, alone; all in one pool with 68k real operations.
"""

import argparse
import json
import random
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from benchmarks.search import sets
from benchmarks.search.vectors import KEPT, Encoded

from periplus.search.calibration import FEATURES, Calibration, features_of
from periplus.search.engine import Engine
from periplus.search.fusion import Weights
from periplus.search.measures import ndcg
from periplus.search.ranking import Goal, rank
from periplus.search.records import Record
from periplus.search.semantic import SHIPPED
from training import fitting, tasks

SEED = 4
DEPTH = 10
ABSENT = "absent"
_FEW = 2500  # modules, where a network has to read them
_SWEPT = 150  # goals of a catalog for each choice of weights
_FRESH = 3
_FINE, _MEANING = (0.3, 0.5, 0.7, 0.85, 1.0), (0.5, 0.6, 0.7)  # the network's share of meaning, and meaning's of all
_SIZES = {10: 12, 30: 6, 120: 4, 450: 3, 1500: 1, 5000: 1}


class Asked(NamedTuple):
    """A family of goals in one catalog, and how much it counts beside the others."""

    name: str
    engine: Engine
    goals: Sequence[sets.Query]
    share: float


def catalogs(packages: Path, folder: Path, encoded: Encoded | None) -> Iterator[Asked]:
    """Every catalog with its goals; fewer modules where the network reads all of it."""
    pick = random.Random(SEED)
    read = list(tasks.modules(packages))
    if encoded:
        read = random.Random(1).sample(read, _FEW)
    modules = [record for record, _ in read]
    asked = tasks.goals(read, 25)
    areas = {query: next(iter(query.relevant)).rpartition("/")[0] for query in asked}
    for size, times in _SIZES.items():
        if size > len(modules):
            continue
        for number in range(times):
            shelf = tasks.shelf(modules, size, pick)
            refs = {record.ref for record in shelf}
            stocked = {f"{record.source}/{record.nodes[0]}" for record in shelf}
            answered = [query for query in asked if query.relevant <= refs][:250]
            missing = [query for query in asked if areas[query] not in stocked]
            engine = _engine(folder / f"{size}-{number}", shelf, encoded)
            if answered:
                yield Asked(f"modules-{size}-{number}", engine, answered, 1 if size >= 100 else 0.15)
            if size <= 1500:
                yield Asked(f"{ABSENT}-{size}-{number}", engine, pick.sample(missing, 60), 0.25)
    yield Asked("modules-all", _engine(folder / "all", modules, encoded), asked[:400], 1)
    for catalog in sets.separate("train"):
        for name, several in catalog.queries.items():
            yield Asked(f"{name}-alone", _engine(folder / name, catalog.records, encoded), sets.sample(several, 400), 1)
    pooled = sets.pooled("train")
    engine = _engine(folder / "pool", [*pooled.records, *modules], encoded)
    yield Asked("modules-pool", engine, asked[:400], 3)
    for name, several in pooled.queries.items():
        yield Asked(f"{name}-pool", engine, sets.sample(several, 400), 2)


def _engine(folder: Path, records: list[Record], encoded: Encoded | None) -> Engine:
    if encoded:
        return encoded.engine(folder, records)
    engine = Engine(folder)
    engine.rebuild(1, records)
    return engine


class Rows(NamedTuple):
    """The first hits of one goal."""

    features: np.ndarray
    right: np.ndarray
    gain: float


def rows(asked: Asked, weights: Weights) -> list[Rows]:
    view, model = asked.engine.view(), asked.engine.model
    encoder = asked.engine.refining.encoder if asked.engine.refining else None
    found: list[Rows] = []
    for query in asked.goals:
        goal = Goal(query.text, model, weights.value, encoder)
        ranking = rank(view, goal, weights)
        refs = [view.ref(int(place)) for place in ranking.places[:DEPTH]]
        features = features_of(np.clip(ranking.score, 0, 1), ranking.words, ranking.meaning, view.count, goal.length)[
            :DEPTH
        ]
        found.append(
            Rows(
                features.astype(float),
                np.array([ref in query.relevant for ref in refs], float),
                ndcg(refs, query.relevant),
            )
        )
    return [one for one in found if len(one.right)]


def sweep(several: Sequence[Asked]) -> Weights:
    """NDCG@5 of fusion weights; the best ones, where goals on which nothing was trained count three times."""
    tried = [{"meaning": share} for share in (0.0, 0.35, 0.5, 0.6, 0.7, 0.8, 1.0)]
    tried += [{"own_top": share} for share in (0.0, 0.3, 0.9)] + [{"clause": share} for share in (0.0, 0.15, 0.7)]
    tried += [{"value": share} for share in (0.0, 0.5, 1.0)]
    if several[0].engine.refining:
        tried = [{"fine": fine, "meaning": meaning} for fine in _FINE for meaning in _MEANING]
    reached: list[tuple[float, Weights]] = []
    for changed in tried:
        gains = {
            one.name: 100 * float(np.mean([row.gain for row in rows(one, Weights(**changed))]))
            for one in (one._replace(goals=one.goals[:_SWEPT]) for one in several)
        }
        fresh = float(np.mean([gain for name, gain in gains.items() if name.startswith("modules")]))
        seen = float(np.mean([gain for name, gain in gains.items() if not name.startswith("modules")]))
        reached.append(((_FRESH * fresh + seen) / (_FRESH + 1), Weights(**changed)))
        print(changed, round(reached[-1][0], 2), {name: round(gain, 1) for name, gain in gains.items()}, flush=True)
    return max(reached, key=lambda pair: pair[0])[1]


def fit(measured: dict[str, tuple[float, list[Rows]]]) -> Calibration:
    """The calibration that these rows give."""
    features, right, weight = [], [], []
    for share, several in measured.values():
        count = sum(len(row.right) for row in several)
        for row in several:
            features.append(row.features)
            right.append(row.right)
            weight.append(np.full(len(row.right), share / count))
    x, y, w = np.concatenate(features), np.concatenate(right), np.concatenate(weight)
    w *= len(w) / w.sum()
    longest = int(np.quantile([row.features[0, -1] for _, several in measured.values() for row in several], 0.95))
    x[:, -1] = np.minimum(x[:, -1], longest)
    found = fitting.logistic(x, y, w)
    curve_in, curve_out = fitting.curve(fitting.sigmoid(x @ found), y, w)
    return Calibration(
        weights=tuple(float(value) for value in found.round(4)),
        curve_in=tuple(round(value, 5) for value in curve_in),
        curve_out=tuple(round(value, 5) for value in curve_out),
        longest=longest,
        floor=0.2,
        least=0.01,
    )


def report(calibration: Calibration, measured: dict[str, tuple[float, list[Rows]]]) -> None:
    """Error by family, and how often the floor says that nothing matches."""
    for name, (_, several) in measured.items():
        told = [calibration.probabilities(row.features.astype(np.float32)) for row in several]
        wrong = fitting.error(
            np.concatenate([one[:5] for one in told]).astype(float), np.concatenate([row.right[:5] for row in several])
        )
        silent = np.mean([not calibration.answers(one) for one in told])
        gain = 100 * np.mean([row.gain for row in several])
        print(f"{name:24} NDCG@5 {gain:5.1f}  ECE {wrong:.3f}  nothing matches {100 * silent:4.1f} %")


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--packages", type=Path, required=True)
    options.add_argument("--quality", action="store_true", help="for quality mode, its fusion weights too")
    options.add_argument("--cache", type=Path, default=KEPT, help="where its vectors are kept")
    options.add_argument("--sweep", action="store_true", help="measure other fusion weights too")
    options.add_argument("--write", action="store_true", help="write what was fitted into the model")
    chosen = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        encoded = Encoded(chosen.cache) if chosen.quality else None
        fitted = (Engine(Path(folder) / "none").finer if encoded else Engine(Path(folder) / "none").plain).weights
        several = list(catalogs(chosen.packages, Path(folder), encoded))
        if chosen.sweep or encoded:
            best = sweep([one for one in several if one.share >= 1])
            fitted = best if encoded else fitted
        measured = {one.name: (one.share, rows(one, fitted)) for one in several}
    calibration = fit(measured)
    print(dict(zip(FEATURES, calibration.weights, strict=True)))
    report(calibration, measured)
    families = sorted({name.split("-")[0].split("_")[0] for name in measured} - {ABSENT})
    for family in families:
        rest = {name: one for name, one in measured.items() if not name.startswith((family, ABSENT))}
        print(f"fitted without {family}:")
        report(fit(rest), {name: one for name, one in measured.items() if name.startswith(family)})
    if chosen.write:
        path = SHIPPED / "model.json"
        settings = json.loads(path.read_text(encoding="utf-8"))
        plain = {name: getattr(calibration, name) for name in Calibration.__struct_fields__}
        if chosen.quality:
            shares = {"meaning": fitted.meaning, "fine": fitted.fine}
            settings["quality"] = {"weights": shares, "calibration": plain}
        else:
            settings["calibration"] = plain
        path.write_text(json.dumps(settings, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
