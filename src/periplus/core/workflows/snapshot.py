"""All definitions as they are at one moment, and how parts of them are found (W-88, W-89)."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import NamedTuple

import msgspec

from periplus.core.workflows.definition import META, SHIPPED, Definition, Document, Loaded
from periplus.core.workflows.loading import valid_id
from periplus.core.workflows.problems import LoadProblem
from periplus.core.workflows.skill import Skill

_RANK = {".toon": 0, ".md": 1}
BOOTSTRAP = f"{META}/00"


class FoundSkill(NamedTuple):
    """A skill, and the definition it came from."""

    skill: Loaded[Skill]
    home: Definition

    @property
    def source(self) -> str:
        """Where it is from, in the words of answers."""
        return self.home.source


class Snapshot(msgspec.Struct, frozen=True, kw_only=True):
    """Definitions by id, then every layer's `meta` in order."""

    definitions: tuple[Definition, ...] = ()
    lost: tuple[LoadProblem, ...] = ()  # of those another one hides
    good: dict[tuple[int, str], Definition] = {}  # the last whole state of each that this process has seen
    away: tuple[str, ...] = ()  # directories that cannot be read

    def listed(self) -> list[Definition]:
        """Every workflow that is offered, broken ones too."""
        return [one for one in self.definitions if one.folder != META]

    def metas(self) -> list[Definition]:
        """The layers of `meta`, the shipped one last."""
        return [one for one in self.definitions if one.folder == META]

    def find(self, id_: str) -> Definition | None:
        """The workflow of this id, else of this folder."""
        if id_ == META:
            return next((one for one in self.metas() if one.workflow or one.faults), None)
        listed = self.listed()
        return next((one for one in listed if one.id == id_), None) or next(
            (one for one in listed if one.folder == id_), None
        )

    def running(self, id_: str) -> tuple[Definition | None, bool]:
        """What a running session goes on with, and whether the files on disk are broken by now."""
        now = self.find(id_)
        if now is None or now.is_whole:
            return now, False
        good = self.good.get((now.layer, now.folder))
        return (good, True) if good else (now, False)

    def near(self, id_: str) -> list[str]:
        """Ids like this one."""
        known = [one.id for one in self.listed()]
        return difflib.get_close_matches(id_, known, n=3, cutoff=0.4) or known[:5]

    def problems(self) -> list[LoadProblem]:
        """All that is wrong anywhere."""
        return [*self.lost, *(problem for one in self.definitions for problem in one.problems)]

    # --- skills ---------------------------------------------------------------------------------------------

    def skill(self, home: Definition, ref: str) -> FoundSkill | None:
        """In the workflow itself, then the layers of `meta`, then in the only other workflow that has it."""
        place, slash, id_ = ref.partition("/")
        if slash:
            return self._explicit(place, id_)
        for one in (home, *self.metas()):
            if ref in one.skills:
                return FoundSkill(one.skills[ref], one)
        others = [one for one in self.listed() if ref in one.skills]
        return FoundSkill(others[0].skills[ref], others[0]) if len(others) == 1 else None

    def _explicit(self, place: str, id_: str) -> FoundSkill | None:
        for one in self._homes(place):
            if id_ in one.skills:
                return FoundSkill(one.skills[id_], one)
        return None

    # --- resources ------------------------------------------------------------------------------------------

    def document(self, home: Definition, index: str) -> Document | None:
        """By number, file name or id; with `workflow/` in front, in another one."""
        place, slash, rest = index.partition("/")
        if not slash:
            return _document(self.metas() if home.folder == META else [home], index)
        return _document(self._homes(place), rest)

    def bootstrap(self) -> str:
        """What `discover` tells."""
        document = _document(self.metas(), "00")
        return document.content if document else ""

    def _homes(self, place: str) -> list[Definition]:
        if place == SHIPPED:
            return [one for one in self.metas() if one.shipped]
        if place == META:
            return self.metas()
        found = self.find(place) if valid_id(place) else None
        return [found] if found else []


def _document(homes: Iterable[Definition], index: str) -> Document | None:
    for home in homes:
        fitting = [one for one in home.documents if _is(one, index)]
        if fitting:
            return min(fitting, key=lambda one: _RANK.get(one.file[one.file.rfind(".") :], 2))
    return None


def _is(document: Document, index: str) -> bool:
    if index.isdecimal():
        return bool(document.number) and document.number.lstrip("0") == index.lstrip("0")
    return index in (document.file, document.id)
