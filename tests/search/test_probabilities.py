"""How good rankings and probabilities are on public sets that nothing was fitted on."""

from __future__ import annotations

import json
from pathlib import Path
from statistics import mean

import numpy as np
import pytest
from benchmarks.search import quality, sets

from periplus.search.calibration import FEATURES, Calibration, features_of
from periplus.search.engine import Engine
from periplus.search.fusion import Weights
from periplus.search.measures import Judged, calibration_error
from periplus.search.semantic import SHIPPED, Model

FEW = 150


@pytest.fixture(scope="module")
def judged(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, list[Judged]]]:
    """Answers to the same queries: as shipped, by words alone, by meaning alone."""
    found: dict[str, dict[str, list[Judged]]] = {}
    for catalog in sets.separate("test"):
        engine = Engine(tmp_path_factory.mktemp("set"))
        engine.rebuild(1, catalog.records)
        shipped = engine.plain
        for name, several in catalog.queries.items():
            asked = sets.sample(several, FEW)
            found[name] = {}
            for way, weights in (
                ("shipped", shipped.weights),
                ("words", Weights(meaning=0)),
                ("meaning", Weights(meaning=1)),
            ):
                engine.plain = type(shipped)(weights=weights, calibration=shipped.calibration)
                found[name][way] = [quality.judge(engine, query) for query in asked]
    return found


def test_probabilities_come_true(judged: dict[str, dict[str, list[Judged]]]) -> None:
    """R-5: the expected calibration error on sets that were not fitted on."""
    errors = {name: calibration_error(ways["shipped"]) for name, ways in judged.items()}
    assert mean(errors.values()) <= 0.08, errors
    assert max(errors.values()) <= 0.15, errors


def test_words_and_meaning_together_are_better_than_either(judged: dict[str, dict[str, list[Judged]]]) -> None:
    """R-13: the weighted sum; in the mean over all sets."""
    gains = {
        way: mean(mean(one.ndcg for one in ways[way]) for ways in judged.values())
        for way in ("shipped", "words", "meaning")
    }
    assert gains["shipped"] >= 0.58, gains
    assert gains["shipped"] > gains["words"] + 0.02, gains
    assert gains["shipped"] > gains["meaning"], gains


def test_the_model_says_its_version_and_how_it_is_calibrated() -> None:
    """R-5, R-14, E-23: method and numbers are stored with the model; R-11: it is small."""
    stored = json.loads((SHIPPED / "model.json").read_text(encoding="utf-8"))
    assert stored["version"] == Model().version
    assert len(stored["calibration"]["weights"]) == len(FEATURES)
    assert (SHIPPED / "table.npy").stat().st_size <= 8_000_000
    table = np.load(SHIPPED / "table.npy", mmap_mode="r")
    assert (table.dtype, table.shape[1]) == (np.int8, 256)


def test_no_hit_is_likelier_than_the_one_before_it() -> None:
    """R-5: however scores fall."""
    draw = np.random.default_rng(5)
    calibration = Calibration.of(Model().settings)
    for count in (1, 2, 10, 300):
        scores = np.sort(draw.random(count).astype(np.float32))[::-1]
        rows = features_of(
            scores, draw.random(count), draw.random(count), 10 ** int(draw.integers(1, 7)), int(draw.integers(1, 500))
        )
        chance = calibration.probabilities(rows)
        assert ((chance >= 0) & (chance <= 1)).all()
        assert (np.diff(chance) <= 1e-6).all()
