"""From the files of one folder to a definition; a fault costs the smallest thing it spoils (W-21 to W-27)."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import PurePosixPath
from typing import Any, TypeVar

import msgspec

from periplus.core.workflows.decoding import SUFFIXES, Undecodable, decoded, front_matter
from periplus.core.workflows.definition import META, Definition, Document, Loaded
from periplus.core.workflows.model import ID_PATTERN, Activity, Workflow
from periplus.core.workflows.problems import LoadCode, LoadProblem, Severity
from periplus.core.workflows.reading import read
from periplus.core.workflows.skill import Skill
from periplus.ports.shelves import Listed

T = TypeVar("T")
FILE_BYTES = 2 << 20
FILES = 2000
_NUMBERED = re.compile(r"(\d+)[-_](.+)")
_ID = re.compile(ID_PATTERN)


class Folder(msgspec.Struct, frozen=True, kw_only=True):
    """What belongs to one workflow, and how to read it."""

    name: str
    layer: int
    shipped: bool
    files: tuple[Listed, ...]
    read: Callable[[str], bytes]


def load(folder: Folder) -> Definition:
    """The definition a folder holds, as far as it can be read."""
    return _Loader(folder).definition()


def number_of(name: str) -> tuple[str, str]:
    """The number at the front of a file's name as it is written, and the rest of its stem."""
    stem = PurePosixPath(name).stem
    found = _NUMBERED.fullmatch(stem)
    return (found[1], found[2]) if found else ("", stem)


def in_order(files: Iterable[Listed]) -> list[Listed]:
    """By number, then by name; what has no number comes last."""

    def key(file: Listed) -> tuple[float, str]:
        name = PurePosixPath(file.path).name
        number, _ = number_of(name)
        return (int(number) if number else float("inf"), name)

    return sorted(files, key=key)


