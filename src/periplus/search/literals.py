"""Plain words in many texts, found by their rarest byte in one pass: how dense the matches are costs nothing."""

from __future__ import annotations

import re

import numpy as np
import numpy.typing as npt

from periplus.search.sections import Array, Texts

_PLAIN = re.compile(r"[\w :/@-]+", re.ASCII)
# How common bytes are in names and English prose; what is not here is rarer.
_COMMON = {byte: place for place, byte in enumerate(b" etaoinsrhldcumfpgwybv_:0123456789k")}
_BREAK = ord("\n")


def literal_of(pattern: str) -> bytes:
    """The bytes that a pattern without any operator looks for; nothing where it has one."""
    return pattern.lower().encode() if _PLAIN.fullmatch(pattern) and "  " not in pattern else b""


def starts_of(texts: Texts, literal: bytes) -> Array:
    """Where in the blob of some texts (in lower case) these bytes begin."""
    data = texts.blob
    if len(data) < len(literal):
        return np.zeros(0, np.int64)
    rare = max(range(len(literal)), key=lambda at: (_COMMON.get(literal[at], 99), at))
    window = data[rare : len(data) - len(literal) + 1 + rare]
    starts = np.flatnonzero(window == literal[rare])
    for at, byte in enumerate(literal):
        if at != rare and len(starts):
            starts = starts[data[starts + at] == byte]
    return starts


def whole_lines(texts: Texts, starts: Array, size: int) -> Array:
    """Those of these places at which so many bytes are a line of their own."""
    data = texts.blob
    starts = starts[data[starts + size] == _BREAK]
    begins: Array = starts[(starts == 0) | (data[starts - 1] == _BREAK)]
    return begins


def numbers_of(texts: Texts, starts: Array) -> Array:
    """Which texts places in the blob belong to, each once and in order."""
    numbers = np.searchsorted(texts.offsets[1:], starts, side="right")
    return np.unique(numbers[numbers < len(texts)])


def lettered(texts: Texts) -> npt.NDArray[np.bool_]:
    """Which texts have a letter in them."""
    data = texts.blob
    letters = ((data >= ord("a")) & (data <= ord("z"))).view(np.int8)
    sums = np.concatenate([np.zeros(1, np.int64), np.cumsum(letters, dtype=np.int32)])
    ends = texts.offsets.astype(np.int64)
    return sums[ends[1:]] > sums[ends[:-1]]
