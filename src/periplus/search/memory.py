"""What was called after which goal: a bounded memory per tenant that decays, and can be exported and erased."""

import hashlib
import math
import os
from collections.abc import Iterable
from pathlib import Path

import msgspec
import numpy as np

from periplus.model import Use
from periplus.search.semantic import Floats, Model, quantise, scan

MOST_MEMORIES = 2_000
HALF_LIFE_S = 30 * 86_400.0
_ALIKE = 0.72  # below this cosine two goals have nothing to say about each other
_STRENGTH = 0.25
_FORGOTTEN = 0.05
_WRONG = 0.5
_STRONGEST = 3.0
_LONGEST_GOAL = 500
_LEARNED = "learned.json"


class Memory(msgspec.Struct, frozen=True, kw_only=True):
    """Once, after this goal, this tool was called."""

    goal: str
    ref: str
    at: float
    weight: float = 1.0

    def strength(self, now: float) -> float:
        return self.weight * math.exp2(-max(now - self.at, 0.0) / HALF_LIFE_S)


class Memories:
    """One tenant's memories, in one file that is replaced whole."""

    def __init__(self, folder: Path, tenant: str, model: Model) -> None:
        self._path = self.place(folder, tenant)
        self._model = model
        self._all: dict[tuple[str, str], Memory] = {}
        if self._path.exists():
            try:
                kept = msgspec.json.decode(self._path.read_bytes(), type=list[Memory])
            except (msgspec.MsgspecError, UnicodeDecodeError):
                kept = []  # a memory is a convenience: a damaged one starts anew
            self._all = {(memory.goal, memory.ref): memory for memory in kept}
        self._encode()

    @staticmethod
    def place(folder: Path, tenant: str) -> Path:
        """The file of a tenant's memories."""
        digest = hashlib.blake2b(tenant.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()
        return folder / f"memory-{digest}.json"

    def __len__(self) -> int:
        return len(self._all)

    def learn(self, uses: Iterable[Use]) -> None:
        """Remember what went well after its goal; what did not counts half from then on."""
        latest = 0.0
        for use in uses:
            goal = " ".join(use.goal.split())[:_LONGEST_GOAL]
            latest = max(latest, use.at)
            before = self._all.pop((goal, use.ref), None)
            strength = before.strength(use.at) if before else 0.0
            weight = min(_STRONGEST, 1.0 + strength) if use.well else strength * _WRONG
            if goal and weight:
                self._all[goal, use.ref] = Memory(goal=goal, ref=use.ref, at=use.at, weight=weight)
        self._bound(latest)
        self._encode()

    def boosts(self, goal: Floats, now: float) -> dict[str, float]:
        """Refs that were called after goals like this one (its vector), with how much that adds to their score."""
        if not self._list:
            return {}
        alike = scan(goal[None], self._vectors, self._factors)[0]
        found: dict[str, float] = {}
        for place in np.flatnonzero(alike > _ALIKE):
            memory = self._list[int(place)]
            near = (float(alike[place]) - _ALIKE) / (1 - _ALIKE)
            gained = _STRENGTH * near * (1 - math.exp(-2 * memory.strength(now)))
            found[memory.ref] = max(gained, found.get(memory.ref, 0.0))
        return found

    def export(self) -> bytes:
        """Everything remembered, as JSON."""
        return msgspec.json.encode(self._list)

    def erase(self) -> None:
        """Forget everything, on disk too."""
        self._all = {}
        self._encode()
        self._path.unlink(missing_ok=True)

    def save(self) -> None:
        """Write the file, whole or not at all."""
        _put(self._path, self.export())

    def _bound(self, now: float) -> None:
        """Drop what has faded, then the weakest."""
        self._all = {key: memory for key, memory in self._all.items() if memory.strength(now) > _FORGOTTEN}
        if len(self._all) > MOST_MEMORIES:
            strongest = sorted(self._all.items(), key=lambda pair: (-pair[1].strength(now), -pair[1].at, pair[0]))
            self._all = dict(strongest[:MOST_MEMORIES])

    def _encode(self) -> None:
        self._list = list(self._all.values())
        self._vectors, self._factors = quantise(self._model.goals([memory.goal for memory in self._list]))


def learned_upto(folder: Path) -> int:
    """The row of the trail up to which uses were learned."""
    try:
        return int(msgspec.json.decode((folder / _LEARNED).read_bytes(), type=int))
    except (FileNotFoundError, msgspec.MsgspecError, UnicodeDecodeError):
        return 0


def note_learned(folder: Path, upto: int) -> None:
    """Uses up to this row of the trail need not be looked at again."""
    _put(folder / _LEARNED, msgspec.json.encode(upto))


def _put(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f"{path.name}.{os.getpid()}.partial")
    with partial.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    partial.replace(path)
