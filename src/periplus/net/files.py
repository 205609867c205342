"""Files as documents: which of them a source may read, and reading one without blocking anybody."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from urllib.parse import unquote, urlsplit

import anyio.to_thread

from periplus.model import Code, Problem, SourceSpec, Validators
from periplus.net.limits import Ceiling
from periplus.net.urls import scheme_of
from periplus.ports import Fetched


def is_file(location: str) -> bool:
    """Whether a location is a `file:` URL or a bare path."""
    return scheme_of(location) in ("", "file")


def path_of(location: str) -> Path:
    """The absolute path a location means, with `..` taken out but symbolic links left in."""
    text = location.strip()
    if scheme_of(text) == "file":
        parts = urlsplit(text)
        if parts.netloc not in ("", "localhost"):
            raise Problem(
                Code.REFUSED_ADDRESS, f"a file on another machine is not read: {text[:200]!r}", hints=("use a path",)
            )
        text = unquote(parts.path)
    if not text or "\0" in text:
        raise Problem(Code.BAD_INPUT, f"not a path: {location[:200]!r}")
    return Path(os.path.abspath(Path(text).expanduser()))  # noqa: PTH100 - Path has no lexical form of it


def judge_file(spec: SourceSpec, file_roots: tuple[str, ...], location: str, root: str) -> Path:
    """The real path of a file this source may read, else a refusal (S-12, S-35). Looks at links, not at contents."""
    path = path_of(location)
    if not spec.trusted:
        raise Problem(
            Code.REFUSED_ADDRESS,
            f"{path} is refused: files are read only for sources that the operator wrote",
            hints=("write the source into the configuration, or add it with `periplus add`",),
        )
    real = _real(path)
    home = root or spec.url
    if root and not is_file(root):
        raise Problem(Code.REFUSED_ADDRESS, f"{path} is refused: {root.partition('?')[0]} is not a file itself")
    written = [path_of(text) for text in (spec.url, spec.endpoint) if text and is_file(text)]
    if not root and path in written:
        return real
    roots = [_real(path_of(text)) for text in file_roots]
    if is_file(home) and home:
        at = path_of(home)
        roots.append(_real(at) if at.is_dir() else _real(at.parent))
    if any(real.is_relative_to(directory) for directory in roots):
        return real
    raise Problem(
        Code.REFUSED_ADDRESS,
        f"{path} is refused: it lies outside the directory of its document",
        hints=(f'add "{path.parent}" to [fetch] file_roots if it is meant',),
    )


async def read_file(path: Path, real: Path, validators: Validators | None, ceiling: Ceiling) -> Fetched:
    """One file as an answer: 304 without reading it when its size, time and inode are those already known."""
    return await anyio.to_thread.run_sync(_read, path, real, validators, ceiling, abandon_on_cancel=True)


def _read(path: Path, real: Path, validators: Validators | None, ceiling: Ceiling) -> Fetched:
    try:
        # O_NONBLOCK: a pipe must be refused below, not waited for.
        descriptor = os.open(real, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    except OSError as error:
        raise _unreadable(path, real, error) from error
    try:
        return _read_open(path, descriptor, validators, ceiling)
    finally:
        os.close(descriptor)


def _read_open(path: Path, descriptor: int, validators: Validators | None, ceiling: Ceiling) -> Fetched:
    status = os.fstat(descriptor)
    _check_kind(path, status.st_mode)
    etag = f'"{status.st_size:x}-{status.st_mtime_ns:x}-{status.st_ino:x}"'
    if validators is not None and validators.etag == etag:
        return Fetched(url=path.as_uri(), status=304, validators=validators)
    if status.st_size > ceiling.bytes:
        raise ceiling.exceeded(str(path))
    body = _take(path, descriptor, ceiling)
    return Fetched(url=path.as_uri(), status=200, body=body, validators=Validators(etag=etag))


def _take(path: Path, descriptor: int, ceiling: Ceiling) -> bytes:
    pieces: list[bytes] = []
    left = ceiling.bytes + 1
    try:
        while left > 0 and (piece := os.read(descriptor, min(left, 1 << 22))):
            pieces.append(piece)
            left -= len(piece)
    except OSError as error:
        raise Problem(Code.UNAVAILABLE, f"{path} cannot be read: {error.strerror}") from error
    if left <= 0:  # it grew after it was measured
        raise ceiling.exceeded(str(path))
    return b"".join(pieces)


def _check_kind(path: Path, mode: int) -> None:
    if stat.S_ISDIR(mode):
        raise _is_directory(path)
    if not stat.S_ISREG(mode):
        raise Problem(Code.BAD_INPUT, f"{path} is not a regular file", hints=("name a file",))


def _is_directory(path: Path) -> Problem:
    return Problem(Code.BAD_INPUT, f"{path} is a directory", hints=("name the document in it",))


def _unreadable(path: Path, real: Path, error: OSError) -> Problem:
    if isinstance(error, FileNotFoundError | NotADirectoryError):
        return Problem(Code.NOT_FOUND, f"there is no file {path}", hints=("check the path",))
    if isinstance(error, IsADirectoryError) or real.is_dir():
        return _is_directory(path)
    return Problem(Code.UNAVAILABLE, f"{path} cannot be read: {error.strerror}", hints=("check its permissions",))


def _real(path: Path) -> Path:
    try:
        return path.resolve()
    except (OSError, RuntimeError) as error:  # links that lead in a circle
        raise Problem(Code.BAD_INPUT, f"{path} cannot be followed: {error}") from error
