"""The index on disk: segments and a manifest that is replaced whole, shared by every process that reads it."""

import contextlib
import hashlib
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path

import msgspec
import numpy as np

from periplus.search.generation import Generation
from periplus.search.merging import merge
from periplus.search.records import Record
from periplus.search.sections import DamagedError, verify
from periplus.search.segment import MOST_TOOLS, Segment, build, complete
from periplus.search.semantic import Model

_MANIFEST = "manifest.json"
_SEGMENT = re.compile(r"segment-[0-9a-f]{16}\.idx")
PIECE = 8192  # tools read at once: so much is held in memory of a catalog of any size
_TOGETHER = 4  # segments that are made one while others are still to be read
_MOST_SEGMENTS = 6  # beyond the full ones: more make a search slower, fewer make an update slower


class _Part(msgspec.Struct, frozen=True):
    name: str
    count: int
    dead: list[int] = []


class _Manifest(msgspec.Struct, frozen=True):
    revision: int = 0
    model: str = ""
    parts: list[_Part] = []
    check: str = ""

    def sealed(self) -> "_Manifest":
        plain = msgspec.structs.replace(self, check="")
        return msgspec.structs.replace(plain, check=hashlib.sha256(msgspec.json.encode(plain)).hexdigest())


class Index:
    """The index of one catalog in one directory. One process at a time writes (the caller holds the lease)."""

    def __init__(self, folder: Path, model: Model) -> None:
        self.folder = folder
        self._model = model
        self._open: dict[str, Segment] = {}
        self._stamp: tuple[int, int] | None = None
        self.damage = ""  # why the files found here cannot be used; the caller rebuilds and says so
        self.current = Generation(0, (), ())
        folder.mkdir(parents=True, exist_ok=True)
        self.refresh()

    @property
    def outdated(self) -> bool:
        """The catalog was encoded by another version of the model and must be encoded again."""
        return any(one.is_whole and one.model != self._model.version for one in self.current.segments)

    def refresh(self) -> bool:
        """Take over what another process wrote; True when something changed."""
        try:
            status = (self.folder / _MANIFEST).stat()
        except FileNotFoundError:
            return False
        stamp = (status.st_mtime_ns, status.st_ino)
        if stamp == self._stamp:
            return False
        try:
            # A writer may replace the manifest and drop its old segments between two of our reads.
            for attempt in range(3):
                try:
                    self._read()
                    break
                except FileNotFoundError:
                    if attempt == 2:
                        raise
        except (DamagedError, FileNotFoundError, msgspec.MsgspecError, UnicodeDecodeError) as error:
            self.damage = str(error)
            self.current = Generation(0, (), ())
            self._open = {}
        else:
            self.damage = ""
        self._stamp = stamp
        return True

    def _read(self) -> None:
        manifest = msgspec.json.decode((self.folder / _MANIFEST).read_bytes(), type=_Manifest)
        if manifest.sealed().check != manifest.check:
            raise DamagedError(f"{_MANIFEST} fails its checksum")
        opened: dict[str, Segment] = {}
        for part in manifest.parts:
            known = self._open.get(part.name)
            if known is None:
                if not _SEGMENT.fullmatch(part.name):
                    raise DamagedError(f"{_MANIFEST} names {part.name!r}")
                verify(self.folder / part.name)
                known = Segment(self.folder / part.name)
            opened[part.name] = known
        self._open = opened
        self.current = Generation(
            manifest.revision,
            [opened[part.name] for part in manifest.parts],
            [np.array(part.dead, np.uint32) for part in manifest.parts],
        )

    def rebuild(self, revision: int, records: Iterable[Record]) -> None:
        """Index these tools and nothing else, whole from its first moment on."""
        parts = [self._write(piece, self._model) for piece, _ in _pieces(records)]
        while group := self._apart(segments := [Segment(self.folder / part.name) for part in parts], parts, most=1):
            parts = self._joined(segments, parts, group)
        self._publish(revision, parts)

    def enroll(
        self, revision: int, records: Iterable[Record], removed: Iterable[str] = (), *, anew: bool = False
    ) -> None:
        """Take new and changed tools in beside the rest (`anew`: in place of it), and forget the removed ones.

        Names and patterns find them from now on; of very many, what they mean is left to `settle`.
        """
        current = Generation(0, (), ()) if anew else self.current
        dead = [set(map(int, gone)) for gone in current.dead]
        sources = current.sources()
        fresh: list[_Part] = []
        for piece, is_last in _pieces(records):
            fresh.append(self._write(piece, self._model if is_last and not fresh else None))
            _forget(current, dead, (record.ref for record in piece if record.source in sources))
        _forget(current, dead, removed)
        kept = [
            _Part(segment.name, segment.count, sorted(gone))
            for segment, gone in zip(current.segments, dead, strict=True)
            if len(gone) < segment.count
        ]
        self._publish(revision, [*kept, *fresh])

    def settle(self) -> bool:
        """A step towards a whole index in few segments; False when there is nothing left to do."""
        current, parts = self.current, self._parts()
        bare = next((number for number, segment in enumerate(current.segments) if not segment.is_whole), None)
        group = self._apart(current.segments, parts) if bare is None else self._pieces_read(current.segments)
        if bare is not None and not group:
            name = _name_of(self._model.version, current.segments[bare].name)
            complete(self.folder / name, current.segments[bare], self._model)
            parts[bare] = msgspec.structs.replace(parts[bare], name=name)
        elif group:
            parts = self._joined(current.segments, parts, group)
        else:
            return False
        self._publish(current.revision, parts)
        for segment in self.current.segments:
            segment.rest()  # searches look at little of what they were brought together from
        return True

    def _pieces_read(self, segments: Sequence[Segment]) -> list[int]:
        """Pieces of a large intake, once they are several: searches would look at each of them until its end."""
        sizes = range(PIECE // 8, PIECE + 1)
        read = [number for number, one in enumerate(segments) if self._is_read(one) and one.count in sizes]
        return read if len(read) >= _TOGETHER else []

    def _is_read(self, segment: Segment) -> bool:
        return segment.model == self._model.version

    @property
    def scattered(self) -> bool:
        """Whether one segment can take the place of several, or of one with many tools that are gone."""
        return bool(self._apart(self.current.segments, self._parts()))

    def _parts(self) -> list[_Part]:
        return [
            _Part(segment.name, segment.count, gone.tolist())
            for segment, gone in zip(self.current.segments, self.current.dead, strict=True)
        ]

    def _apart(self, segments: Sequence[Segment], parts: Sequence[_Part], most: int = _MOST_SEGMENTS) -> list[int]:
        """Segments that one can take the place of, so that searches are faster: small ones, and half-empty ones."""
        ready = [number for number, segment in enumerate(segments) if self._is_read(segment)]
        small = [number for number in ready if parts[number].count < MOST_TOOLS // 2]
        large = sum(parts[number].count >= PIECE // 8 for number in small)
        if large < 2 and len(small) <= most:
            return [number for number in ready if len(parts[number].dead) * 4 > parts[number].count][:1]
        group, tools = [], 0
        for number in small:
            if tools + parts[number].count <= MOST_TOOLS:
                group.append(number)
                tools += parts[number].count
        return group

    def _joined(self, segments: Sequence[Segment], parts: Sequence[_Part], group: Sequence[int]) -> list[_Part]:
        """The parts of the index once some of them are one."""
        taken = [parts[number] for number in group]
        name = _name_of(self._model.version, msgspec.json.encode(taken).decode())
        dead = [np.array(part.dead, np.uint32) for part in taken]
        size = merge(self.folder / name, [segments[number] for number in group], dead)
        rest = {number: part for number, part in enumerate(parts) if number not in group}
        return [part for _, part in sorted((rest | {group[0]: _Part(name, size)}).items())]

    def _write(self, records: Sequence[Record], model: Model | None) -> _Part:
        told = "".join(f"{record.ref}\n{record.mark}\n" for record in records)
        name = _name_of(model.version if model else "", told)
        build(self.folder / name, records, model)
        return _Part(name, len(records))

    def _publish(self, revision: int, parts: list[_Part]) -> None:
        """Put the new manifest in place of the old one, then drop files that no manifest names."""
        manifest = _Manifest(revision, self._model.version, parts).sealed()
        partial = self.folder / f"{_MANIFEST}.{os.getpid()}.partial"
        with partial.open("wb") as file:
            file.write(msgspec.json.encode(manifest))
            file.flush()
            os.fsync(file.fileno())
        partial.replace(self.folder / _MANIFEST)
        self._stamp = None
        self.refresh()
        self.tidy(list(self._unnamed({part.name for part in parts})))

    def tidy(self, paths: Iterable[Path]) -> None:
        """Drop files that nothing names any more."""
        for path in paths:
            # Another process may still read it (Windows refuses then): a later write tries again.
            with contextlib.suppress(OSError):
                path.unlink()

    def _unnamed(self, kept: set[str]) -> Iterator[Path]:
        for path in self.folder.iterdir():
            if (_SEGMENT.fullmatch(path.name) and path.name not in kept) or path.name.endswith(".partial"):
                yield path


def _pieces(records: Iterable[Record]) -> Iterator[tuple[list[Record], bool]]:
    """Tools in pieces, and whether each is the last one."""
    stream = iter(records)
    piece = list(islice(stream, PIECE))
    while piece:
        following = list(islice(stream, 1))
        yield list({record.ref: record for record in piece}.values()), not following
        piece = following + list(islice(stream, PIECE - 1)) if following else []


def _forget(current: Generation, dead: Sequence[set[int]], refs: Iterable[str]) -> None:
    for ref in refs:
        found = current.find(ref)
        if found is not None:
            dead[found[0]].add(found[1])


def _name_of(version: str, told: str) -> str:
    """A name for a segment: the same for the same tools as the same model reads them."""
    digest = hashlib.blake2b(f"{version}\n{told}".encode("utf-8", "surrogatepass"), digest_size=8)
    return f"segment-{digest.hexdigest()}.idx"
