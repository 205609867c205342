"""The spellings a secret gets on its way through requests, answers and messages, and their removal."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterable
from functools import lru_cache
from html import escape
from typing import Any
from urllib.parse import quote, quote_plus

INSTEAD = "***"
_WORTH_HIDING = 4  # anything shorter is part of ordinary words
_WORTH_ALONE = 8
_WITH_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9_-]* +(\S+)")  # "Bearer x"


def secrets_of(values: Iterable[str]) -> frozenset[str]:
    """What is worth hiding: no scrap that any text contains."""
    return frozenset(value for value in values if len(value) >= _WORTH_HIDING)


def secrets_of_headers(values: Iterable[str]) -> frozenset[str]:
    """The same for values of headers: of `Bearer x` both the whole and the `x`."""
    whole = list(values)
    found = (_WITH_SCHEME.fullmatch(value) for value in whole)
    return secrets_of((*whole, *(match[1] for match in found if match)))


def redacted(text: str, secrets: Iterable[str]) -> str:
    """The text without the secrets, however they are written in it."""
    for secret in sorted(secrets, key=len, reverse=True):
        for form in forms(secret):
            if form in text:
                text = text.replace(form, INSTEAD)
    return text


def redacted_value(value: Any, secrets: frozenset[str]) -> Any:
    """The same for every text inside a JSON value."""
    if isinstance(value, str):
        return redacted(value, secrets)
    if isinstance(value, list | tuple):
        return [redacted_value(item, secrets) for item in value]
    if isinstance(value, dict):
        return {redacted(name, secrets): redacted_value(item, secrets) for name, item in value.items()}
    return value


@lru_cache(maxsize=512)
def forms(secret: str) -> tuple[str, ...]:
    """A secret as it stands, and in URLs, JSON, HTML, Python, hexadecimal and base64, longest first."""
    raw = secret.encode()
    quoted = (quote(secret, safe=""), quote(secret), quote_plus(secret))
    escaped = json.dumps(secret)[1:-1]
    found = {
        *(secret, escape(secret), repr(secret)[1:-1], raw.decode("latin-1")),
        *quoted,
        *(_lower_percent(text) for text in quoted),
        *(escaped, escaped.replace("/", "\\/"), json.dumps(secret, ensure_ascii=False)[1:-1]),
    }
    if len(secret) >= _WORTH_ALONE:
        found |= {raw.hex(), *_in_base64(raw)}
        for text in {*quoted} - {secret}:  # OAuth encodes a client's secret for URLs before it encodes the pair
            found |= _in_base64(text.encode())
    else:
        found.add(base64.b64encode(raw).decode().rstrip("="))
    return tuple(sorted(filter(None, found), key=len, reverse=True))


def _in_base64(raw: bytes) -> set[str]:
    """What of a secret shows in base64, wherever in the encoded text it begins: alone or behind `user:`."""
    found: set[str] = set()
    for before in range(3):
        padded = b"\0" * before + raw
        text = base64.b64encode(padded).decode().rstrip("=")
        inner = text[-(-before * 4 // 3) :]  # without the signs that what stands before has a part in
        if len(padded) % 3:
            inner = inner[:-1]  # nor the one that what follows has a part in
        for each in (inner, text if not before else inner):
            found |= {each, each.replace("+", "-").replace("/", "_")}
    return found


def _lower_percent(text: str) -> str:
    """`%2f` for `%2F`: both are right, and servers choose."""
    pieces = text.split("%")
    return "%".join([pieces[0], *(piece[:2].lower() + piece[2:] for piece in pieces[1:])])
