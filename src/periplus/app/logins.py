"""Logins on disk: one sealed file for each source and caller, readable by its owner alone."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import anyio.to_thread
import msgspec

from periplus.app.clock import SystemClock
from periplus.app.keyring import load_ring
from periplus.app.places import data_directory
from periplus.core.seal import Seal
from periplus.model import Code, Principal, Problem
from periplus.net.credentials.logins import EVERYONE, Login
from periplus.ports import Clock
from periplus.settings import Settings

DIRECTORY = "logins"
_PURPOSE = "login"
_LONGEST = 11_000  # what a sealed token can hold


def open_logins(settings: Settings) -> SealedLogins:
    """The logins of the data directory that the settings name."""
    directory, clock = data_directory(settings), SystemClock()
    directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    return SealedLogins(directory, Seal(load_ring(directory, clock), clock), clock)


class SealedLogins:
    """`Logins` in the data directory; the key ring beside it opens them, and nothing else does."""

    def __init__(self, directory: Path, seal: Seal, clock: Clock) -> None:
        self._directory = directory / DIRECTORY
        self._seal = seal
        self._clock = clock

    async def get(self, source: str, principal: Principal) -> Login | None:
        if not self._directory.is_dir():  # nobody ever logged in: no thread for nothing
            return None
        return await anyio.to_thread.run_sync(self._read, source, principal)

    async def put(self, source: str, principal: Principal, login: Login) -> None:
        await anyio.to_thread.run_sync(self._write, source, EVERYONE if login.is_shared else principal, login)

    async def remove(self, source: str, principal: Principal) -> bool:
        """Forget a login; whether there was one."""
        path = self._path(source, principal)
        existed = path.exists()
        path.unlink(missing_ok=True)
        return existed

    def _read(self, source: str, principal: Principal) -> Login | None:
        for whose in (principal, EVERYONE):
            path = self._path(source, whose)
            if path.exists():
                return self._opened(path, source)
        return None

    def _opened(self, path: Path, source: str) -> Login:
        try:
            return msgspec.convert(self._seal.open(_PURPOSE, path.read_text("ascii")), Login)
        except (OSError, UnicodeDecodeError, msgspec.ValidationError, Problem) as error:
            raise Problem(
                Code.CREDENTIALS_MISSING,
                f"the login stored for {source} cannot be opened: its file or the key ring is not what it was",
                hints=(f"run: periplus login {source}",),
                details={"not_processed": True},
            ) from error

    def _write(self, source: str, principal: Principal, login: Login) -> None:
        value = msgspec.to_builtins(login)
        size = len(msgspec.msgpack.encode(value))
        if size > _LONGEST:
            raise Problem(Code.BAD_INPUT, f"the tokens have {size} bytes; a login holds {_LONGEST}")
        path = self._path(source, principal)
        draft = path.with_name(f".{path.name}.{self._clock.token(6).hex()}")
        try:
            self._directory.mkdir(mode=0o700, parents=True, exist_ok=True)
            with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="ascii") as file:
                file.write(self._seal.seal(_PURPOSE, value))
                file.flush()
                os.fsync(file.fileno())
            draft.replace(path)
        except OSError as error:
            raise Problem(
                Code.STORE_ERROR, f"the login cannot be written to {path}: {error.strerror}", where=str(path)
            ) from error

    def _path(self, source: str, principal: Principal) -> Path:
        whose = f"{source}\0{principal.tenant}\0{principal.id}"
        return self._directory / hashlib.sha256(whose.encode()).hexdigest()[:32]
