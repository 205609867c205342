"""Sealed tokens: what leaves the gateway and comes back can be neither read nor changed nor used elsewhere.

One mechanism for cursors, approvals, handles and plan tokens. The purpose is part of the authentication, so a
cursor is no approval; every token names its key, so keys rotate without invalidating what is in flight.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Sequence
from typing import Any

import msgspec

from periplus.model import Code, Problem
from periplus.ports import Clock

KEY_BYTES = 32
_ID_BYTES, _NONCE_BYTES, _MAC_BYTES = 4, 12, 16
_LONGEST = 16_384


class Key(msgspec.Struct, frozen=True, kw_only=True):
    """One secret of the ring."""

    id: bytes
    secret: bytes


class SigningKey(msgspec.Struct, frozen=True, kw_only=True):
    """A key by which texts are signed in a form of their own; its id is told."""

    id: str
    secret: bytes


class KeyRing(msgspec.Struct, frozen=True):
    """Keys, newest first: the first seals, all open."""

    keys: tuple[Key, ...]

    @classmethod
    def new(cls, clock: Clock) -> KeyRing:
        return cls(()).rotated(clock)

    def rotated(self, clock: Clock, keep: int = 3) -> KeyRing:
        """A ring with a fresh first key; the oldest beyond `keep` is forgotten, and with it its tokens."""
        fresh = Key(id=clock.token(_ID_BYTES), secret=clock.token(KEY_BYTES))
        return KeyRing((fresh, *self.keys)[:keep])


class Seal:
    """Makes and opens tokens with one ring and one clock."""

    def __init__(self, ring: KeyRing, clock: Clock) -> None:
        if not ring.keys:
            raise Problem(Code.BAD_SETTING, "the key ring is empty", hints=("remove it to have a new one made",))
        self._ring = ring
        self._clock = clock

    def signing(self, purpose: str) -> tuple[SigningKey, ...]:
        """Keys for a protocol whose tokens have a form of their own; newest first, none good for another purpose."""
        return tuple(SigningKey(id=key.id.hex(), secret=_derived(key, purpose)) for key in self._ring.keys)

    def seal(self, purpose: str, value: Any, ttl_s: float | None = None) -> str:
        """A token for this purpose; `value` is anything JSON can hold."""
        key = self._ring.keys[0]
        nonce = self._clock.token(_NONCE_BYTES)
        expires = None if ttl_s is None else self._clock.now() + ttl_s
        plain = msgspec.msgpack.encode((expires, value))
        sealed = _cipher(key).encrypt(nonce, plain, _context(purpose, key))
        return base64.urlsafe_b64encode(key.id + nonce + sealed).rstrip(b"=").decode()

    def open(self, purpose: str, token: str) -> Any:
        """What was sealed; one message for every way a token can be wrong, so that it tells nothing."""
        value = self._opened(purpose, token)
        if value is None:
            raise Problem(Code.INVALID_TOKEN, f"this {purpose} is not valid here", hints=("ask for a new one",))
        expires, content = value
        if expires is not None and self._clock.now() >= expires:
            raise Problem(Code.INVALID_TOKEN, f"this {purpose} has expired", hints=("ask for a new one",))
        return content

    def lock(self, purpose: str, content: bytes) -> bytes:
        """Content of any size as it may lie on a disk."""
        key = self._ring.keys[0]
        nonce = self._clock.token(_NONCE_BYTES)
        sealed: bytes = _cipher(key).encrypt(nonce, content, _context(purpose, key))
        return key.id + nonce + sealed

    def unlock(self, purpose: str, locked: bytes) -> bytes:
        """What was locked for this purpose; refused when it was changed, or when its key is forgotten."""
        content = self._decrypted(purpose, locked)
        if content is None:
            what = purpose.partition("\0")[0]
            raise Problem(Code.INVALID_TOKEN, f"this {what} cannot be opened any more", hints=("make it anew",))
        return content

    def _opened(self, purpose: str, token: str) -> tuple[float | None, Any] | None:
        plain = self._decrypted(purpose, _decoded(token))
        return None if plain is None else msgspec.msgpack.decode(plain, type=tuple[float | None, Any])

    def _decrypted(self, purpose: str, raw: bytes) -> bytes | None:
        if len(raw) < _ID_BYTES + _NONCE_BYTES + _MAC_BYTES:
            return None
        key = _find(self._ring.keys, raw[:_ID_BYTES])
        if key is None:
            return None
        from cryptography.exceptions import InvalidTag  # noqa: PLC0415 - 40 ms that `periplus --help` need not pay

        nonce, sealed = raw[_ID_BYTES : _ID_BYTES + _NONCE_BYTES], raw[_ID_BYTES + _NONCE_BYTES :]
        try:
            plain: bytes = _cipher(key).decrypt(nonce, sealed, _context(purpose, key))
        except InvalidTag:
            return None
        return plain


def _cipher(key: Key) -> Any:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM  # noqa: PLC0415 - as above

    return AESGCM(key.secret)


def _derived(key: Key, purpose: str) -> bytes:
    from cryptography.hazmat.primitives.hashes import SHA256  # noqa: PLC0415 - as above
    from cryptography.hazmat.primitives.kdf.hkdf import HKDF  # noqa: PLC0415

    return HKDF(algorithm=SHA256(), length=KEY_BYTES, salt=None, info=purpose.encode()).derive(key.secret)


def _context(purpose: str, key: Key) -> bytes:
    return b"periplus\0" + purpose.encode() + b"\0" + key.id


def _find(keys: Sequence[Key], wanted: bytes) -> Key | None:
    return next((key for key in keys if key.id == wanted), None)


def _decoded(token: str) -> bytes:
    """The bytes of a token written exactly as `seal` writes it; any other spelling is no token."""
    if len(token) > _LONGEST or not token.isascii():
        return b""
    try:
        raw = base64.b64decode(token + "=" * (-len(token) % 4), altchars=b"-_", validate=True)
    except (binascii.Error, ValueError):
        return b""
    return raw if base64.urlsafe_b64encode(raw).rstrip(b"=").decode() == token else b""