class _Loader:
    def __init__(self, folder: Folder) -> None:
        self._folder = folder
        self._problems: list[LoadProblem] = []
        self._digest = hashlib.sha256()

    def definition(self) -> Definition:
        main = self._main()
        loaded = self._part(main, Workflow, {}) if main else None
        body = loaded.body if loaded and loaded.part else {}
        activities = self._activities(body) if loaded and loaded.part else {}
        skills = self._skills()
        documents = self._documents()
        fatal = not body or self._too_many() or (not any(one.part for one in activities.values()))
        if body and not activities:
            self._say(Severity.ERROR, LoadCode.SCHEMA, main.path if main else "", "the workflow has no activity")
        if body and body["id"] != self._folder.name:
            said = f"the file says {body['id']!r}, its folder {self._folder.name!r}"
            self._say(Severity.NOTE, LoadCode.ID_DIFFERS, main.path if main else "", said)
        return Definition(
            folder=self._folder.name,
            layer=self._folder.layer,
            shipped=self._folder.shipped,
            id=body.get("id", self._folder.name),
            title=body.get("title", self._folder.name),
            version=body.get("version", "0.0.0"),
            workflow=loaded.part if loaded else None,
            body={name: value for name, value in body.items() if name not in ("activities", "activitiesDir")},
            activities=activities,
            skills=skills,
            documents=documents,
            problems=tuple(self._problems),
            fatal=bool(fatal),
            digest=self._digest.hexdigest()[:16],
        )

    # --- the workflow's own file ----------------------------------------------------------------------------

    def _main(self) -> Listed | None:
        named = [f"{self._folder.name}/workflow{suffix}" for suffix in SUFFIXES]
        alone = [f"{self._folder.name}{suffix}" for suffix in SUFFIXES]
        found = [file for path in (*named, *alone) for file in self._folder.files if file.path == path]
        for other in found[1:]:
            self._say(Severity.WARNING, LoadCode.SHADOWED, other.path, f"{found[0].path} counts instead")
        if not found:
            self._say_missing()
        return found[0] if found else None

    def _say_missing(self) -> None:
        """No workflow file: `meta` may do without one, and a link that cannot be followed is a fault by itself."""
        away = [file for file in self._folder.files if file.away and file.path == self._folder.name]
        for file in away:
            self._bytes(file)
        if not away and self._folder.name != META:
            self._say(Severity.ERROR, LoadCode.UNREADABLE, self._folder.name, "there is no workflow file")

    # --- what lies beside it --------------------------------------------------------------------------------

    def _activities(self, body: dict[str, Any]) -> dict[str, Loaded[Activity]]:
        inline = body.get("activities")
        if inline:
            main = self._main_path()
            parts = [
                self._checked(raw, Activity, main, f"activities[{number}]", "") for number, raw in enumerate(inline)
            ]
        else:
            files = self._definitions(str(body.get("activitiesDir", "activities")))
            parts = [self._part(file, Activity, {}) for file in files]
        kept: dict[str, Loaded[Activity]] = {}
        for part in parts:
            if part.id in kept:
                said = f"there is an activity {part.id!r} already, from {kept[part.id].file}"
                self._say(Severity.ERROR, LoadCode.DUPLICATE_ID, part.file, said)
                continue
            kept[part.id] = part
        return kept

    def _skills(self) -> dict[str, Loaded[Skill]]:
        kept: dict[str, Loaded[Skill]] = {}
        for file in self._definitions("skills"):
            id_ = number_of(file.path)[1]
            if id_ in kept:
                self._say(Severity.WARNING, LoadCode.SHADOWED, file.path, f"{kept[id_].file} counts instead")
                continue
            kept[id_] = msgspec.structs.replace(self._part(file, Skill, {}), id=id_)
        return kept

    def _documents(self) -> tuple[Document, ...]:
        below = f"{self._folder.name}/"
        for name in ("resources", "guides"):
            files = [file for file in self._folder.files if file.path.startswith(f"{below}{name}/")]
            if files:
                found = [self._document(file) for file in in_order(files)]
                return tuple(one for one in found if one)
        return ()

    def _document(self, file: Listed) -> Document | None:
        data = self._bytes(file)
        if data is None:
            return None
        head, content = front_matter(data.decode("utf-8", "replace").removeprefix("\ufeff"))
        name = PurePosixPath(file.path).name
        said = {key: str(head[key]) for key in ("id", "version") if key in head}
        return Document(file=name, number=number_of(name)[0], content=content, **said)

    def _definitions(self, directory: str) -> list[Listed]:
        """The files of a directory that hold definitions, in order; of one stem the first format counts."""
        below = f"{self._folder.name}/{directory}/"
        if ".." in directory.split("/") or directory.startswith("/"):
            self._say(Severity.ERROR, LoadCode.OUTSIDE_ROOT, self._main_path(), f"{directory!r} leads outside")
            return []
        named = [
            file
            for file in self._folder.files
            if file.path.startswith(below) and PurePosixPath(file.path).suffix in SUFFIXES
        ]
        named.sort(key=lambda file: SUFFIXES.index(PurePosixPath(file.path).suffix))
        kept: dict[str, Listed] = {}
        for file in named:
            first = kept.setdefault(PurePosixPath(file.path).stem, file)
            if first is not file:
                self._say(Severity.WARNING, LoadCode.SHADOWED, file.path, f"{first.path} counts instead")
        return in_order(kept.values())

    # --- one file -------------------------------------------------------------------------------------------

    def _part(self, file: Listed, kind: type[T], _seen: dict[str, Any]) -> Loaded[T]:
        began = len(self._problems)
        number, stem = number_of(file.path)
        data = self._bytes(file, sums=kind is not Skill)
        if data is None:
            return Loaded(id=stem, file=file.path, problems=tuple(self._problems[began:]))
        try:
            raw = decoded(data, file.path, self._folder.name, self._problems)
        except Undecodable as error:
            self._say(Severity.ERROR, LoadCode.PARSE_ERROR, file.path, error.message, line=error.line)
            return Loaded(id=stem, file=file.path, problems=tuple(self._problems[began:]))
        made = self._checked(raw, kind, file.path, "", number)
        if made.part is None:
            made = msgspec.structs.replace(made, id=made.id or stem)
        elif kind is not Workflow and made.id != stem:
            self._say(Severity.NOTE, LoadCode.ID_DIFFERS, file.path, f"the file says {made.id!r}, its name {stem!r}")
        return msgspec.structs.replace(made, problems=tuple(self._problems[began:]))

    def _checked(self, raw: Any, kind: type[T], file: str, inside: str, number: str) -> Loaded[T]:
        began = len(self._problems)
        body, reading = read(raw, kind)
        for where in reading.unknown:
            place = ".".join(filter(None, (inside, where)))
            self._say(Severity.NOTE, LoadCode.UNKNOWN_KEY, file, "an unknown key; it is kept", where=place)
        for fault in reading.faults:
            place = ".".join(filter(None, (inside, fault.where)))
            self._say(Severity.ERROR, LoadCode.SCHEMA, file, fault.message, where=place)
        id_ = str(raw["id"]) if isinstance(raw, dict) and isinstance(raw.get("id"), str | int) else ""
        if reading.faults:
            return Loaded(id=id_, file=file, number=number, problems=tuple(self._problems[began:]))
        if kind is Activity and number:
            body["artifactPrefix"] = number
        return Loaded(id=id_, file=file, number=number, part=msgspec.convert(body, kind), body=body)

    def _bytes(self, file: Listed, *, sums: bool = False) -> bytes | None:
        if file.away:
            said = {"outside_root": "a link that leads outside", "unreadable": "it cannot be read"}[file.away.value]
            self._say(Severity.ERROR, LoadCode(file.away.value), file.path, said)
            return None
        if file.size > FILE_BYTES:
            self._say(Severity.ERROR, LoadCode.TOO_LARGE, file.path, f"{file.size} bytes; {FILE_BYTES} are the most")
            return None
        try:
            data = self._folder.read(file.path)
        except OSError as error:
            self._say(Severity.ERROR, LoadCode.UNREADABLE, file.path, str(error.strerror or error))
            return None
        if sums:
            self._digest.update(file.path.encode() + b"\0" + data)
        return data

    def _too_many(self) -> bool:
        count = len(self._folder.files)
        if count <= FILES:
            return False
        self._say(Severity.ERROR, LoadCode.TOO_LARGE, self._folder.name, f"{count} files; {FILES} are the most")
        return True

    def _main_path(self) -> str:
        starts = (f"{self._folder.name}/workflow.", f"{self._folder.name}.")
        return next((file.path for file in self._folder.files if file.path.startswith(starts)), self._folder.name)

    def _say(
        self,
        severity: Severity,
        code: LoadCode,
        file: str,
        message: str,
        where: str = "",
        line: int | None = None,
    ) -> None:
        self._problems.append(
            LoadProblem(
                severity=severity,
                code=code,
                workflow=self._folder.name,
                file=file,
                where=where,
                line=line,
                message=message,
            )
        )


def valid_id(text: str) -> bool:
    """Whether a text may be an id: nothing else is looked for on a disk (W-27)."""
    return bool(_ID.fullmatch(text))


def folders(files: Sequence[Listed]) -> dict[str, tuple[Listed, ...]]:
    """Files by the workflow they belong to: a directory, or one file of its own."""
    found: dict[str, list[Listed]] = {}
    for file in files:
        head, slash, rest = file.path.partition("/")
        path = PurePosixPath(head)
        if not slash and (path.suffix not in SUFFIXES and not file.away):
            continue
        name = head if slash else path.stem if path.suffix in SUFFIXES else head
        if slash and not rest:
            continue
        found.setdefault(name, []).append(file)
    return {name: tuple(own) for name, own in sorted(found.items()) if any(_defines(file, name) for file in own)}


def _defines(file: Listed, name: str) -> bool:
    """Whether a file makes its directory a workflow's: a folder of other things is none."""
    head = file.path.removeprefix(f"{name}/")
    return file.away is not None or "/" in head or PurePosixPath(head).suffix in SUFFIXES
