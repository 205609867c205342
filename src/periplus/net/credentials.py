"""Secrets on their way into a request: references looked up at the last moment, and kept out of messages."""

from __future__ import annotations

import base64
import os
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from urllib.parse import quote, quote_plus

import msgspec

from periplus.model import Code, Problem, SourceSpec

ReadSecret = Callable[[str], str]  # "env:NAME" or "file:PATH" -> its value, or Problem(credentials_missing)

# The whole value, or what follows an authentication scheme: "Bearer env:TOKEN".
_REFERENCE = re.compile(r"(?:(?P<scheme>[A-Za-z][A-Za-z0-9_-]*) +)?(?P<reference>(?:env|file|keyring):.+)")
_UNSENDABLE = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]|[^\x00-\xff]")


class Credentials(msgspec.Struct, frozen=True, kw_only=True):
    """The fixed headers and query of a source with their values, and which of them nobody may read."""

    headers: dict[str, str] = {}
    query: dict[str, str] = {}
    secrets: frozenset[str] = frozenset()

    def redact(self, text: str) -> str:
        """The text without the secrets, in the spellings they could have got on their way into it."""
        for secret in sorted(self.secrets, key=len, reverse=True):
            for form in _forms(secret):
                text = text.replace(form, "***")
        return text

    def redacted(self, problem: Problem) -> Problem:
        """The same refusal, safe to show."""
        return Problem(
            problem.code,
            self.redact(problem.message),
            hints=tuple(map(self.redact, problem.hints)),
            next_action=problem.next_action,
            where=problem.where,
            retryable=problem.retryable,
        )


def resolve(spec: SourceSpec, read_secret: ReadSecret) -> Credentials:
    """Look up what `headers` and `query` of a source refer to."""
    headers = {name: _value(spec, text, read_secret) for name, text in spec.headers.items()}
    query = {name: _value(spec, text, read_secret) for name, text in spec.query.items()}
    for name, value in headers.items():
        check_header(name, value)
    hidden = [value for name, value in headers.items() if value != spec.headers[name]]
    return Credentials(headers=headers, query=query, secrets=_secrets((*hidden, *query.values())))


def read_reference(reference: str) -> str:
    """The value behind `env:NAME` or `file:PATH` (without its last line break)."""
    kind, _, name = reference.partition(":")
    if kind == "env":
        if name in os.environ:
            return os.environ[name]
        raise _missing(reference, "that variable is not set")
    if kind == "file":
        path = Path(name).expanduser()
        try:
            open_to_others = os.name == "posix" and path.stat().st_mode & 0o077
            text = "" if open_to_others else path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
            raise _missing(reference, f"that file cannot be read: {reason}") from error
        if open_to_others:
            raise _missing(reference, "other users may read or change that file; make it yours alone (chmod 600)")
        return text.rstrip("\r\n")
    raise _missing(reference, "only env: and file: are known here")


def check_header(name: str, value: str) -> None:
    """Refuse a header that would end early or not arrive, without showing its value."""
    if not re.fullmatch(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+", name):
        raise Problem(Code.BAD_INPUT, f"not a header name: {name[:60]!r}")
    if _UNSENDABLE.search(value):
        raise Problem(
            Code.BAD_INPUT,
            f"the value of the header {name} has a line break, a control or a character outside Latin-1",
        )


def _value(spec: SourceSpec, text: str, read_secret: ReadSecret) -> str:
    found = _REFERENCE.fullmatch(text)
    if found is None:
        return text
    if not spec.trusted:
        # Whoever adds a source through a face must not make the gateway read its own secrets to them.
        raise Problem(
            Code.CREDENTIALS_MISSING,
            f"{found['reference']} is not read for {spec.id or spec.location}: the operator did not write it",
            hints=("write the source into the configuration",),
        )
    value = read_secret(found["reference"])
    return f"{found['scheme']} {value}" if found["scheme"] else value


def _missing(reference: str, reason: str) -> Problem:
    return Problem(
        Code.CREDENTIALS_MISSING,
        f"the credential reference {reference} does not resolve: {reason}",
        hints=(f"set {reference.partition(':')[2]} for the gateway, or change the reference",),
    )


def _secrets(values: Iterable[str]) -> frozenset[str]:
    """What is worth hiding: of `Bearer x` both the whole and the `x`, but no scrap that any text contains."""
    whole = [value for value in values if len(value) >= 4]
    return frozenset((*whole, *(word for value in whole for word in value.split() if len(word) >= 8)))


def _forms(secret: str) -> tuple[str, ...]:
    plain = base64.b64encode(secret.encode()).decode().rstrip("=")
    return (secret, quote(secret, safe=""), quote(secret), quote_plus(secret), plain, repr(secret)[1:-1])
