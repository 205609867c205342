"""One index file: named arrays before a table of contents and a checksum, read through memory mapping."""

import mmap
import os
import zlib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO

import msgspec
import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
_MAGIC = b"PERIPLUS-INDEX-2"
_ALIGN = 64
_CHUNK = 1 << 20
_CHECK = 4
_FAR = 0xFFFFFFF0
_END = 8 + _CHECK  # how long the table of contents before it is, and the checksum


class DamagedError(Exception):
    """A file whose bytes are not the ones that were written."""


class _Section(msgspec.Struct, frozen=True):
    name: str
    kind: str
    shape: tuple[int, ...]
    offset: int
    size: int


class _Contents(msgspec.Struct, frozen=True):
    sections: list[_Section]
    notes: dict[str, Any]


def write(path: Path, arrays: Iterable[tuple[str, Array]], notes: Mapping[str, Any]) -> None:
    """Write arrays as they come, so that the file is there whole or not at all, whatever happens to the process."""
    sections: list[_Section] = []
    partial = path.with_name(f"{path.name}.{os.getpid()}.partial")
    with partial.open("wb") as file:
        out = _Summed(file)
        out.write(_MAGIC + bytes(-len(_MAGIC) % _ALIGN))
        for name, array in arrays:
            sections.append(_Section(name, array.dtype.str, array.shape, out.size, array.nbytes))
            raw = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
            for start in range(0, len(raw), _CHUNK):
                out.write(raw[start : start + _CHUNK].data)
            out.write(bytes(-array.nbytes % _ALIGN))
        contents = msgspec.json.encode(_Contents(sections, dict(notes)))
        out.write(contents + len(contents).to_bytes(8, "little"))
        file.write(out.check.to_bytes(4, "little"))
        file.flush()
        os.fsync(file.fileno())
    partial.replace(path)


class _Summed:
    """Bytes on their way into a file, counted and summed up."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self.size, self.check = 0, 0

    def write(self, piece: bytes | memoryview) -> None:
        self._file.write(piece)
        self.size += len(piece)
        self.check = zlib.crc32(piece, self.check)


def verify(path: Path) -> None:
    """Read the file once and compare its checksum; the bytes go through the page cache, not through our memory."""
    left, check = path.stat().st_size - _END, 0
    with path.open("rb") as file:
        start = file.read(len(_MAGIC))
        if left < _ALIGN or not start.startswith(_MAGIC[:-1]):
            raise DamagedError(f"{path.name} is no index file or was cut short")
        if start != _MAGIC:
            raise DamagedError(f"{path.name} was written by another release")
        file.seek(0)
        left += _END - _CHECK
        while left > 0:
            piece = file.read(min(_CHUNK, left))
            if not piece:
                break
            check = zlib.crc32(piece, check)
            left -= len(piece)
        if check != int.from_bytes(file.read(_CHECK), "little"):
            raise DamagedError(f"{path.name} fails its checksum")


class Sections:
    """An open index file."""

    def __init__(self, path: Path) -> None:
        with path.open("rb") as file:
            self._map = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        end = len(self._map) - _END
        length = int.from_bytes(self._map[end : end + 8], "little")
        contents = msgspec.json.decode(self._map[end - length : end], type=_Contents)
        self._sections = {section.name: section for section in contents.sections}
        self.notes = contents.notes

    def __contains__(self, name: str) -> bool:
        return name in self._sections

    def rest(self) -> None:
        """Count no longer as this process's memory until it is looked at again; the system keeps the file at hand."""
        if hasattr(mmap, "MADV_DONTNEED"):
            self._map.madvise(mmap.MADV_DONTNEED)

    def array(self, name: str) -> Array:
        """A section as a read-only view of the file."""
        section = self._sections.get(name)
        if section is None:
            raise DamagedError(f"an index file without {name!r} was written by another release")
        count = int(np.prod(section.shape))
        flat = np.frombuffer(self._map, np.dtype(section.kind), count, section.offset)
        return flat.reshape(section.shape)


class Texts:
    """Many strings as one run of bytes and where each starts."""

    def __init__(self, blob: Array, offsets: Array, end: int = 0) -> None:
        self.blob, self.offsets, self._end = blob, offsets, end

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def raw(self, index: int) -> bytes:
        return self.blob[self.offsets[index] : int(self.offsets[index + 1]) - self._end].tobytes()

    def __getitem__(self, index: int) -> str:
        return self.raw(index).decode("utf-8", "surrogatepass")

    def find(self, text: str) -> int:
        """Where the text is among sorted strings, or -1."""
        wanted = text.encode("utf-8", "surrogatepass")
        place = self.lower_bound(wanted)
        return place if place < len(self) and self.raw(place) == wanted else -1

    def lower_bound(self, wanted: bytes, low: int = 0, high: int | None = None) -> int:
        """The first of the sorted strings that is not below `wanted`, where it is known to be between two of them."""
        high = len(self) if high is None else high
        while low < high:
            middle = (low + high) // 2
            if self.raw(middle) < wanted:
                low = middle + 1
            else:
                high = middle
        return low


def pack_texts(texts: Sequence[str | bytes], end: bytes = b"") -> tuple[Array, Array]:
    """The blob and offsets that `Texts` reads; `end` closes every string."""
    raw = [text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass") for text in texts]
    sizes = np.fromiter(map(len, raw), np.int64, len(raw)) + len(end)
    return np.frombuffer(end.join(raw) + end * bool(raw), np.uint8), offsets_of(sizes)


def offsets_of(sizes: Array) -> Array:
    """Where each of several runs starts that lie one after the other, and where the last one ends."""
    total = int(sizes.sum())
    offsets = np.zeros(len(sizes) + 1, np.uint64 if total > _FAR else np.uint32)
    np.cumsum(sizes, out=offsets[1:])
    return offsets
