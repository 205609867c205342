"""Goals for a catalog that nobody wrote goals for: from examples, held out descriptions, names in other words."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from functools import cached_property

import msgspec
import numpy as np

from periplus.model import Tool
from periplus.search.semantic import Floats, Model, unit
from periplus.search.text import STOP_WORDS, words

KINDS = ("examples", "descriptions", "names")
_SENTENCE = re.compile(r"(?<=[.!?])\s")
_SHORTEST = 3  # words: fewer say what a tool is called, not what somebody wants
_LONGEST = 300
_NEAR, _ALIKE = 6, 0.35
_ASKING = ("{}", "please {}", "how do I {}", "I need to {}", "can you {} for me")


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """A goal, and the tools that serve it."""

    goal: str
    kind: str
    refs: tuple[str, ...]


class Asker:
    """Makes goals out of tools; the same seed makes the same ones."""

    def __init__(self, model: Model, seed: int = 7) -> None:
        self._model = model
        self._seed = seed

    def goals(self, tools: Sequence[Tool], kind: str, most: int) -> tuple[list[Asked], list[Tool]]:
        """At most that many goals of a kind, and the tools as they are to be indexed, without what was asked with."""
        pick = random.Random(f"{self._seed} {kind}")  # noqa: S311 - drawn alike each time
        made: list[Asked] = []
        shown = list(tools)
        order = list(range(len(tools)))
        pick.shuffle(order)
        for place in order:
            if len(made) == most:
                break
            said, left = self._ask(tools[place], kind, pick)
            if said:
                made.append(Asked(goal=said, kind=kind, refs=(str(tools[place].ref),)))
                shown[place] = left
        return made, shown

    def _ask(self, tool: Tool, kind: str, pick: random.Random) -> tuple[str, Tool]:
        if kind == "examples":
            texts = [example.description for example in tool.examples if _says(example.description)]
            return (pick.choice(texts) if texts else ""), msgspec.structs.replace(tool, examples=())
        if kind == "descriptions":
            rest = tool.description.removeprefix(tool.summary).strip()
            asked_with = rest if _says(rest) else tool.summary
            left = {"description": ""} if asked_with == rest else {"description": "", "summary": ""}
            said = _SENTENCE.split(asked_with, maxsplit=1)[0][:_LONGEST]
            return (said if _says(said) else ""), msgspec.structs.replace(tool, **left)
        spoken = [word for word in words(tool.path.rpartition("/")[2]) if word.isalpha()]
        return self._in_other_words(spoken, pick), tool

    def _in_other_words(self, spoken: list[str], pick: random.Random) -> str:
        """The words of a name with one of them exchanged for a neighbour, as somebody would ask."""
        changeable = [place for place, word in enumerate(spoken) if self._near(word)]
        if not changeable:
            return ""
        place = pick.choice(changeable)
        near = self._near(spoken[place])
        said = [*spoken[:place], pick.choice(near), *spoken[place + 1 :]]
        return pick.choice(_ASKING).format(" ".join(said))

    def _near(self, word: str) -> list[str]:
        known = self._model.pieces.row(word)
        if known is None or word in STOP_WORDS or len(word) < _SHORTEST:
            return []
        alike = self._vectors @ self._vectors[known]
        best = np.argsort(-alike)[: 4 * _NEAR]
        texts = [self._model.pieces.word(int(row)) for row in best if alike[row] > _ALIKE]
        return [text for text in texts if text.isalpha() and word[:4] not in text and text[:4] not in word][:_NEAR]

    @cached_property
    def _vectors(self) -> Floats:
        return unit(self._model.table.astype(np.float32))


def _says(text: str) -> bool:
    return len(text.split()) >= _SHORTEST
