"""What of a value nobody may read later: secrets by their name, and texts that look like one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise
from typing import Any

HIDDEN = "[redacted]"

_NAME = re.compile(
    r"pass(word|wd|phrase|code)?|pwd|secrets?|tokens?|api_?keys?|access_?keys?|private_?keys?|credentials?"
    r"|auth(orization)?|cookies?|set_cookie|session_?id|bearer|signature|sig|otp|pin|cvv|cvc|ssn|client_?secret",
)
# Words of a name are what is between its separators and humps: `X-Api-Key`, `userPassword`, `refresh_token`.
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|[^A-Za-z0-9]+")
_HARMLESS = frozenset(
    {"max_tokens", "next_token", "page_token", "next_page_token", "continuation_token", "token_count"}
)
# Each with what stands in every text it means, folded: most texts hold none of it, and looking for that is quick.
_PHRASES = (
    (
        ("bearer", "basic", "token", "apikey", "digest"),
        re.compile(r"(?i)\b((?:bearer|basic|token|apikey|digest)\s+)(?=[\w.~+/-]*[\d=])[\w.~+/=-]{8,}"),
        rf"\1{HIDDEN}",
    ),
    (("@",), re.compile(r"(?i)\b([a-z][a-z0-9+.-]{0,30}://)[^\s/?#@]*@"), rf"\1{HIDDEN}@"),
    (("eyj",), re.compile(r"\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*"), HIDDEN),
    (
        ("sk", "pk", "rk", "gho", "ghp", "ghs", "ghu", "glpat", "xox", "akia", "asia", "aiza"),
        re.compile(r"\b(?:[spr]k|gh[posu]|glpat|xox[abprs]|AKIA|ASIA|AIza)[-_]?[A-Za-z0-9][\w-]{14,}"),
        HIDDEN,
    ),
    (
        ("private key",),
        re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)"),
        HIDDEN,
    ),
)
_MEMBER = re.compile(r"""([A-Za-z][\w.-]{0,60})["']?\s*[=:]\s*""")
_VALUE = re.compile(r""""[^"]*"|'[^']*'|[^\s&,;"'<>]+""")


@lru_cache(maxsize=4096)
def is_secret(name: str) -> bool:
    """Whether a member of this name holds what only its owner should know."""
    words = [word.lower() for word in _HUMP.split(name) if word]
    if "_".join(words) in _HARMLESS:
        return False
    pairs = [f"{one}_{two}" for one, two in pairwise(words)]
    return any(_NAME.fullmatch(word) for word in (*words, *pairs))


def redacted(value: Any) -> Any:
    """A JSON value as it may be kept and shown."""
    if isinstance(value, dict):
        return {key: HIDDEN if is_secret(str(key)) and item else redacted(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [redacted(item) for item in value]
    return redacted_text(value) if isinstance(value, str) else value


def redacted_text(text: str) -> str:
    """A text without what looks like a secret in it."""
    folded = text.casefold()
    for signs, pattern, instead in _PHRASES:
        if any(sign in folded for sign in signs):
            text = pattern.sub(instead, text)
    return "".join(_unassigned(text)) if "=" in text or ":" in text else text


def _unassigned(text: str) -> Iterator[str]:
    """The pieces of a text with the values left out that are given to the name of a secret."""
    done = 0
    for name in _MEMBER.finditer(text):
        value = _VALUE.match(text, name.end()) if name.start() >= done and is_secret(name[1]) else None
        if value:
            yield text[done : name.end()]
            yield HIDDEN
            done = value.end()
    yield text[done:]
