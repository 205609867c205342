"""Rules on requests: `GET https://api.example.com/admin/**`; no other spelling of an address slips past (S-61)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote

import msgspec
import re2

from periplus.model import Code, Prepared, Problem

_PATTERN = re.compile(r"(?:([A-Za-z/_*]+)\s+)?(\S+)")
_SLASHES = re.compile(r"/{2,}")
_DEFAULT_PORT = re.compile(r"^(https://[^/]*):443$|^(http://[^/]*):80$")
_DECODINGS = 4


class RequestPattern(msgspec.Struct, frozen=True, kw_only=True):
    """A method, or any; and an address in which `*` is one segment's text and `**` any text."""

    method: str
    exact: Any  # RE2 brings no types
    loose: Any

    def meets(self, prepared: Prepared, *, strict: bool) -> bool:
        """Whether a request is meant: `strict`, only if every reading of its path is; else if any is."""
        if self.method not in ("", prepared.method.upper()):
            return False
        readings = _addresses(prepared)
        if strict:
            return all(self.exact.fullmatch(one) for one in readings)
        return any(self.loose.fullmatch(one) for one in readings)


def request_pattern(text: str) -> RequestPattern:
    """Read a pattern, or say what is wrong with it."""
    found = _PATTERN.fullmatch(text.strip())
    if found is None:
        raise Problem(
            Code.BAD_SETTING,
            f"not a request pattern: {text[:120]!r}",
            hints=("write METHOD and an address: GET https://api.example.com/admin/**",),
        )
    method, address = (found[1] or "").upper(), found[2]
    scheme, mark, rest = address.partition("://")
    host, slash, path = rest.partition("/")
    written = f"{_origin(f'{scheme}://{host}')}{slash}{path}" if mark else address
    body = _translated(written)
    return RequestPattern(
        method="" if method == "*" else method, exact=re2.compile(body), loose=re2.compile(f"(?i){body}")
    )


def _translated(glob: str) -> str:
    tail = ""
    if glob.endswith("/**"):
        glob, tail = glob[:-3], "(?:/.*)?"
    pieces = re.split(r"(\*+)", glob)
    words = {0: "", 1: "[^/]*"}
    return (
        "(?s)"
        + "".join(words.get(len(piece), ".*") if piece.startswith("*") else re.escape(piece) for piece in pieces)
        + tail
    )


def _origin(text: str) -> str:
    found = _DEFAULT_PORT.match(text.lower())
    return next(group for group in found.groups() if group) if found else text.lower()


def _addresses(prepared: Prepared) -> list[str]:
    """The address as it is sent, and every other one that a server may read in it."""
    origin = _origin(prepared.origin)
    path = (prepared.path or prepared.template).partition("?")[0].partition("#")[0]
    path = path if path.startswith("/") or not path else f"/{path}"
    return list(dict.fromkeys(f"{origin}{one}" for one in _readings(path)))


def _readings(path: str) -> Iterator[str]:
    for _ in range(_DECODINGS):
        yield path
        yield _resolved(path)
        decoded = unquote(path)
        if decoded == path:
            return
        path = decoded


def _resolved(path: str) -> str:
    """Without empty segments, dots, and parameters behind `;`; backslashes are slashes."""
    kept: list[str] = []
    for piece in _SLASHES.sub("/", path.replace("\\", "/")).split("/"):
        name = piece.partition(";")[0]
        if name == "..":
            kept = kept[:-1] if len(kept) > 1 else kept
        elif name != ".":
            kept.append(name)
    return "/".join(kept)
