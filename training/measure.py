"""NDCG@5 of a vector model alone and fused with BM25, on each set alone and in one pool with the real operations."""

import itertools

import numpy as np
import torch

from training.arrays import SETS, Arrays

FIELD_WEIGHTS = (3.0, 2.0, 1.0, 1.0, 1.0, 0.5)
K1, B = 1.5, 0.75


class Lexical:
    """BM25 over the prepared counts, dense scores for a batch of queries over some documents."""

    def __init__(self, arrays: Arrays, weights: tuple[float, ...] = FIELD_WEIGHTS) -> None:
        raw, device = arrays.raw, arrays.device
        weight = np.array(weights, np.float32)
        doc, stem = raw["lex_doc"].astype(np.int64), raw["lex_stem"].astype(np.int64)
        tf = weight[raw["lex_field"]] * raw["lex_count"]
        stems = int(stem.max()) + 1
        key, inverse = np.unique(doc * stems + stem, return_inverse=True)
        total = np.bincount(inverse, weights=tf).astype(np.float32)
        self.doc = torch.tensor(key // stems, device=device)
        self.stem = torch.tensor(key % stems, device=device)
        self.tf = torch.tensor(total, device=device)
        self.length = torch.tensor(raw["lex_len"] @ weight, device=device).float()
        self.stems, self.docs, self.device = stems, len(raw["src"]), device

    def over(self, docs: np.ndarray) -> torch.Tensor:
        """A sparse (stem x doc) matrix of BM25 impacts, with statistics of exactly these documents."""
        place = torch.full((self.docs,), -1, device=self.device)
        place[torch.tensor(docs, device=self.device)] = torch.arange(len(docs), device=self.device)
        keep = place[self.doc] >= 0
        doc, stem, tf = self.doc[keep], self.stem[keep], self.tf[keep]
        length = self.length / self.length[torch.tensor(docs, device=self.device)].mean()
        df = torch.bincount(stem, minlength=self.stems).float()
        idf = torch.log(1 + (len(docs) - df + 0.5) / (df + 0.5))
        impact = idf[stem] * tf * (K1 + 1) / (tf + K1 * (1 - B + B * length[doc]))
        return torch.sparse_coo_tensor(torch.stack([place[doc], stem]), impact, (len(docs), self.stems)).coalesce()


def ndcg5(scores: torch.Tensor, relevant: list[set[int]]) -> np.ndarray:
    top = torch.topk(scores, min(5, scores.shape[1]), dim=1).indices.cpu().numpy()
    gain = 1 / np.log2(np.arange(2, 7))
    out = np.zeros(len(relevant))
    for i, wanted in enumerate(relevant):
        hits = np.array([doc in wanted for doc in top[i]])
        out[i] = (hits * gain[: len(hits)]).sum() / gain[: min(5, len(wanted))].sum()
    return out


class Bench:
    """The five sets, separate and pooled, ready to score vector models."""

    def __init__(self, arrays: Arrays, most: int = 2500) -> None:
        self.arrays = arrays
        self.lexical = Lexical(arrays)
        sets = np.concatenate([arrays.docs_of(name) for name in SETS])
        self.pool = np.concatenate([sets, arrays.docs_of("68k")])
        self.most = most
        self.pooled_lexical = self.lexical.over(self.pool)

    def _stems(self, name: str) -> torch.Tensor:
        flat, off = self.arrays.raw[f"{name}_stems"], self.arrays.raw[f"{name}_stemoff"]
        owner = np.repeat(np.arange(len(off) - 1), np.diff(off))
        dense = torch.zeros((len(off) - 1, self.lexical.stems), device=self.arrays.device)
        dense[torch.tensor(owner, device=dense.device), torch.tensor(flat, device=dense.device).long()] = 1
        return dense[: self.most]

    def run(self, queries: dict[str, torch.Tensor], documents: torch.Tensor, mixes: tuple[float, ...]) -> dict:
        """Mean NDCG@5 by mix weight of the vectors (0 lexical alone, 1 vectors alone), by set and kind."""
        out: dict[str, dict[str, list[float]]] = {"separate": {}, "pooled": {}}
        for kind, found in out.items():
            for name in SETS:
                docs = self.arrays.docs_of(name) if kind == "separate" else self.pool
                matrix = self.lexical.over(docs) if kind == "separate" else self.pooled_lexical
                place = {int(d): i for i, d in enumerate(docs)}
                rel, off = self.arrays.raw[f"{name}_rel"], self.arrays.raw[f"{name}_reloff"]
                relevant = [{place[int(d)] for d in rel[a:b]} for a, b in itertools.pairwise(off)][: self.most]
                vectors = documents[torch.tensor(docs, device=documents.device)]
                got: list[np.ndarray] = []
                stems = self._stems(name)
                for start in range(0, len(relevant), 512):
                    part = slice(start, start + 512)
                    lex = torch.sparse.mm(matrix, stems[part].T).T
                    lex = lex / lex.max(1, keepdim=True).values.clamp_min(1e-6)
                    sem = queries[name][part] @ vectors.T
                    got.append(np.stack([ndcg5(w * sem + (1 - w) * lex, relevant[part]) for w in mixes]))
                found[name] = [round(float(x) * 100, 2) for x in np.concatenate(got, 1).mean(1)]
            found["mean"] = [round(float(x), 2) for x in np.mean(list(found.values()), 0)]
        return out
