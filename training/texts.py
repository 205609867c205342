"""What the teacher reads and what the student must match: documents, goals, and which goal asks for which tool."""

import json
import lzma
import random
import re
from dataclasses import dataclass
from pathlib import Path

from periplus.search.pieces import Pieces

_CASE = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|[_/{}.:|]+")
_TEMPLATES = (
    "{}", "{}", "{}", "I want to {}", "I need to {}", "can you {}?", "please {}", "how do I {}",
    "help me {}", "what tool can {}", "I'd like to {} for my project", "could you {} for me",
)  # fmt: skip


def spoken(name: str) -> str:
    """An identifier as words."""
    return " ".join(_CASE.sub(" ", name).split())


def document(record: dict, *, without: str = "") -> str:  # type: ignore[type-arg]
    """A tool as a sentence the teacher can read."""
    parts = [
        spoken(record["name"]),
        "" if without == "desc" else record["desc"],
        "" if without == "extra" else record["extra"][:300],
        record["cat"],
        ("parameters: " + spoken(record["params"])[:200]) if record["params"] else "",
        record["pdesc"][:200],
    ]
    return ". ".join(p for p in parts if p)


@dataclass(kw_only=True)
class Goals:
    """Phrases that ask for a tool: the text, its tool, and where the phrase came from."""

    text: list[str]
    doc: list[int]
    kind: list[str]


def first_sentence(text: str) -> str:
    return re.split(r"(?<=[.!?])\s", text, maxsplit=1)[0][:300]


def goals(records: list[dict], seed: int = 7) -> Goals:  # type: ignore[type-arg]
    """Everything query-like in the corpus; test queries are not in the corpus."""
    pick = random.Random(seed)
    out = Goals(text=[], doc=[], kind=[])
    for i, record in enumerate(records):
        for query in record["queries"][:40]:
            out.text.append(query[:400]), out.doc.append(i), out.kind.append("asked")
        if record["src"] in {"bfcl", "toolbench_g", "apibench_torchhub"}:
            continue
        desc = record["desc"] or first_sentence(record["extra"])
        if len(desc) > 12:
            phrase = desc[0].lower() + desc[1:].rstrip(".")
            out.text.append(pick.choice(_TEMPLATES).format(phrase)[:300]), out.doc.append(i), out.kind.append("desc")
        extra = first_sentence(record["extra"])
        if len(extra) > 20 and extra != desc:
            out.text.append(extra), out.doc.append(i), out.kind.append("extra")
    return out


def load_records(path: Path) -> list[dict]:  # type: ignore[type-arg]
    with lzma.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def rows_of(pieces: Pieces, texts: list[str], limit: int = 96) -> list[list[int]]:
    return [pieces.rows(text, limit) for text in texts]


def composed(words: list[str], near: list[list[int]], chance: list[float], count: int, seed: int = 11) -> list[str]:
    """Made-up phrases: words that belong together beside words that do not, so that every row is taught in company."""
    pick = random.Random(seed)
    everyday = pick.choices(range(len(words)), weights=chance, k=count * 10)
    out: list[str] = []
    take = iter(everyday)
    for _ in range(count):
        start = next(take) if pick.random() < 0.5 else pick.randrange(len(words))
        phrase = [start]
        for _ in range(pick.randint(1, 8)):
            phrase.append(pick.choice(near[phrase[-1]]) if pick.random() < 0.45 else next(take))
        out.append(" ".join(words[i] for i in phrase))
    return out


def varied(texts: list[str], words: list[str], near: list[list[int]], count: int, seed: int = 13) -> list[str]:
    """Real phrases with some words exchanged for neighbours, some dropped, and now and then two phrases joined."""
    pick = random.Random(seed)
    place = {word: i for i, word in enumerate(words)}
    out: list[str] = []
    for _ in range(count):
        said = pick.choice(texts).split()
        if pick.random() < 0.2:
            said += [pick.choice(("and", "then", "also", ".")), *pick.choice(texts).split()]
        kept: list[str] = []
        for word in said[:40]:
            chance = pick.random()
            known = place.get(word.lower().strip(".,?!"))
            if chance < 0.25 and known is not None:
                kept.append(words[pick.choice(near[known])])
            elif chance > 0.12:
                kept.append(word)
        out.append(" ".join(kept) or "nothing")
    return out
