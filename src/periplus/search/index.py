"""The index on disk: segments and a manifest that is replaced whole, shared by every process that reads it."""

import contextlib
import hashlib
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import count, islice
from pathlib import Path

import msgspec
import numpy as np

from periplus.search.records import Record
from periplus.search.sections import Array, DamagedError, verify
from periplus.search.segment import MOST_TOOLS, Segment, build
from periplus.search.semantic import Model

_MANIFEST = "manifest.json"
_SEGMENT = re.compile(r"segment-[0-9a-f]{16}\.idx")
_generations = count(1)
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


class Generation:
    """One state of the index: what a search reads from beginning to end, whatever is written meanwhile."""

    def __init__(self, revision: int, segments: Sequence[Segment], dead: Sequence[Array]) -> None:
        self.number = next(_generations)
        self.revision = revision
        self.segments = tuple(segments)
        self.dead = tuple(dead)

    @property
    def size(self) -> int:
        """Living tools, hidden ones included."""
        return sum(segment.count - len(gone) for segment, gone in zip(self.segments, self.dead, strict=True))

    def find(self, ref: str) -> tuple[int, int] | None:
        """Which segment has the living tool, and where in it."""
        for number, (segment, gone) in enumerate(zip(self.segments, self.dead, strict=True)):
            place = segment.refs.find(ref)
            if place >= 0 and place not in gone:
                return number, place
        return None

    def marks(self, source: str) -> dict[str, int]:
        """Path -> mark of the living tools of a source."""
        found: dict[str, int] = {}
        prefix = f"{source}/".encode()
        for segment, gone in zip(self.segments, self.dead, strict=True):
            start, end = segment.refs.lower_bound(prefix), segment.refs.lower_bound(prefix + b"\xff")
            dead = set(map(int, gone))
            for place in range(start, end):
                if place not in dead:
                    found[segment.refs[place][len(source) + 1 :]] = int(segment.text_keys[place])
        return found

    def sources(self) -> set[str]:
        """The sources that have tools here, dead ones included."""
        found: set[str] = set()
        for segment in self.segments:
            place = 0
            while place < segment.count:
                source = segment.refs[place].partition("/")[0]
                found.add(source)
                place = segment.refs.lower_bound(f"{source}/".encode() + b"\xff")
        return found


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
        return any(segment.model != self._model.version for segment in self.current.segments)

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
        """Index these tools and nothing else."""
        stream = iter(records)
        parts: list[_Part] = []
        while batch := list(islice(stream, MOST_TOOLS)):
            parts.append(self._write(batch))
        self._publish(revision, parts)

    def update(self, revision: int, changed: Iterable[Record], removed: Iterable[str] = ()) -> None:
        """Index new and changed tools beside the rest, and forget the removed ones."""
        current = self.current
        fresh = {record.ref: record for record in changed}
        dead = [set(map(int, gone)) for gone in current.dead]
        for ref in (*fresh, *removed):
            found = current.find(ref)
            if found is not None:
                dead[found[0]].add(found[1])
        parts = [
            _Part(segment.name, segment.count, sorted(gone))
            for segment, gone in zip(current.segments, dead, strict=True)
            if len(gone) < segment.count
        ]
        stream = iter(fresh.values())
        while batch := list(islice(stream, MOST_TOOLS)):
            parts.append(self._write(batch))
        self._publish(revision, parts)

    @property
    def scattered(self) -> bool:
        """So many small segments or forgotten tools that a rebuild would make searching faster."""
        small = sum(segment.count < MOST_TOOLS // 2 for segment in self.current.segments)
        gone = sum(map(len, self.current.dead))
        return small > _MOST_SEGMENTS or gone * 4 > sum(segment.count for segment in self.current.segments)

    def _write(self, records: Sequence[Record]) -> _Part:
        digest = hashlib.blake2b(self._model.version.encode(), digest_size=8)
        for record in records:
            digest.update(record.ref.encode("utf-8", "surrogatepass") + record.mark.encode())
        name = f"segment-{digest.hexdigest()}.idx"
        build(self.folder / name, records, self._model)
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
