"""Plain words in many texts, found by their rarest byte in one pass: how dense the matches are costs nothing."""

from __future__ import annotations

import re

import numpy as np
import numpy.typing as npt

from periplus.search.sections import Array, Texts, offsets_of

_PLAIN = re.compile(r"[\w :/@-]+", re.ASCII)
# How common bytes are in names and English prose; what is not here is rarer.
_COMMON = {byte: place for place, byte in enumerate(b" etaoinsrhldcumfpgwybv_:0123456789k")}
_BREAK = ord("\n")

Truths = npt.NDArray[np.bool_]


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


def having(texts: Texts, bytes_: Truths) -> Truths:
    """Which texts have one of some bytes, given by what is true of each byte."""
    starts = texts.offsets[:-1].astype(np.int64)
    filled = np.diff(texts.offsets.astype(np.int64)) > 0
    found = np.zeros(len(texts), np.bool_)
    if filled.any():
        found[filled] = np.logical_or.reduceat(bytes_[texts.blob], starts[filled])
    return found


def only(texts: Texts, wanted: Truths) -> Texts:
    """Some of these texts, one after the other."""
    offsets: npt.NDArray[np.int64] = texts.offsets.astype(np.int64)
    sizes = offsets[1:] - offsets[:-1]
    return Texts(texts.blob[np.repeat(wanted, sizes)], offsets_of(sizes[wanted]))
