"""Credentials as values: what goes into a request, and which of it nobody may read."""

from __future__ import annotations

import re

import msgspec

from periplus.model import Code, Problem
from periplus.net.credentials.redaction import redacted, redacted_value

_UNSENDABLE = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]|[^\x00-\xff]")


class Credentials(msgspec.Struct, frozen=True, kw_only=True):
    """What is put into a request beside what was asked for, and which of it is secret."""

    headers: dict[str, str] = {}
    query: dict[str, str] = {}
    cookies: dict[str, str] = {}
    secrets: frozenset[str] = frozenset()

    def redact(self, text: str) -> str:
        """The text without the secrets, in the spellings they could have got on their way into it."""
        return redacted(text, self.secrets)

    def redacted(self, problem: Problem) -> Problem:
        """The same refusal, safe to show."""
        if not self.secrets:
            return problem
        return Problem(
            problem.code,
            self.redact(problem.message),
            hints=tuple(map(self.redact, problem.hints)),
            next_action=redacted_value(problem.next_action, self.secrets),
            where=problem.where,
            retryable=problem.retryable,
            details=redacted_value(problem.details, self.secrets),
        )

    def __or__(self, other: Credentials) -> Credentials:
        """Both; where both fill one place, the other one does."""
        return Credentials(
            headers=self.headers | other.headers,
            query=self.query | other.query,
            cookies=self.cookies | other.cookies,
            secrets=self.secrets | other.secrets,
        )


def check_header(name: str, value: str) -> None:
    """Refuse a header that would end early or not arrive, without showing its value."""
    if not re.fullmatch(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+", name):
        raise Problem(Code.BAD_INPUT, f"not a header name: {name[:60]!r}")
    if _UNSENDABLE.search(value):
        raise Problem(
            Code.BAD_INPUT,
            f"the value of the header {name} has a line break, a control or a character outside Latin-1",
        )
