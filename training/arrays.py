"""The prepared arrays on the training device, and how batches are cut from them."""

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import torch

FIELDS = ("name", "cat", "desc", "extra", "params", "pdesc")
SETS = ("apibench_torchhub", "bfcl", "metatool_single", "sealtools", "toolbench_g")


@dataclass(kw_only=True)
class Ragged:
    """Lists of rows as one flat tensor and offsets."""

    flat: torch.Tensor
    offsets: torch.Tensor

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def take(self, index: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """The rows of these lists, concatenated, and which list of the batch each row is of."""
        start, count = self.offsets[index], self.offsets[index + 1] - self.offsets[index]
        owner = torch.repeat_interleave(torch.arange(len(index), device=index.device), count)
        first = torch.cumsum(count, 0) - count
        inside = torch.arange(len(owner), device=index.device) - first[owner]
        return self.flat[start[owner] + inside].long(), owner


def ragged(lists: list[list[int]], device: str) -> Ragged:
    offsets = np.concatenate([[0], np.cumsum([len(x) for x in lists])])
    flat = np.fromiter((i for x in lists for i in x), np.int64, int(offsets[-1]))
    return Ragged(flat=torch.tensor(flat, device=device), offsets=torch.tensor(offsets, device=device))


@dataclass(kw_only=True)
class Arrays:
    """Everything `training.prepare` wrote."""

    raw: dict[str, np.ndarray]
    device: str
    fields: dict[str, Ragged] = field(default_factory=dict)

    @classmethod
    def load(cls, path: Path, device: str) -> "Arrays":
        raw = dict(np.load(path))
        arrays = cls(raw=raw, device=device)
        for name in FIELDS:
            arrays.fields[name] = arrays.ragged(name)
        return arrays

    def ragged(self, name: str) -> Ragged:
        return Ragged(flat=self.tensor(f"{name}_flat"), offsets=self.tensor(f"{name}_off"))

    def tensor(self, name: str) -> torch.Tensor:
        return torch.tensor(self.raw[name], device=self.device)

    @property
    def vocabulary(self) -> list[str]:
        return [str(x) for x in self.raw["vocab"]]

    def docs_of(self, source: str) -> np.ndarray:
        return np.flatnonzero(self.raw["src"] == list(self.raw["sources"]).index(source))
