"""Files among arguments: text, a `data:` URI, base64, or bytes the core has fetched from its results (S-46)."""

from __future__ import annotations

import base64
import binascii
from typing import Any, NamedTuple
from urllib.parse import unquote_to_bytes

import msgspec

from periplus.model import Code, Problem


class File(NamedTuple):
    """The bytes of a file, and what is known of them."""

    content: bytes
    filename: str = ""
    media_type: str = ""


def read(value: Any, argument: str) -> File:
    """The file an argument stands for. A path on a disk is a text like any other."""
    if isinstance(value, bytes):
        return File(value)
    if isinstance(value, str):
        return _data_uri(value) or File(value.encode())
    if not isinstance(value, dict):
        return File(msgspec.json.encode(value))
    filename, media_type = str(value.get("filename", "")), str(value.get("media_type", ""))
    return File(_content(value, argument), filename, media_type)


def _content(value: dict[str, Any], argument: str) -> bytes:
    if isinstance(value.get("bytes"), bytes):
        return bytes(value["bytes"])
    if "base64" in value:
        return _decoded(value["base64"], argument)
    if "text" in value:
        return str(value["text"]).encode()
    if "cache_ref" in value:
        raise _refused(argument, f"no result is kept as {value['cache_ref']!r}", "call the tool that made it again")
    raise _refused(argument, "a file is a text, or an object with base64, text or cache_ref")


def _decoded(text: Any, argument: str) -> bytes:
    letters = "".join(str(text).split()).translate(_URL_SAFE).rstrip("=")
    try:
        return base64.b64decode(letters + "=" * (-len(letters) % 4), validate=True)
    except (binascii.Error, ValueError) as error:
        raise _refused(argument, f"its base64 cannot be read: {error}") from error


_URL_SAFE = str.maketrans("-_", "+/")


def _data_uri(text: str) -> File | None:
    """A `data:` URI taken apart; None for any other text."""
    head, comma, rest = text.partition(",")
    if not comma or not head.lower().startswith("data:"):
        return None
    media_type = head[5:]
    if not media_type.lower().endswith(";base64"):
        return File(unquote_to_bytes(rest), "", media_type)
    try:
        letters = unquote_to_bytes(rest).translate(bytes.maketrans(b"-_", b"+/"))
        return File(base64.b64decode(letters, validate=True), "", media_type[:-7])
    except (binascii.Error, ValueError):
        return None


def _refused(argument: str, what: str, *hints: str) -> Problem:
    pointer = "/" + argument.replace("~", "~0").replace("/", "~1")
    return Problem(Code.INVALID_ARGS, f"{argument}: {what}", hints=hints, where=pointer)
