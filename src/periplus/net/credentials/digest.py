"""HTTP Digest (RFC 7616): the answer to a challenge."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable

import msgspec

_PARAMETER = re.compile(r"([A-Za-z-]+)\s*=\s*(?:\"((?:[^\"\\]|\\.)*)\"|([^\s,\"]+))")
_START = re.compile(r"(?:^|,)\s*Digest\s+", re.IGNORECASE)
_NEXT_SCHEME = re.compile(r",\s*[A-Za-z][A-Za-z0-9-]*\s+[A-Za-z-]+\s*=")


def _hash(name: str) -> Callable[[str], str]:
    return lambda text: hashlib.new(name, text.encode(), usedforsecurity=False).hexdigest()


_HASHES = {"SHA-512-256": _hash("sha512_256"), "SHA-256": _hash("sha256"), "MD5": _hash("md5")}  # best first


class Challenge(msgspec.Struct, frozen=True, kw_only=True):
    """What a server wants proved."""

    realm: str
    nonce: str
    algorithm: str = "MD5"
    opaque: str | None = None
    has_qop: bool = False

    @property
    def base(self) -> str:
        return self.algorithm.upper().removesuffix("-SESS")


def challenge_of(headers: Iterable[str]) -> Challenge | None:
    """The strongest Digest challenge among `WWW-Authenticate` headers that can be met."""
    found: list[Challenge] = []
    for header in headers:
        for start in _START.finditer(header):
            rest = header[start.end() :]
            end = _NEXT_SCHEME.search(rest)
            challenge = _challenge(rest[: end.start()] if end else rest)
            if challenge is not None and challenge.base in _HASHES:
                found.append(challenge)
    order = list(_HASHES)
    return min(found, key=lambda each: order.index(each.base), default=None)


def _challenge(text: str) -> Challenge | None:
    given = {name.lower(): quoted or plain for name, quoted, plain in _PARAMETER.findall(text)}
    qops = [word.strip().lower() for word in given.get("qop", "").split(",")]
    if "nonce" not in given or ("qop" in given and "auth" not in qops):
        return None
    return Challenge(
        realm=given.get("realm", ""),
        nonce=given["nonce"],
        algorithm=given.get("algorithm", "MD5"),
        opaque=given.get("opaque"),
        has_qop="qop" in given,
    )


def authorization(challenge: Challenge, *, username: str, password: str, method: str, target: str, cnonce: str) -> str:
    """The `Authorization` header that meets a challenge."""
    digest = _HASHES[challenge.base]
    first = digest(f"{username}:{challenge.realm}:{password}")
    if challenge.algorithm.upper().endswith("-SESS"):
        first = digest(f"{first}:{challenge.nonce}:{cnonce}")
    second = digest(f"{method}:{target}")
    middle = f"{challenge.nonce}:00000001:{cnonce}:auth" if challenge.has_qop else challenge.nonce
    quoted = {"username": username, "realm": challenge.realm, "nonce": challenge.nonce, "uri": target}
    quoted["response"] = digest(f"{first}:{middle}:{second}")
    if challenge.opaque is not None:
        quoted["opaque"] = challenge.opaque
    plain = {"algorithm": challenge.algorithm}
    if challenge.has_qop:
        plain |= {"qop": "auth", "nc": "00000001"}
        quoted["cnonce"] = cnonce
    parts = [f'{name}="{_escaped(text)}"' for name, text in quoted.items()]
    return "Digest " + ", ".join([*parts, *(f"{name}={text}" for name, text in plain.items())])


def proof_in(header: str) -> str:
    """The part of an `Authorization` header that nobody else could have made."""
    found = re.search(r'response="([0-9a-f]+)"', header)
    return found[1] if found else ""


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')
