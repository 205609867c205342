"""The key ring on disk: made once, 0600, whole or not there, shared by every process of a data directory."""

from __future__ import annotations

import base64
import contextlib
import os
from pathlib import Path

import msgspec

from periplus.core.seal import KEY_BYTES, Key, KeyRing
from periplus.model import Code, Problem
from periplus.ports import Clock

FILE_NAME = "keys.json"


class _StoredKey(msgspec.Struct):
    id: str
    secret: str


class _Stored(msgspec.Struct):
    keys: list[_StoredKey]


def load_ring(directory: Path, clock: Clock) -> KeyRing:
    """The ring of a data directory; the first process makes it, the others read what it made."""
    path = directory / FILE_NAME
    if not path.exists():
        _create(path, KeyRing.new(clock), clock)
    return _read(path)


def rotate(directory: Path, clock: Clock, keep: int = 3) -> KeyRing:
    """Put a fresh key first; tokens made with forgotten keys stop being valid."""
    ring = load_ring(directory, clock).rotated(clock, keep)
    path = directory / FILE_NAME
    draft = _draft(path, ring, clock)
    draft.replace(path)
    return ring


def _create(path: Path, ring: KeyRing, clock: Clock) -> None:
    draft = _draft(path, ring, clock)
    try:
        with contextlib.suppress(FileExistsError):  # another process was first: its ring is the one
            os.link(draft, path)
    finally:
        draft.unlink(missing_ok=True)


def _draft(path: Path, ring: KeyRing, clock: Clock) -> Path:
    """The ring written beside its place, readable by its owner alone, flushed to the disk."""
    draft = path.with_name(f".{FILE_NAME}.{clock.token(6).hex()}")
    keys = [_StoredKey(_text(key.id), _text(key.secret)) for key in ring.keys]
    try:
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(msgspec.json.encode(_Stored(keys)))
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise Problem(
            Code.STORE_ERROR, f"the key ring cannot be written to {path}: {error.strerror}", where=str(path)
        ) from error
    return draft


def _read(path: Path) -> KeyRing:
    remedy = ("restore the file, or remove it: then open cursors and handles stop being valid",)
    try:
        stored = msgspec.json.decode(path.read_bytes(), type=_Stored)
        keys = tuple(Key(id=_bytes(key.id), secret=_bytes(key.secret)) for key in stored.keys)
    except (OSError, ValueError, msgspec.DecodeError) as error:
        raise Problem(Code.STORE_ERROR, f"the key ring {path} cannot be read", hints=remedy, where=str(path)) from error
    if not keys or any(len(key.secret) != KEY_BYTES for key in keys):
        raise Problem(Code.STORE_ERROR, f"the key ring {path} is damaged", hints=remedy, where=str(path))
    return KeyRing(keys)


def _text(raw: bytes) -> str:
    return base64.b64encode(raw).decode()


def _bytes(text: str) -> bytes:
    return base64.b64decode(text, validate=True)
