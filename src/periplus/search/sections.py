"""One index file: named arrays behind a checksummed table of contents, read through memory mapping."""

import mmap
import os
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
_MAGIC = b"PERIPLUS-INDEX-1"
_ALIGN = 64
_CHUNK = 1 << 20


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


def write(path: Path, arrays: Mapping[str, Array], notes: Mapping[str, Any]) -> None:
    """Write the arrays so that the file is there whole or not at all, whatever happens to the process."""
    sections: list[_Section] = []
    offset = 0
    for name, array in arrays.items():
        sections.append(_Section(name, array.dtype.str, array.shape, offset, array.nbytes))
        offset += -(-array.nbytes // _ALIGN) * _ALIGN
    contents = msgspec.json.encode(_Contents(sections, dict(notes)))
    head = _MAGIC + len(contents).to_bytes(8, "little") + contents
    head += b" " * (-(len(head) + 4) % _ALIGN)
    partial = path.with_name(f"{path.name}.{os.getpid()}.partial")
    with partial.open("wb") as file:
        check = zlib.crc32(head)
        file.write(head + check.to_bytes(4, "little"))
        for array in arrays.values():
            raw = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
            for start in range(0, len(raw), _CHUNK):
                piece = raw[start : start + _CHUNK].data
                check = zlib.crc32(piece, check)
                file.write(piece)
            padding = bytes(-array.nbytes % _ALIGN)
            check = zlib.crc32(padding, check)
            file.write(padding)
        file.write(check.to_bytes(4, "little"))
        file.flush()
        os.fsync(file.fileno())
    partial.replace(path)


def verify(path: Path) -> None:
    """Read the file once and compare its checksum; the bytes go through the page cache, not through our memory."""
    left = path.stat().st_size - 4
    check, head_check, at = 0, 0, 0
    with path.open("rb") as file:
        start = file.read(len(_MAGIC) + 8)
        length = int.from_bytes(start[len(_MAGIC) :], "little")
        head_size = len(start) + length
        head_size += -(head_size + 4) % _ALIGN
        if not start.startswith(_MAGIC) or head_size + 4 > left:
            raise DamagedError(f"{path.name} is no index file or was cut short")
        file.seek(0)
        head = file.read(head_size)
        head_check = int.from_bytes(file.read(4), "little")
        check = zlib.crc32(head)
        if check != head_check:
            raise DamagedError(f"{path.name} has a damaged table of contents")
        at = head_size + 4
        while at < left:
            piece = file.read(min(_CHUNK, left - at))
            if not piece:
                break
            check = zlib.crc32(piece, check)
            at += len(piece)
        if check != int.from_bytes(file.read(4), "little"):
            raise DamagedError(f"{path.name} fails its checksum")


class Sections:
    """An open index file."""

    def __init__(self, path: Path) -> None:
        with path.open("rb") as file:
            self._map = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        length = int.from_bytes(self._map[len(_MAGIC) : len(_MAGIC) + 8], "little")
        start = len(_MAGIC) + 8
        contents = msgspec.json.decode(self._map[start : start + length], type=_Contents)
        head = start + length
        self._base = head + (-(head + 4) % _ALIGN) + 4
        self._sections = {section.name: section for section in contents.sections}
        self.notes = contents.notes

    def array(self, name: str) -> Array:
        """A section as a read-only view of the file."""
        section = self._sections.get(name)
        if section is None:
            raise DamagedError(f"an index file without {name!r} was written by another release")
        count = int(np.prod(section.shape))
        flat = np.frombuffer(self._map, np.dtype(section.kind), count, self._base + section.offset)
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

    def lower_bound(self, wanted: bytes) -> int:
        """The first of the sorted strings that is not below `wanted`."""
        low, high = 0, len(self)
        while low < high:
            middle = (low + high) // 2
            if self.raw(middle) < wanted:
                low = middle + 1
            else:
                high = middle
        return low


def pack_texts(texts: list[str], end: bytes = b"") -> tuple[Array, Array]:
    """The blob and offsets that `Texts` reads; `end` closes every string."""
    raw = [text.encode("utf-8", "surrogatepass") + end for text in texts]
    offsets = np.zeros(len(raw) + 1, np.uint64 if sum(map(len, raw)) > 0xFFFFFFF0 else np.uint32)
    np.cumsum([len(piece) for piece in raw], out=offsets[1:])
    return np.frombuffer(b"".join(raw), np.uint8), offsets


def pack_lists(lists: list[list[int]], kind: type[np.generic]) -> tuple[Array, Array]:
    """Lists of numbers as one array and where each starts."""
    offsets = np.zeros(len(lists) + 1, np.uint32)
    np.cumsum([len(numbers) for numbers in lists], out=offsets[1:])
    return np.fromiter((number for numbers in lists for number in numbers), kind, int(offsets[-1])), offsets
