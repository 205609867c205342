"""Media types of bodies: how each is written on the wire, and which is preferred (S-47, S-52, S-53)."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final, Literal, NamedTuple

Kind = Literal["json", "lines", "form", "multipart", "text", "xml", "file", "any"]

_RANK: Final[dict[Kind, int]] = {
    "json": 0, "form": 2, "multipart": 3, "text": 4, "xml": 5, "lines": 6, "any": 7, "file": 8,
}  # fmt: skip
UNKNOWN: Final = 9  # the rank of a type that says nothing about how it is written
_KNOWN: Final[dict[str, Kind]] = {
    "application/json": "json",
    "application/x-www-form-urlencoded": "form",
    "multipart/form-data": "multipart",
    "text/plain": "text",
    "application/xml": "xml",
    "text/xml": "xml",
    "application/octet-stream": "file",
    "text/json": "json",
    "application/x-ndjson": "lines",
    "application/jsonl": "lines",
    "application/json-seq": "lines",
    "*/*": "any",
    "application/*": "any",
}
_FAMILIES: Final[dict[str, Kind]] = {
    "multipart": "multipart",
    "text": "text",
    **dict.fromkeys(("image", "audio", "video", "font", "model"), "file"),
}
_WHOLE: Final = re.compile(r"[!#$%&'*+.^_`|~0-9a-z-]+/[!#$%&'*+.^_`|~0-9a-z-]+")
_BYTES: Final = frozenset(
    {"pdf", "zip", "gzip", "x-gzip", "x-tar", "x-zip-compressed", "msgpack", "x-msgpack", "cbor", "protobuf"}
    | {"x-protobuf", "vnd.google.protobuf"}
)
_LINES: Final = frozenset({"application/x-jsonlines", "application/ndjson", "application/x-json-seq"})


class Media(NamedTuple):
    """A declared media type, as it is sent."""

    type: str  # with its parameters
    kind: Kind
    rank: int
    opaque: bool  # no known type and none near: sent as declared
    mended: bool  # a misspelling, repaired


@lru_cache(maxsize=4096)
def read(declared: str) -> Media:
    """A declared media type; a misspelt one is repaired when one known type is a single slip away."""
    essence, semicolon, parameters = declared.partition(";")
    essence = essence.strip().lower()
    rest = f";{parameters}" if semicolon else ""
    kind = _kind(essence)
    if kind is not None:
        return Media(essence + rest, kind, _rank(essence, kind), opaque=False, mended=False)
    near = [known for known in _KNOWN if one_slip(essence, known)]
    if len(near) == 1:
        kind = _KNOWN[near[0]]
        return Media(near[0] + rest, kind, _rank(near[0], kind), opaque=False, mended=True)
    known_family = _WHOLE.fullmatch(essence) is not None
    return Media(declared.strip(), "file", UNKNOWN, opaque=not known_family, mended=False)


def _kind(essence: str) -> Kind | None:
    known = _KNOWN.get(essence)
    if known is not None or not _WHOLE.fullmatch(essence):
        return known
    family, _, subtype = essence.partition("/")
    kind: Kind | None = _FAMILIES.get(family)
    if subtype in _BYTES:
        kind = "file"
    elif subtype.endswith(("+json", "+yaml")) or subtype in {"yaml", "x-yaml"}:
        kind = "json"  # JSON is YAML too
    elif essence in _LINES or subtype.endswith("+json-seq"):
        kind = "lines"
    elif subtype.endswith("+xml") and family != "image":
        kind = "xml"
    return kind


def _rank(essence: str, kind: Kind) -> int:
    """JSON itself before what merely is JSON, and that before YAML, which comes with the rest."""
    if kind == "json" and essence != "application/json":
        return 7 if "yaml" in essence else 1
    return _RANK[kind]


def one_slip(written: str, meant: str) -> bool:
    """Whether one letter more, less or other, or two neighbours swapped, makes the one into the other."""
    if abs(len(written) - len(meant)) > 1 or written == meant:
        return False
    start = 0
    while start < min(len(written), len(meant)) and written[start] == meant[start]:
        start += 1
    left, right = written[start:], meant[start:]
    return (
        left[1:] == right[1:]
        or left[1:] == right
        or left == right[1:]
        or (left[:2] == right[1::-1] and left[2:] == right[2:])
    )
