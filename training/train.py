"""Train the table: encode with the teacher, distil, fine-tune on goal-tool pairs, measure, write."""

import argparse
import json
import os
import time
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F

from periplus.search.pieces import Pieces
from training.arrays import FIELDS, SETS, Arrays, ragged
from training.measure import Bench, ndcg5
from training.student import WIDTH, Student
from training.teacher import Teacher
from training.texts import Goals, composed, document, goals, load_records, rows_of, varied

SEED = 20_26
MIXES = (0.0, 0.5, 0.65, 0.75, 0.85, 1.0)
_began = time.time()


def say(*words: object) -> None:
    print(f"[{time.time() - _began:5.0f}s]", *words, flush=True)


class Sampler:
    """Batches of goal-tool pairs, neighbours from one provider together so that negatives are hard."""

    def __init__(self, asks: Goals, api: np.ndarray, held: np.ndarray, device: str) -> None:
        self.device = device
        self.pick = np.random.default_rng(SEED)
        doc = np.array(asks.doc)
        kind = np.array(asks.kind)
        usable = ~held[doc]
        weight = np.where(kind == "asked", 1.0, np.where(kind == "desc", 0.5, 0.35))
        # A tool asked for a hundred times and a provider with thousands of operations count by their roots.
        per_doc = np.bincount(doc, minlength=len(api))[doc]
        weight = weight / np.sqrt(per_doc)
        self.index = np.flatnonzero(usable)
        self.weight = weight[self.index]
        self.doc, self.kind = doc, kind
        groups: dict[int, list[int]] = {}
        for i in self.index:
            groups.setdefault(int(api[doc[i]]), []).append(int(i))
        self.groups = [np.array(g) for g in groups.values()]
        size = np.array([len(g) for g in self.groups], float)
        self.group_chance = np.sqrt(size) / np.sqrt(size).sum()
        self.chance = self.weight / self.weight.sum()
        self.weight_of = weight

    def batch(self, size: int, hard: float = 0.5, each: int = 8) -> tuple[np.ndarray, np.ndarray]:
        """Goal indexes and their documents."""
        clusters = self.pick.choice(len(self.groups), int(size * hard) // each, p=self.group_chance)
        chosen = [self.pick.choice(self.index, size - len(clusters) * each, p=self.chance)]
        for c in clusters:
            group = self.groups[c]
            w = self.weight_of[group]
            chosen.append(self.pick.choice(group, each, p=w / w.sum()))
        goals_ = np.concatenate(chosen)
        return goals_, self.doc[goals_]


def keep_fields(kinds: np.ndarray, pick: np.random.Generator) -> np.ndarray:
    """Which fields a document shows: the one its goal was made from is mostly hidden, others now and then."""
    keep = (pick.random((len(kinds), len(FIELDS))) > 0.12).astype(np.float32)
    keep[:, 0] = 1
    for place, kind in ((2, "desc"), (3, "extra")):
        hide = (kinds == kind) & (pick.random(len(kinds)) < 0.9)
        keep[hide, place] = 0
        shown = (kinds == "asked") & (pick.random(len(kinds)) < 0.95)
        keep[shown, place] = 1
    return keep


def distil(options, arrays, student, goal_rows, teach, sampler, dup) -> None:  # noqa: ANN001, PLR0913, PLR0917 - one recipe
    """All steps of the student's training."""
    teach_goal, teach_tool, project = teach
    device = arrays.device
    groups = [
        {"params": [student.table], "lr": options.rate},
        {"params": [student.goal_weight, student.tool_weight], "lr": options.rate * 3},
        {"params": [student.field, student.shrink], "lr": options.rate * 3},
        *(
            [{"params": [*student.bend.parameters(), *student.back.parameters()], "lr": options.rate}]
            if student.bend
            else []
        ),
    ]
    optimiser = torch.optim.Adam(groups, betas=(0.9, 0.98))
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimiser, [g["lr"] for g in groups], total_steps=options.steps, pct_start=0.05
    )
    pick = np.random.default_rng(SEED + 1)
    for step in range(options.steps):
        chosen, docs = sampler.batch(options.batch)
        keep = torch.tensor(keep_fields(sampler.kind[chosen], pick), device=device)
        chosen_t, docs_t = torch.tensor(chosen, device=device), torch.tensor(docs, device=device)
        goal, tool = student.goals(goal_rows, chosen_t), student.tools(arrays, docs_t, keep)
        want_goal, want_tool = teach_goal[chosen_t], teach_tool[docs_t]
        near = (1 - (goal * F.normalize(want_goal @ project, dim=-1)).sum(1)).mean()
        near = near + (1 - (tool * F.normalize(want_tool @ project, dim=-1)).sum(1)).mean()
        # Any text teaches: words and other goals alone, against the teacher's own view of them.
        more = torch.tensor(pick.integers(0, len(goal_rows), 2 * options.batch), device=device)
        near = (
            near
            + (1 - (student.goals(goal_rows, more) * F.normalize(teach_goal[more] @ project, dim=-1)).sum(1)).mean()
        )
        same = (dup[docs_t][:, None] == dup[docs_t][None, :]) & ~torch.eye(len(docs_t), dtype=torch.bool, device=device)
        logits = (goal @ tool.T / options.heat).masked_fill(same, -1e4)
        target = torch.arange(len(docs), device=device)
        match = (F.cross_entropy(logits, target) + F.cross_entropy(logits.T, target)) / 2
        with torch.no_grad():
            soft = F.softmax((want_goal @ want_tool.T / options.heat).masked_fill(same, -1e4), dim=1)
        imitate = F.kl_div(F.log_softmax(logits, 1), soft, reduction="batchmean")
        loss = options.near * near + options.match * match + options.imitate * imitate
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        schedule.step()
        if step % 500 == 0 or step == options.steps - 1:
            say(f"step {step} near {near.item():.3f} match {match.item():.3f} imitate {imitate.item():.3f}")


