"""Bodies that are files: what is said of them in the value, and their bytes beside it."""

from __future__ import annotations

import base64
import hashlib
import re
from typing import Any
from urllib.parse import unquote

from periplus.answers.received import Received
from periplus.model import Answer

_SHOWN_BYTES = 4 << 20  # a larger picture is a file only: nobody looks at it inside a message
_EXTENDED = re.compile(r"filename\*\s*=\s*([\w-]+)'[^']*'([^;\s]+)", re.IGNORECASE)
_PLAIN = re.compile(r"filename\s*=\s*(?:\"((?:[^\"\\]|\\.)*)\"|([^;]+))", re.IGNORECASE)
_UNFIT = re.compile(r"[\x00-\x1f\x7f]")


def file_answer(received: Received, meta: dict[str, Any]) -> Answer:
    """A file result: `{"$file": ...}` with its bytes by hash; pictures and sounds also as content."""
    data = _redacted(received)
    kind = received.media.type or "application/octet-stream"
    value, digest = file_value(data, kind, file_name(received))
    family = kind.partition("/")[0]
    content: tuple[dict[str, Any], ...] = ()
    if family in {"image", "audio"} and len(data) <= _SHOWN_BYTES:
        content = ({"type": family, "data": base64.b64encode(data).decode(), "mimeType": kind},)
    return Answer(value=value, meta=meta, content=content, files={digest: data})


def file_value(data: bytes, kind: str, name: str = "") -> tuple[dict[str, Any], str]:
    """What stands in a value for a file, and the hash its bytes are found by."""
    digest = hashlib.sha256(data).hexdigest()
    named = {"filename": fit} if (fit := _fit(name)) else {}
    return {"$file": {"media_type": kind, **named, "bytes": len(data), "sha256": digest}}, digest


def file_name(received: Received) -> str:
    """The name its server gives it, without a path."""
    header = received.header("content-disposition")
    extended, plain = _EXTENDED.search(header), _PLAIN.search(header)
    name = ""
    if extended:
        try:
            name = unquote(extended[2], encoding=extended[1])
        except LookupError:
            name = unquote(extended[2])
    elif plain:
        name = re.sub(r"\\(.)", r"\1", plain[1]) if plain[1] is not None else plain[2].strip()
    return received.redact(_fit(name))


def _fit(name: str) -> str:
    """The name alone, which leads nowhere."""
    name = _UNFIT.sub("", re.split(r"[/\\]", name)[-1]).strip()
    return "" if name in {".", ".."} else name[:200]


def _redacted(received: Received) -> bytes:
    """The bytes without credentials in them; Latin-1 carries any byte there and back."""
    return received.redact(received.body.decode("latin-1")).encode("latin-1")
