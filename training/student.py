"""The student: one table, a weight per row for goals and one for documents, and how much each field counts."""

import torch
import torch.nn.functional as F
from torch import nn

from training.arrays import FIELDS, Arrays, Ragged

WIDTH = 256


class Student(nn.Module):
    """Static vectors of goals and tools: weighted sums of table rows, normalised."""

    def __init__(self, rows: torch.Tensor, common: torch.Tensor, hidden: int = 0) -> None:
        super().__init__()
        self.bend = nn.Linear(WIDTH, hidden) if hidden else None
        self.back = nn.Linear(hidden, WIDTH) if hidden else None
        if self.back is not None:
            nn.init.zeros_(self.back.weight)
        self.table = nn.Parameter(rows.clone())
        self.goal_weight = nn.Parameter(common.clone())  # logs
        self.tool_weight = nn.Parameter(common.clone())
        self.field = nn.Parameter(torch.tensor([1.0, 0.3, 1.0, 0.3, 0.0, -0.5]))  # logs
        self.shrink = nn.Parameter(torch.full((len(FIELDS),), 0.6))  # a field of n rows counts as n ** (1 - shrink)

    def _shape(self, total: torch.Tensor) -> torch.Tensor:
        """A unit vector, bent by a small network where there is one."""
        flat = F.normalize(total, dim=-1)
        if self.bend is None or self.back is None:
            return flat
        return F.normalize(flat + self.back(F.relu(self.bend(flat * 16))), dim=-1)

    def _sum(self, rows: torch.Tensor, owner: torch.Tensor, weight: torch.Tensor, count: int) -> torch.Tensor:
        starts = torch.searchsorted(owner, torch.arange(count, device=owner.device))
        return F.embedding_bag(rows, self.table, starts, mode="sum", per_sample_weights=weight)

    def goals(self, lists: Ragged, index: torch.Tensor) -> torch.Tensor:
        rows, owner = lists.take(index)
        return self._shape(self._sum(rows, owner, self.goal_weight[rows].exp(), len(index)))

    def tools(self, arrays: Arrays, index: torch.Tensor, keep: torch.Tensor | None = None) -> torch.Tensor:
        """Vectors of tools; `keep` (tool x field, 0 or 1) leaves fields out while training."""
        total = torch.zeros((len(index), WIDTH), device=index.device)
        for place, name in enumerate(FIELDS):
            lists = arrays.fields[name]
            rows, owner = lists.take(index)
            count = torch.bincount(owner, minlength=len(index)).float().clamp_min(1)
            scale = (self.field[place] - self.shrink[place] * count.log()).exp()
            if keep is not None:
                scale = scale * keep[:, place]
            weight = self.tool_weight[rows].exp() * scale[owner]
            total = total + self._sum(rows, owner, weight, len(index))
        return self._shape(total)

    @torch.no_grad()
    def all_tools(self, arrays: Arrays, count: int) -> torch.Tensor:
        return torch.cat(
            [
                self.tools(arrays, torch.arange(a, min(a + 8192, count), device=self.table.device))
                for a in range(0, count, 8192)
            ]
        )

    @torch.no_grad()
    def all_goals(self, lists: Ragged) -> torch.Tensor:
        index = torch.arange(len(lists), device=self.table.device)
        return torch.cat([self.goals(lists, part) for part in index.split(8192)])

    @torch.no_grad()
    def quantised(self) -> "Student":
        """The student as it will be shipped: rows in int8 of unit scale, lengths folded into the weights."""
        longest = self.table.abs().amax(1, keepdim=True).clamp_min(1e-8)
        whole = (self.table / longest * 127).round()
        other = Student(whole, self.goal_weight + longest[:, 0].log())
        other.tool_weight.data = self.tool_weight + longest[:, 0].log()
        other.field.data, other.shrink.data = self.field.data.clone(), self.shrink.data.clone()
        other.bend, other.back = self.bend, self.back
        return other.to(self.table.device)
