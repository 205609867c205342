"""Vectors of the neural network beside a segment: filled in row by row, kept by fingerprint when segments change.

Two flat files for each segment, mapped and written in place: vectors, and for each row its tool's fingerprint, its
factor and a check. A row counts once its check is right, and the check is written last, so a row is whole or absent
whatever happens to the process, and others see new rows as they come.
"""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from periplus.search.encoder import NAME, WIDTH
from periplus.search.segment import Segment
from periplus.search.semantic import Floats, quantise

_ROW = np.dtype([("key", "<u8"), ("factor", "<f4"), ("check", "<u4")])
_VECTORS, _ROWS = f".{NAME}.vectors", f".{NAME}.rows"
_ODD = (np.arange(WIDTH, dtype=np.int64) * 2_654_435_761 % 65_521 + 1).astype(np.int64)

Truths = npt.NDArray[np.bool_]


class FineVectors:
    """The neural vectors of one segment's tools, as many as there are by now."""

    def __init__(self, segment: Segment, *, make: bool = False) -> None:
        stem = segment.path.with_suffix("")
        places = (stem.with_name(stem.name + _VECTORS), stem.with_name(stem.name + _ROWS))
        sizes = (segment.count * WIDTH, segment.count * _ROW.itemsize)
        if make:
            for place, size in zip(places, sizes, strict=True):
                with place.open("ab") as file:
                    file.truncate(size)
        elif any(not place.exists() or place.stat().st_size != size for place, size in zip(places, sizes, strict=True)):
            raise FileNotFoundError(places[0])
        self.vectors = np.memmap(places[0], np.int8, "r+", shape=(segment.count, WIDTH))
        self._rows = np.memmap(places[1], _ROW, "r+", shape=(segment.count,))
        self.factors = self._rows["factor"]
        self._keys = np.array(segment.text_keys)
        self.known: Truths = np.zeros(segment.count, np.bool_)
        self.look()

    def look(self) -> None:
        """See what was filled in since, here or in another process."""
        fresh = np.flatnonzero((self._rows["check"] != 0) & ~self.known)
        if len(fresh):
            keys = self._keys[fresh]
            right = (self._rows["key"][fresh] == keys) & (
                self._rows["check"][fresh] == _checks(self.vectors[fresh], keys)
            )
            self.known[fresh[right]] = True

    def fill(self, places: npt.NDArray[np.int64], vectors: npt.NDArray[np.int8], factors: Floats) -> None:
        """Put rows in, vectors first and their checks last."""
        self.vectors[places] = vectors
        self._rows["key"][places] = self._keys[places]
        self._rows["factor"][places] = factors
        self.vectors.flush()
        self._rows["check"][places] = _checks(vectors, self._keys[places])
        self._rows.flush()
        self.look()

    def encoded(self, places: Sequence[int], vectors: Floats) -> None:
        """Put in what the network gave."""
        self.fill(np.array(places, np.int64), *quantise(vectors))

    def adopt(self, folder: Path) -> None:
        """Take over rows of tools that stood in other segments and have not changed."""
        for place in sorted(folder.glob(f"*{_ROWS}")):
            beside = place.with_name(place.name.removesuffix(_ROWS) + _VECTORS)
            count = place.stat().st_size // _ROW.itemsize
            if not count or not beside.exists() or beside.stat().st_size != count * WIDTH:
                continue
            rows = np.memmap(place, _ROW, "r", shape=(count,))
            vectors = np.memmap(beside, np.int8, "r", shape=(count, WIDTH))
            wanted = np.flatnonzero(~self.known)
            _, mine, theirs = np.intersect1d(self._keys[wanted], rows["key"], return_indices=True)
            right = rows["check"][theirs] == _checks(vectors[theirs], rows["key"][theirs])
            if right.any():
                self.fill(wanted[mine[right]], np.array(vectors[theirs[right]]), rows["factor"][theirs[right]])


def leftover(folder: Path, kept: Iterable[str]) -> Iterator[Path]:
    """Files of vectors whose segment is gone."""
    names = {Path(name).stem for name in kept}
    for path in folder.glob(f"segment-*.{NAME}.*"):
        if path.name.partition(".")[0] not in names:
            yield path


def _checks(vectors: npt.NDArray[np.int8], keys: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint32]:
    """A number that a row of these bytes for this tool has, and hardly another; never zero."""
    summed = vectors.astype(np.int32) @ _ODD
    mixed = (summed.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)) ^ keys
    return ((mixed >> np.uint64(32)) | np.uint64(1)).astype(np.uint32)
