"""Session and trace tokens: signed, so that a client carries its place without being able to move it (W-40 to W-44)."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import uuid
from collections.abc import Sequence
from typing import Any, TypeVar

import msgspec

from periplus.core.seal import SigningKey
from periplus.model import Code, Problem

SESSION = "periplus/workflow/session"
TRACE = "periplus/workflow/trace"
SHORT = "pw1."
INTEROP_KID = "k1"
_LONGEST = 16 << 10
_LONGEST_TRACE = 2 << 20
_SHORT_MAC = 16
_DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_SEQ_BITS = 40
_PACKING = " \t\r\n\"'`"
_RESEND = ("send the last session token again exactly as it came, or start_session with an earlier one",)
T = TypeVar("T")


class Token(msgspec.Struct, frozen=True, kw_only=True):
    """Where its holder stands in a session."""

    wf: str
    act: str
    skill: str
    cond: str
    v: str
    seq: int
    ts: int
    sid: str
    aid: str
    pcp: tuple[str, ...]
    pcpt: int
    vis: int | msgspec.UnsetType = msgspec.UNSET
    kid: str | msgspec.UnsetType = msgspec.UNSET


class TraceToken(msgspec.Struct, frozen=True, kw_only=True):
    """A stretch of a session's trace that proves itself."""

    sid: str
    act: str
    from_: int = msgspec.field(name="from")
    to: int
    n: int
    t0: int
    t1: int
    ts: int
    events: tuple[dict[str, Any], ...]
    prev: str = ""
    typ: str = "trace"
    kid: str = ""


class Signer:
    """Makes and verifies tokens of one kind; the first key signs, all verify."""

    def __init__(self, keys: Sequence[SigningKey]) -> None:
        self._keys = tuple(keys)

    @property
    def kid(self) -> str:
        """The id of the key that signs."""
        return self._keys[0].id

    def sign(self, value: Token | TraceToken) -> str:
        """A token in the form that travels between servers."""
        body = _base64(msgspec.json.encode(msgspec.structs.replace(value, kid=self.kid)))
        return f"{body}.{_mac(self._keys[0], body)}"

    def sign_short(self, token: Token) -> str:
        """A handle on the session's record, for models that cannot carry long texts."""
        body = SHORT + _base62(uuid.UUID(token.sid).int << _SEQ_BITS | token.seq)
        return f"{body}.{_mac(self._keys[0], body)[:_SHORT_MAC]}"

    def verified(self, text: str) -> bytes:
        """The content of a token whose signature is ours; otherwise a problem that says what is wrong with it."""
        body, dot, mac = text.rpartition(".")
        if not dot:
            raise invalid("missing signature")
        content = _content(body)
        if not any(_is_same(mac, _mac(key, body)) for key in self._tried(content)):
            raise invalid("signature verification failed")
        return content

    def opened_short(self, text: str) -> tuple[str, int]:
        """Session and number of a handle."""
        body, dot, mac = text.rpartition(".")
        if not dot or body == SHORT[:-1]:
            raise invalid("missing signature")
        if not any(_is_same(mac, _mac(key, body)[:_SHORT_MAC]) for key in self._keys):
            raise invalid("signature verification failed")
        number = _of_base62(body.removeprefix(SHORT))
        return str(uuid.UUID(int=number >> _SEQ_BITS)), number & ((1 << _SEQ_BITS) - 1)

    def _tried(self, content: bytes) -> tuple[SigningKey, ...]:
        """The key a token names, else all of them."""
        try:
            named = msgspec.json.decode(content, type=_Named).kid
        except (msgspec.DecodeError, UnicodeDecodeError):
            named = ""
        return tuple(key for key in self._keys if key.id == named) or self._keys


class _Named(msgspec.Struct):
    kid: str = ""


def stripped(text: str) -> str:
    """A token without what clients wrap around it; refused when it is longer than any token is."""
    text = text.strip(_PACKING)
    if len(text) > _LONGEST:
        raise Problem(
            Code.TOO_LARGE,
            f"session_token has {len(text)} characters; {_LONGEST} are the most",
            hints=_RESEND,
        )
    return text


def session_token(content: bytes) -> Token:
    """What a verified session token says."""
    token = _decoded(content, Token)
    if not _is_uuid(token.sid):
        raise invalid("sid is no session id")
    return token


def trace_token(signer: Signer, text: str) -> TraceToken:
    """What a trace token says, if it is one of ours."""
    token = _decoded(signer.verified(text.strip(_PACKING)), TraceToken)
    if token.typ != "trace":
        raise invalid("it is no trace token")
    return token


def check_size_of_traces(texts: Sequence[str]) -> None:
    """Trace tokens within what one call may bring."""
    size = sum(map(len, texts))
    if size > _LONGEST_TRACE:
        raise Problem(
            Code.TOO_LARGE,
            f"trace_tokens have {size} characters; {_LONGEST_TRACE} are the most",
            hints=("send fewer of them",),
        )


def invalid(what: str) -> Problem:
    """The refusal of a token; a damaged one, an unknown one and another principal's answer alike."""
    return Problem(Code.TOKEN_INVALID, f"Invalid session token: {what}", hints=_RESEND)


def unknown() -> Problem:
    """The refusal of a token whose session is not this caller's."""
    return invalid("signature verification failed")


def _decoded(content: bytes, kind: type[T]) -> T:
    try:
        return msgspec.json.decode(content, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise invalid(f"its fields are not those of a token ({error})") from error


def _content(body: str) -> bytes:
    try:
        return base64.b64decode(body + "=" * (-len(body) % 4), altchars=b"-_", validate=True)
    except (binascii.Error, ValueError):
        return b""


def _base64(content: bytes) -> str:
    return base64.urlsafe_b64encode(content).rstrip(b"=").decode()


def _mac(key: SigningKey, body: str) -> str:
    return hmac.new(key.secret, body.encode("utf-8", "replace"), hashlib.sha256).hexdigest()


def _is_same(sent: str, ours: str) -> bool:
    """In constant time, whatever characters were sent."""
    return hmac.compare_digest(sent.encode("utf-8", "replace"), ours.encode())


def _base62(number: int) -> str:
    digits = ""
    while number:
        number, digit = divmod(number, 62)
        digits = _DIGITS[digit] + digits
    return digits or "0"


def _of_base62(text: str) -> int:
    number = 0
    for char in text[:64]:
        digit = _DIGITS.find(char)
        if digit < 0:
            raise invalid("signature verification failed")
        number = number * 62 + digit
    return number if number >> _SEQ_BITS < 1 << 128 else 0


def _is_uuid(text: str) -> bool:
    try:
        return str(uuid.UUID(text)) == text
    except ValueError:
        return False
