"""How a tool is named: `source/area/leaf`, and what counts as the same name."""

from __future__ import annotations

import hashlib
import re
import unicodedata

import msgspec

from periplus.model.problem import Code, Problem

_OUTSIDE = re.compile(r"[^A-Za-z0-9._@-]+")
_SOURCE_ID = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")
_NOT_WORD = re.compile(r"[\W_]+")
_LOWER = bytes(range(256)).lower()
_NEITHER = bytes(code for code in range(128) if not chr(code).isalnum())
LEAF_MAX = 80
REF_MAX = 200


class ToolRef(msgspec.Struct, frozen=True, order=True):
    """The identity of a tool: the source it came from and its path there."""

    source: str
    path: str

    @classmethod
    def parse(cls, text: str) -> ToolRef:
        """Read `source/path`, refusing everything that could not have been made by `segment`."""
        source, slash, path = text.partition("/")
        pieces = path.split("/")
        if not slash or not _SOURCE_ID.fullmatch(source) or any(_bad_segment(piece) for piece in pieces):
            raise Problem(Code.BAD_INPUT, f"not a tool reference: {text[:REF_MAX]!r}", hints=("use source/area/tool",))
        return cls(source, path)

    @property
    def leaf(self) -> str:
        return self.path.rpartition("/")[2]

    @property
    def area(self) -> str:
        """Where the tool lives in its source: the path without the leaf."""
        return self.path.rpartition("/")[0]

    def __str__(self) -> str:
        return f"{self.source}/{self.path}"


def _bad_segment(text: str) -> bool:
    return not text or _OUTSIDE.search(text) is not None


def segment(text: str, fallback: str = "unnamed") -> str:
    """One path segment: other characters become one `_`, outer ones are stripped (S-16)."""
    if not text.isascii():
        plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
        # A name in another script would vanish: its hash keeps it apart from its neighbours.
        text = plain if _NOT_WORD.sub("", plain) else f"{fallback}_{short_hash(text, 6)}"
    return _OUTSIDE.sub("_", text).strip("_") or fallback


def leaf_segment(text: str, fallback: str = "unnamed") -> str:
    """The last segment; over 80 characters it is cut and marked with its hash (S-16)."""
    leaf = segment(text, fallback)
    return leaf if len(leaf) <= LEAF_MAX else f"{leaf[: LEAF_MAX - 7]}_{short_hash(leaf, 6)}"


def fold(text: str) -> str:
    """The normal form in which two spellings of one name are equal: letters and digits only, case folded."""
    if text.isascii():
        return text.encode().translate(_LOWER, _NEITHER).decode()
    return _NOT_WORD.sub("", unicodedata.normalize("NFKC", text)).casefold()


def short_hash(text: str, digits: int) -> str:
    """A few digits that tell a text from others, the same in every run."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:digits]


def check_source_id(text: str) -> str:
    """Accept a source id as S-15 wants it, or say what is wrong with it."""
    if not _SOURCE_ID.fullmatch(text):
        raise Problem(
            Code.BAD_INPUT,
            f"not a source name: {text[:60]!r}",
            hints=("use 1 to 40 of a-z, 0-9 and '-', starting with a letter or digit",),
        )
    return text
