"""How letters are written in each place of a request, so that none of them acts (S-48, S-49)."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final
from urllib.parse import quote, quote_plus

# Writes a text; the second argument holds letters that would separate it from its neighbours there.
Quote = Callable[[str, str], str]

_LONE_PERCENT: Final = re.compile(r"%(?![0-9A-Fa-f]{2})")
_RESERVED_IN_QUERY: Final = "!$'()*,/:;?@[]"  # all but # & + =
_RESERVED_IN_PATH: Final = "!$&'()*+,:;=@[]"  # all but / ? #
_NOT_IN_COOKIE: Final = re.compile(r"[^!#$&-+\--:<-\[\]-~]")  # what RFC 6265 lets no value have, and the percent sign


def strict(text: str, _apart: str = "") -> str:
    """Everything but unreserved letters is encoded."""
    return text if text.isalnum() and text.isascii() else quote(text, safe="")


def plus(text: str, _apart: str = "") -> str:
    """The same as forms have it: a space is `+`."""
    return text if text.isalnum() and text.isascii() else quote_plus(text, safe="")


def reserved_in_query(text: str, apart: str = "") -> str:
    """`allowReserved`: reserved letters and what is encoded already pass, unless they would delimit."""
    return quote(_LONE_PERCENT.sub("%25", text), safe=_without(_RESERVED_IN_QUERY, apart) + "%")


def reserved_in_form(text: str, apart: str = "") -> str:
    """`allowReserved` in a form."""
    return reserved_in_query(text, apart).replace("%20", "+")


def reserved_in_path(text: str, apart: str = "") -> str:
    """`allowReserved` in a path: what would end the segment, and `%`, is encoded all the same."""
    return quote(text, safe=_without(_RESERVED_IN_PATH, apart))


def cookie(text: str, apart: str = "") -> str:
    """Only what a cookie cannot hold is encoded: keys and tokens stay as they were given."""
    encoded = _NOT_IN_COOKIE.sub(lambda found: quote(found.group(), safe=""), text)
    for letter in apart:
        encoded = encoded.replace(letter, quote(letter, safe=""))
    return encoded


def plain(text: str, _apart: str = "") -> str:
    """As it is: headers, cookies of style `cookie`, parts."""
    return text


def _without(letters: str, apart: str) -> str:
    return letters if not apart else "".join(letter for letter in letters if letter not in apart)
