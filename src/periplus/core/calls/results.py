"""Results kept whole: sealed, for their owner, for a while; read on without asking the upstream again."""

from __future__ import annotations

import base64
from collections.abc import Collection
from typing import Any

import jmespath
import msgspec
from jmespath.exceptions import JMESPathError

from periplus.core.seal import Seal
from periplus.documents.canonical import canonical
from periplus.model import CallRules, Code, Kept, Principal, Problem, ToolRef
from periplus.ports import Clock, Ledger

_MARK = "rc_"
_SWEEP_S = 300.0
_HASH = 12
_FILE_MEMBERS = frozenset({"cache_ref", "filename", "media_type"})
_REFERENCE_MEMBERS = frozenset({"$cache_ref", "path"})


class Whole(msgspec.Struct, frozen=True, kw_only=True):
    """What was kept: a value, and the files it names by their hash."""

    tool: str
    value: Any
    files: dict[str, bytes] = {}


class _Stored(msgspec.Struct, frozen=True, array_like=True):
    value: bytes  # JSON, which has integers of any size
    files: dict[str, bytes]


class Results:
    """Keeps results and gives them back to their owner; for anybody else a handle leads nowhere."""

    def __init__(self, ledger: Ledger, clock: Clock, seal: Seal, rules: CallRules) -> None:
        self._ledger = ledger
        self._clock = clock
        self._seal = seal
        self._rules = rules
        self._swept = clock.now()

    def new_handle(self) -> str:
        """A name nobody can guess, short because models repeat it."""
        return _MARK + base64.urlsafe_b64encode(self._clock.token(12)).decode()

    async def keep(
        self,
        handle: str,
        principal: Principal,
        tool: ToolRef | str,
        value: Any,
        files: dict[str, bytes],
        *,
        stays: bool = False,
    ) -> None:
        """Keep a value whole under its handle; one that stays is kept its whole time, also when nobody uses it."""
        now = self._clock.now()
        stored = msgspec.msgpack.encode(_Stored(_json(value), files))
        await self._ledger.keep(
            Kept(
                id=handle,
                tenant=principal.tenant,
                principal=principal.id,
                tool=str(tool),
                sealed=self._seal.lock(_purpose(handle, principal), stored),
                kept_at=now,
                used_at=now + self._rules.keep_seconds if stays else now,
                ends_at=now + self._rules.keep_seconds,
            )
        )
        if now - self._swept > _SWEEP_S:
            self._swept = now
            await self._ledger.sweep(now, self._rules.keep_idle_seconds)

    async def drop(self, handles: Collection[str]) -> None:
        """Forget values before their time."""
        if handles:
            await self._ledger.drop(sorted(handles))

    async def whole(self, handle: str, principal: Principal) -> Whole:
        """What is kept under a handle. Unknown, ended and another's look the same."""
        found = await self.find(handle.partition("#")[0], principal)
        if found is None:
            raise Problem(
                Code.NOT_FOUND,
                f"no result is kept under {handle[:60]!r}",
                hints=(f"results are kept {self._rules.keep_idle_seconds // 60} min after their last use: call again",),
            )
        return found

    async def find(self, name: str, principal: Principal) -> Whole | None:
        """What a principal has kept under a name."""
        kept = await self._ledger.kept(name, self._clock.now())
        if kept is None or (kept.tenant, kept.principal) != (principal.tenant, principal.id):
            return None
        stored = msgspec.msgpack.decode(self._seal.unlock(_purpose(kept.id, principal), kept.sealed), type=_Stored)
        return Whole(tool=kept.tool, value=msgspec.json.decode(stored.value), files=stored.files)

    async def file(self, handle: str, principal: Principal) -> tuple[bytes, dict[str, Any]]:
        """The bytes of a kept file, and what is said of it: its type, name and size."""
        whole = await self.whole(handle, principal)
        _, _, wanted = handle.partition("#")
        for said in _files_in(whole.value):
            digest = str(said.get("sha256", ""))
            if digest in whole.files and digest.startswith(wanted):
                return whole.files[digest], {name: item for name, item in said.items() if name != "cache_ref"}
        raise Problem(Code.NOT_FOUND, f"{handle!r} holds no file", hints=("read it with result() instead",))

    async def filled_in(self, arguments: dict[str, Any], principal: Principal) -> dict[str, Any]:
        """Arguments with `{"$cache_ref": ..., "path": ...}` replaced by the value it leads to."""
        return {name: await self._filled(value, principal) for name, value in arguments.items()}

    async def _filled(self, value: Any, principal: Principal) -> Any:
        if isinstance(value, list):
            return [await self._filled(item, principal) for item in value]
        if not isinstance(value, dict):
            return value
        if isinstance(value.get("$cache_ref"), str) and value.keys() <= _REFERENCE_MEMBERS:
            whole = await self.whole(value["$cache_ref"], principal)
            return _at(whole.value, value.get("path", ""))
        if _is_file(value):
            data, said = await self.file(value["cache_ref"], principal)
            named = {name: said[name] for name in ("filename", "media_type") if name in said}
            given = {name: item for name, item in value.items() if name != "cache_ref"}
            return {"base64": base64.b64encode(data).decode(), **named, **given}
        return {name: await self._filled(item, principal) for name, item in value.items()}


def named(value: Any, handle: str) -> Any:
    """The value with the handle beside each file it names, so that it can be fetched and passed on (S-46)."""
    if isinstance(value, list):
        return [named(item, handle) for item in value]
    if not isinstance(value, dict):
        return value
    said = value.get("$file")
    if isinstance(said, dict) and len(value) == 1 and "sha256" in said:
        return {"$file": {**said, "cache_ref": f"{handle}#{said['sha256'][:_HASH]}"}}
    return {name: named(item, handle) for name, item in value.items()}


def references(value: Any) -> bool:
    """Whether a value holds a reference to a kept result anywhere."""
    if isinstance(value, dict):
        return "$cache_ref" in value or _is_file(value) or any(references(item) for item in value.values())
    return isinstance(value, list) and any(references(item) for item in value)


def _is_file(value: dict[str, Any]) -> bool:
    given = value.get("cache_ref")
    return isinstance(given, str) and given.startswith(_MARK) and value.keys() <= _FILE_MEMBERS


def _files_in(value: Any) -> list[dict[str, Any]]:
    if isinstance(value, list):
        return [said for item in value for said in _files_in(item)]
    if not isinstance(value, dict):
        return []
    said = value.get("$file")
    inside = [said] if isinstance(said, dict) else []
    return inside + [found for name, item in value.items() if name != "$file" for found in _files_in(item)]


def _at(value: Any, path: Any) -> Any:
    if not path:
        return value
    try:
        return jmespath.search(str(path)[:2000], value)
    except JMESPathError as error:
        message = " ".join(str(error).split())[:200]
        raise Problem(Code.BAD_INPUT, f"not a path: {str(path)[:120]!r}: {message}") from error


def _json(value: Any) -> bytes:
    try:
        return msgspec.json.encode(value)
    except (TypeError, OverflowError):
        return canonical(value)


def _purpose(handle: str, principal: Principal) -> str:
    return f"result\0{handle}\0{principal.tenant}\0{principal.id}"
