"""The shipped model: a static table of word vectors, and how goals and tools become one vector each."""

import json
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import simsimd

from periplus.search.pieces import Pieces

Floats = npt.NDArray[np.float32]
Bytes = npt.NDArray[np.int8]
Ints = npt.NDArray[np.int64]
SHIPPED = Path(__file__).parent / "model"
_GOAL_ROWS = 160
FIELD_ROWS = (24, 24, 64, 96, 48, 96, 96)  # rows read of each field, in the order of `FIELDS`


class Model:
    """The embedding table and everything learned with it, under one version."""

    def __init__(self, folder: Path = SHIPPED) -> None:
        self.settings: dict[str, Any] = json.loads((folder / "model.json").read_text(encoding="utf-8"))
        self.version: str = self.settings["version"]
        self.table: Bytes = np.load(folder / "table.npy", mmap_mode="r")
        self._folder = folder
        weights = np.load(folder / "weights.npy").astype(np.float32)
        self._goal_weight: Floats = weights[0]
        self._tool_weight: Floats = weights[1]
        self._field_log = np.array(self.settings["field"], np.float32)
        self._field_shrink = np.array(self.settings["shrink"], np.float32)
        self.width = int(self.table.shape[1])

    @cached_property
    def pieces(self) -> Pieces:
        """The vocabulary, read when the first text is."""
        return Pieces((self._folder / "vocab.txt").read_text(encoding="utf-8").split("\n"))

    def goals(self, texts: Sequence[str]) -> Floats:
        """Unit vectors of goals; a goal without known words has the zero vector."""
        out = np.zeros((len(texts), self.width), np.float32)
        for place, text in enumerate(texts):
            rows = self.pieces.rows(text, _GOAL_ROWS)
            if rows:
                out[place] = self._goal_weight[rows] @ self.table[rows].astype(np.float32)
        return unit(out)

    def knows(self, word: str) -> bool:
        """Whether a word has a row of its own."""
        return self.pieces.has(word)

    def tools(self, rows: Ints, sizes: Ints) -> Floats:
        """Unit vectors of tools, given by the table rows of their texts, and for each tool how many each field has."""
        if not len(rows):
            return np.zeros((len(sizes), self.width), np.float32)
        fields = np.arange(len(FIELD_ROWS))
        strengths = self._strengths[fields, np.maximum(sizes, 1) - 1]
        unique, inverse = np.unique(rows, return_inverse=True)
        weight = np.repeat(strengths.reshape(-1), sizes.reshape(-1)) * self._tool_weight[unique][inverse]
        cell = np.repeat(np.arange(len(sizes)), sizes.sum(axis=1)) * len(unique) + inverse
        dense = np.bincount(cell, weights=weight, minlength=len(sizes) * len(unique)).astype(np.float32)
        return unit(dense.reshape(len(sizes), len(unique)) @ self.table[unique].astype(np.float32))

    @cached_property
    def _strengths(self) -> Floats:
        """What a row of each field counts, by how many rows the field has."""
        many = np.log(np.arange(1, max(FIELD_ROWS) + 1, dtype=np.float32))
        strengths: Floats = np.exp(self._field_log[:, None] - self._field_shrink[:, None] * many)
        return strengths


def unit(vectors: Floats) -> Floats:
    """Vectors of length one; zero stays zero."""
    length = np.sqrt((vectors * vectors).sum(axis=-1, keepdims=True))
    ones: Floats = vectors / np.maximum(length, 1e-9)
    return ones


def quantise(vectors: Floats) -> tuple[Bytes, Floats]:
    """Vectors as int8, and for each the factor that turns an int8 dot product back into a cosine."""
    longest = np.maximum(np.abs(vectors).max(axis=-1), 1e-9)
    small = np.rint(vectors / longest[:, None] * 127).astype(np.int8)
    length = np.sqrt((small.astype(np.float32) ** 2).sum(axis=-1))
    return small, (1 / np.maximum(length, 1e-9)).astype(np.float32)


def scan(goals: Floats, vectors: Bytes, factors: Floats) -> Floats:
    """Cosines of goals and int8 vectors, by exact scan: one row per goal."""
    small, own = quantise(goals)
    raw = np.asarray(simsimd.cdist(small, vectors, metric="dot", out_dtype="float32"))
    raw *= factors
    raw *= own[:, None]
    return raw
