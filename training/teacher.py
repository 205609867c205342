"""The teacher: MiniLM (Apache-2.0), as packaged, and its contrastive fine-tuning on tool pairs."""

import json
from collections.abc import Sequence
from pathlib import Path

import torch
import torch.nn.functional as F
from safetensors.torch import load_file
from tokenizers import Tokenizer
from transformers import BertConfig, BertModel


class Teacher:
    """Mean-pooled, normalised sentence vectors."""

    def __init__(self, folder: Path, device: str) -> None:
        config = BertConfig(**json.loads((folder / "config.json").read_text()))
        self.model = BertModel(config, add_pooling_layer=False)
        state = load_file(folder / "model.safetensors")
        for key in [k for k in state if k.endswith(".int8")]:
            state[key[:-5]] = state.pop(key).float() * state.pop(key[:-5] + ".scale")
        state = {k: v.float() if v.is_floating_point() else v for k, v in state.items() if "pooler" not in k}
        missing, unexpected = self.model.load_state_dict(state, strict=False)
        if lacking := [m for m in missing if "position_ids" not in m]:
            raise ValueError(f"the teacher lacks {lacking}; it has {unexpected}")
        self.model.to(device)
        self.tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self.tokenizer.no_padding()
        self.tokenizer.enable_truncation(192)
        self.device = device

    def ids(self, texts: Sequence[str]) -> list[list[int]]:
        return [e.ids for e in self.tokenizer.encode_batch(list(texts))]

    def forward(self, ids: Sequence[Sequence[int]]) -> torch.Tensor:
        longest = max(len(i) for i in ids)
        batch = torch.zeros((len(ids), longest), dtype=torch.long)
        mask = torch.zeros((len(ids), longest))
        for row, one in enumerate(ids):
            batch[row, : len(one)] = torch.tensor(one)
            mask[row, : len(one)] = 1
        batch, mask = batch.to(self.device, non_blocking=True), mask.to(self.device, non_blocking=True)
        with torch.autocast("cuda", torch.bfloat16, enabled=self.device == "cuda"):
            hidden = self.model(input_ids=batch, attention_mask=mask).last_hidden_state
        hidden = hidden.float() * mask[..., None]
        return F.normalize(hidden.sum(1) / mask.sum(1, keepdim=True).clamp_min(1), dim=-1)

    @torch.inference_mode()
    def encode(self, ids: Sequence[Sequence[int]], tokens: int = 65_536) -> torch.Tensor:
        """Vectors of many token lists, sorted by length so that padding is small."""
        self.model.eval()
        order = sorted(range(len(ids)), key=lambda i: len(ids[i]))
        out = torch.empty((len(ids), 384), device=self.device)
        start = 0
        while start < len(order):
            count = max(8, tokens // max(len(ids[order[min(start + 2048, len(order) - 1)]]), 1))
            part = order[start : start + count]
            out[torch.tensor(part, device=self.device)] = self.forward([ids[i] for i in part])
            start += count
        return out

    def tune(self, pairs, steps: int, *, rate: float = 3e-5, heat: float = 0.05) -> None:  # noqa: ANN001
        """Contrastive steps; `pairs(step)` gives query token lists, document token lists, and which to mask."""
        self.model.train()
        optimiser = torch.optim.AdamW(self.model.parameters(), lr=rate, weight_decay=0.01)
        schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, rate, total_steps=steps, pct_start=0.1)
        for step in range(steps):
            queries, documents, same = pairs(step)
            logits = self.forward(queries) @ self.forward(documents).T / heat
            logits = logits.masked_fill(same, -1e4)
            target = torch.arange(len(queries), device=self.device)
            loss = F.cross_entropy(logits, target) + F.cross_entropy(logits.T, target)
            optimiser.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
            optimiser.step()
            schedule.step()
            if step % 50 == 0:
                print(f"tune {step} {loss.item() / 2:.3f}", flush=True)