def held_out(asks: Goals, held: np.ndarray, goal_vectors, tool_vectors, docs: np.ndarray) -> dict:  # noqa: ANN001
    """NDCG@5 of held-out providers' goals against every document: what the recipe is chosen by."""
    out = {}
    place = {int(d): i for i, d in enumerate(docs)}
    pool = tool_vectors[torch.tensor(docs, device=tool_vectors.device)]
    for kind in ("asked",):
        index = [
            i for i, (d, k) in enumerate(zip(asks.doc, asks.kind, strict=True)) if k == kind and held[d] and d in place
        ][:3000]
        vectors = goal_vectors[torch.tensor(index, device=goal_vectors.device)]
        got = np.concatenate(
            [
                ndcg5(v @ pool.T, [{place[asks.doc[i]]} for i in part])
                for v, part in zip(
                    vectors.split(512), [index[a : a + 512] for a in range(0, len(index), 512)], strict=True
                )
            ]
        )
        out[kind] = round(float(got.mean()) * 100, 2)
    return out


def phrases(teacher: Teacher, arrays: Arrays, solo: list[str], count: int, real: list[str]) -> list[str]:
    """Made-up phrases over the whole words of the vocabulary."""
    whole = [i for i, w in enumerate(arrays.vocabulary) if not w.startswith("##") and len(w) > 1]
    vectors = teacher.encode(teacher.ids([solo[i] for i in whole]))
    near = torch.cat([(part @ vectors.T).topk(25).indices[:, 1:] for part in vectors.split(2048)]).cpu().tolist()
    flat = np.concatenate([arrays.raw[f"{f}_flat"] for f in ("desc", "extra", "pdesc", "asked")])
    seen = np.bincount(flat, minlength=len(solo))[whole]
    spoken = [solo[i] for i in whole]
    return composed(spoken, near, ((seen + 3.0) ** 0.6).tolist(), count) + varied(real, spoken, near, count // 3)


def main() -> None:  # noqa: PLR0915 - one recipe, read from top to bottom
    """Run the recipe."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--carry", type=Path, required=True)
    parser.add_argument("--out", type=Path, default=Path(os.environ.get("OUT", ".")))
    parser.add_argument("--runs", default="base", help="comma separated name:key=value:key=value")
    parser.add_argument("--tune", type=int, default=0, help="contrastive steps of the teacher before distilling")
    parser.add_argument("--composed", type=int, default=500_000, help="made-up phrases to distil")
    parser.add_argument("--final", action="store_true", help="hold no provider out")
    settings = parser.parse_args()
    torch.manual_seed(SEED)
    torch.set_float32_matmul_precision("high")
    device = "cuda" if torch.cuda.is_available() else "cpu"
    arrays = Arrays.load(settings.carry / "prepared.npz", device)
    records = load_records(settings.carry / "corpus.jsonl.xz")
    say(len(records), "records")
    pieces = Pieces(arrays.vocabulary)
    asks = goals(records)
    paired = len(asks.text)
    api = arrays.raw["api"]
    src = arrays.raw["src"]
    names = list(arrays.raw["sources"])
    held = (api % 12 == 5) & ~np.isin(src, [names.index(s) for s in ("metatool_single", "sealtools")])
    if settings.final:
        held[:] = False
    solo = [w.removeprefix("##") for w in arrays.vocabulary]
    teacher = Teacher(settings.carry / "teacher", device)
    made = phrases(teacher, arrays, solo, settings.composed, asks.text)
    say("composed", made[:5])
    texts = asks.text + solo + made
    goal_rows = ragged(rows_of(pieces, asks.text) + [[i] for i in range(len(solo))] + rows_of(pieces, made), device)
    empty = goal_rows.offsets[1:] == goal_rows.offsets[:-1]
    say(len(asks.text), "goals", int(empty.sum()), "empty;", {k: asks.kind.count(k) for k in set(asks.kind)})
    sampler = Sampler(asks, api, held, device)

    tool_ids = teacher.ids([document(r) for r in records])
    goal_ids = teacher.ids(texts)
    say("tokenised")
    if settings.tune:
        bare = {f: teacher.ids([document(r, without=f) for r in records]) for f in ("desc", "extra")}

        def pairs(_: int):  # noqa: ANN202
            chosen, docs = sampler.batch(1024)
            keys = [hash(tuple(tool_ids[d])) for d in docs]
            key = torch.tensor(keys, device=device)
            same = (key[:, None] == key[None, :]) & ~torch.eye(len(keys), dtype=torch.bool, device=device)
            shown = [bare.get(str(sampler.kind[c]), tool_ids)[d][:128] for c, d in zip(chosen, docs, strict=True)]
            return [goal_ids[c][:96] for c in chosen], shown, same

        teacher.tune(pairs, settings.tune)
        say("teacher tuned")
        half = {k: v.half().cpu().numpy() for k, v in teacher.model.state_dict().items() if v.is_floating_point()}
        shrink(half, settings.out)
    teach_tool, teach_goal = teacher.encode(tool_ids), teacher.encode(goal_ids)
    say("encoded")
    bench = Bench(arrays)
    teacher_goals = {s: teacher.encode(teacher.ids([str(x) for x in arrays.raw[f"{s}_text"]])) for s in SETS}
    report = {"teacher": bench.run(teacher_goals, teach_tool, MIXES)}
    pool = np.concatenate([bench.pool, arrays.docs_of("aws"), arrays.docs_of("azure")])
    report["teacher"]["held"] = held_out(asks, held, teach_goal, teach_tool, pool) if held.any() else {}
    say("teacher", json.dumps(report["teacher"]))

    sample = torch.cat([teach_tool[::2], teach_goal[:paired:3]])
    _, _, axes = torch.linalg.svd(sample[torch.randperm(len(sample), device=device)[:40_000]], full_matrices=False)
    project = axes[:WIDTH].T.contiguous()
    frequency = torch.bincount(
        torch.cat(
            [goal_rows.flat[: goal_rows.offsets[paired]].long()] + [arrays.fields[f].flat.long() for f in FIELDS]
        ),
        minlength=len(solo),
    ).float()
    common = -torch.log1p(frequency / frequency.sum() * 3000).clamp_max(3)
    first = teach_goal[paired : paired + len(solo)] @ project
    keys = {}
    dup = torch.tensor(
        [keys.setdefault((r["desc"] or r["extra"], r["name"]), i) for i, r in enumerate(records)], device=device
    )

    for run in settings.runs.split(","):
        name, *changes = run.split(":")
        options = argparse.Namespace(
            steps=4000, batch=4096, rate=2e-3, heat=0.05, near=1.0, match=0.3, imitate=0.3, hidden=0
        )
        for change in changes:
            key, _, value = change.partition("=")
            setattr(options, key, type(getattr(options, key))(value))
        torch.manual_seed(SEED)
        sampler.pick = np.random.default_rng(SEED)
        student = Student(first, common, options.hidden).to(device)
        distil(options, arrays, student, goal_rows, (teach_goal, teach_tool, project), sampler, dup)
        final = student.quantised()
        vectors = final.all_tools(arrays, len(records))
        report[name] = bench.run({s: final.all_goals(arrays.ragged(s))[:2500] for s in SETS}, vectors, MIXES)
        if held.any():
            report[name]["held"] = held_out(asks, held, final.all_goals(goal_rows), vectors, pool)
        say(name, vars(options), json.dumps(report[name]))
        np.savez(
            settings.out / f"table-{name}.npz",
            table=final.table.detach().cpu().numpy().astype(np.int8),
            goal_weight=final.goal_weight.detach().cpu().numpy(),
            tool_weight=final.tool_weight.detach().cpu().numpy(),
            field=final.field.detach().cpu().numpy(),
            shrink=final.shrink.detach().cpu().numpy(),
            vocab=np.array(arrays.vocabulary),
            **{k: v.detach().cpu().numpy() for k, v in final.state_dict().items() if k.startswith(("bend", "back"))},
        )
    (settings.out / "report.json").write_text(json.dumps(report, indent=1))


def shrink(state: dict, out: Path) -> None:  # type: ignore[type-arg]
    """The tuned teacher with int8 rows, in two files that fit what comes back."""
    small: dict[str, np.ndarray] = {}
    for key, value in state.items():
        if value.ndim == 2:
            scale = np.abs(value).max(1, keepdims=True).astype(np.float32) / 127
            small[key + ".int8"] = np.round(value / np.maximum(scale, 1e-9)).astype(np.int8)
            small[key + ".scale"] = scale
        else:
            small[key] = value
    keys = sorted(small)
    for n, part in enumerate((keys[::2], keys[1::2])):
        np.savez_compressed(out / f"teacher-{n}.npz", **{k: small[k] for k in part})


if __name__ == "__main__":
    main()
