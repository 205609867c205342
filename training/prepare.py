"""The corpus as arrays: vocabulary, table rows per field, query-like phrases, test queries and lexical counts."""

import argparse
import collections
import itertools
import json
import lzma
import math
import re
from pathlib import Path

import numpy as np

from periplus.search.pieces import Pieces
from periplus.search.text import STOP_WORDS, terms, words

FIELDS = ("name", "cat", "desc", "extra", "params", "pdesc")
LIMITS = {"name": 24, "cat": 24, "desc": 64, "extra": 96, "params": 48, "pdesc": 96}
SETS = ("apibench_torchhub", "bfcl", "metatool_single", "sealtools", "toolbench_g")
ROWS = 30_720
PHRASES = 4_096


def field_text(record: dict, field: str) -> str:  # type: ignore[type-arg]
    if field == "name":
        return f"{record['name']} {record['path']}" if record["path"] else record["name"]
    return record[field]


def vocabulary(records: list[dict], wordpieces: list[str]) -> list[str]:  # type: ignore[type-arg]
    """Word pieces of the teacher, words its vocabulary lacks, and phrases, most useful first."""
    count: collections.Counter[str] = collections.Counter()
    places: dict[str, set[str]] = collections.defaultdict(set)
    pairs: dict[tuple[str, str], set[str]] = collections.defaultdict(set)
    for record in records:
        seen: set[str] = set()
        seen_pairs: set[tuple[str, str]] = set()
        provider = "google" if record["src"] == "google" else re.split("[:/]", record["api"])[0]
        for text in [record["name"], record["params"]]:
            seen.update(words(text))
        # Phrases come from prose only: identifiers repeat the habits of one provider's generator.
        for text in [record["desc"], record["extra"], record["pdesc"], record["cat"], *record["queries"]]:
            found = words(text)
            seen.update(found)
            seen_pairs.update(
                (a, b)
                for a, b in itertools.pairwise(found)
                if a.isascii()
                and b.isascii()
                and a.isalpha()
                and b.isalpha()
                and len(a) > 1
                and len(b) > 1
                and a not in STOP_WORDS
                and b not in STOP_WORDS
            )
        for word in seen:
            count[word] += 1
            places[word].add(provider)
        for pair in seen_pairs:
            pairs[pair].add(provider)
    ascii_piece = re.compile(r"(##)?[a-z0-9]+")
    base = [p for p in wordpieces if ascii_piece.fullmatch(p)]
    rank = {p: i for i, p in enumerate(base)}
    # Late entries of the teacher's vocabulary that no tool and no goal mentions are spelled by pieces instead.
    kept = [p for p in base if p.startswith("##") or len(p) < 3 or rank[p] < 12_000 or count[p] >= 1]
    known = set(kept)
    usage = {w: len(p) for w, p in places.items() if w not in known and w.isascii() and w.isalpha() and 2 < len(w) < 20}
    phrase_score = {
        (a, b): len(p) * math.log(len(p) * 1500 / (len(places[a]) * len(places[b])))
        for (a, b), p in pairs.items()
        if len(p) >= 4 and len(places[a]) and len(places[b])
    }
    phrases = [f"{a} {b}" for (a, b), s in sorted(phrase_score.items(), key=lambda x: (-x[1], x[0])) if s > 0][:PHRASES]
    room = ROWS - len(kept) - len(phrases)
    extra = [w for w, n in sorted(usage.items(), key=lambda x: (-x[1], x[0])) if n >= 3][: max(room, 0)]
    print(len(kept), "pieces", len(extra), "words", len(phrases), "phrases", phrases[:40], extra[:40])
    return (kept + extra + phrases)[:ROWS]


def ragged(lists: list[list[int]]) -> tuple[np.ndarray, np.ndarray]:
    offsets = np.zeros(len(lists) + 1, np.int64)
    np.cumsum([len(x) for x in lists], out=offsets[1:])
    flat = np.fromiter((i for x in lists for i in x), np.int32, offsets[-1])
    return flat, offsets


def main() -> None:
    """Write the arrays."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--corpus", type=Path, required=True)
    parser.add_argument("--vocab", type=Path, required=True, help="the teacher's vocab.txt")
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    with lzma.open(options.corpus, "rt", encoding="utf-8") as lines:
        records = [json.loads(line) for line in lines]
    entries = vocabulary(records, options.vocab.read_text(encoding="utf-8").split("\n"))
    pieces = Pieces(entries)
    out: dict[str, np.ndarray] = {"vocab": np.array(entries)}
    for field in FIELDS:
        out[f"{field}_flat"], out[f"{field}_off"] = ragged(
            [pieces.rows(field_text(r, field), LIMITS[field]) for r in records]
        )
    sources = sorted({r["src"] for r in records})
    apis = {a: i for i, a in enumerate(dict.fromkeys(r["api"] for r in records))}
    out["sources"] = np.array(sources)
    out["src"] = np.array([sources.index(r["src"]) for r in records], np.int16)
    out["api"] = np.array([apis[r["api"]] for r in records], np.int32)

    asked = [(i, q) for i, r in enumerate(records) for q in r["queries"]]
    out["asked_doc"] = np.array([i for i, _ in asked], np.int32)
    out["asked_text"] = np.array([q[:400] for _, q in asked])
    out["asked_flat"], out["asked_off"] = ragged([pieces.rows(q, 96) for _, q in asked])

    position = {(r["src"], r.get("id")): i for i, r in enumerate(records)}
    stems: dict[str, int] = {}
    for name in SETS:
        rows = [json.loads(x) for x in (options.data / name / "queries.jsonl").read_text("utf-8").splitlines()]
        rows = [r for r in rows if r["split"] == "test"]
        out[f"{name}_flat"], out[f"{name}_off"] = ragged([pieces.rows(r["query"], 256) for r in rows])
        out[f"{name}_text"] = np.array([r["query"] for r in rows])
        out[f"{name}_rel"], out[f"{name}_reloff"] = ragged([[position[name, x] for x in r["relevant"]] for r in rows])
        out[f"{name}_stems"], out[f"{name}_stemoff"] = ragged(
            [[stems.setdefault(t, len(stems)) for t in dict.fromkeys(terms(r["query"]))] for r in rows]
        )
    out["asked_stems"], out["asked_stemoff"] = ragged(
        [[stems.setdefault(t, len(stems)) for t in dict.fromkeys(terms(q))] for _, q in asked]
    )
    # Lexical counts: rows (doc, stem, field, count), only for stems some query has; plus field lengths.
    doc, stem, field_of, count = [], [], [], []
    lengths = np.zeros((len(records), len(FIELDS)), np.int32)
    for i, record in enumerate(records):
        for f, field in enumerate(FIELDS):
            found = terms(field_text(record, field))
            lengths[i, f] = len(found)
            for term, n in collections.Counter(found).items():
                if (s := stems.get(term)) is not None:
                    doc.append(i), stem.append(s), field_of.append(f), count.append(n)
    out["lex_doc"], out["lex_stem"] = np.array(doc, np.int32), np.array(stem, np.int32)
    out["lex_field"], out["lex_count"] = np.array(field_of, np.int8), np.minimum(count, 255).astype(np.uint8)
    out["lex_len"] = lengths
    np.savez_compressed(options.out, **out)


if __name__ == "__main__":
    main()
