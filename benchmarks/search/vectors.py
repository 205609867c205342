"""What the network of quality mode gave, kept in a file: a tool stands in many catalogs and is encoded once."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from periplus.search.encoder import load, sentence
from periplus.search.engine import Engine
from periplus.search.records import Record

KEPT = Path(".cache/fine.npz")
_AT_ONCE = 512


class Encoded:
    """The network, and its vectors by the text that it read."""

    def __init__(self, kept: Path = KEPT) -> None:
        self.encoder = load()
        self._kept = kept
        self._known: dict[str, np.ndarray] = {}
        if kept.exists():
            stored = np.load(kept)
            self._known = dict(zip(stored["keys"].tolist(), stored["vectors"], strict=True))

    def engine(self, folder: Path, records: Sequence[Record]) -> Engine:
        """An engine over these tools, each of which has its vector."""
        engine = Engine(folder, encoder=self.encoder)
        engine.rebuild(1, records)
        keys = self._keys(records)
        engine.refining.lacking(1)
        for segment, fine in zip(engine.view().segments, engine.view().fine, strict=True):
            vectors = np.array([self._known[keys[ref]] for ref in segment.refs], np.float32)
            fine.encoded(range(segment.count), vectors)
        return engine

    def _keys(self, records: Sequence[Record]) -> dict[str, str]:
        """The key of each tool's vector, which is known from now on."""
        texts = {
            record.ref: sentence(
                record.path, record.summary, record.description, [name for name, _ in record.parameters]
            )
            for record in records
        }
        keys = {ref: hashlib.blake2b(text.encode(), digest_size=8).hexdigest() for ref, text in texts.items()}
        fresh = [ref for ref, key in keys.items() if key not in self._known]
        for start in range(0, len(fresh), _AT_ONCE):
            part = fresh[start : start + _AT_ONCE]
            vectors = self.encoder.tools([texts[ref] for ref in part]).astype(np.float16)
            self._known |= dict(zip((keys[ref] for ref in part), vectors, strict=True))
        if fresh:
            self._kept.parent.mkdir(exist_ok=True)
            np.savez(self._kept, keys=np.array(list(self._known)), vectors=np.array(list(self._known.values())))
        return keys
