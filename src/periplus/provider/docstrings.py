"""Docstrings: what a function does, and what is said of each parameter in Google, NumPy and reST style."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator, Sequence

import msgspec

_PARAMETERS = "args|arguments|parameters|params|keyword args|keyword arguments|other parameters|attributes"
_OTHERS = (
    "returns?|yields?|raises|receives|examples?|notes?|see also|references|todo|warns|warnings?|methods|"
    "side effects|usage"
)
_GOOGLE = re.compile(rf"(?:({_PARAMETERS})|{_OTHERS}):\s*", re.IGNORECASE)
_NUMPY = re.compile(rf"(?:({_PARAMETERS})|{_OTHERS})\s*", re.IGNORECASE)
_UNDERLINE = re.compile(r"-{3,}\s*|={3,}\s*")
_FIELD = re.compile(
    r"[:@](?:(?:param|parameter|arg|argument|key|keyword|attribute|ivar|var)\s+(?:[^:]*\s)?\\?\*{0,2}(\w+)|"
    r"(?:type|returns?|rtype|raises?|except|exception|throws|yields?|ytype|meta|vartype)\b[^:]*):\s*(.*)"
)
_GOOGLE_ENTRY = re.compile(r"\\?\*{0,2}(\w+)\s*(?:\([^\n]*?\))?\s*:(?:\s+(.*)|$)")
_NUMPY_ENTRY = re.compile(r"(\\?\*{0,2}\w+(?:\s*,\s*\\?\*{0,2}\w+)*)\s*(?::.*)?")


class Doc(msgspec.Struct, frozen=True):
    """A docstring taken apart."""

    summary: str = ""  # the first paragraph
    description: str = ""  # all before the first section
    parameters: dict[str, str] = {}


def parse(text: str | None) -> Doc:
    """Take a docstring apart; what follows no style is all description."""
    if not text or not text.strip():
        return Doc()
    lines = inspect.cleandoc(text).splitlines()
    sections = list(_sections(lines))
    description = "\n".join(lines[: sections[0][0]] if sections else lines).strip()
    said: dict[str, str] = {}
    for number, (start, style) in enumerate(sections):
        end = sections[number + 1][0] if number + 1 < len(sections) else len(lines)
        for name, words in _entries(lines[start:end], style):
            text = " ".join(" ".join(words).split())
            if text:
                said.setdefault(name, text)
    first = " ".join(description.split("\n\n", 1)[0].split())
    return Doc(first, description, said)


def _sections(lines: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Where each section starts, and its style; a style of nothing holds no parameters."""
    for number, line in enumerate(lines):
        if line[:1].isspace() or not line:
            continue
        if field := _FIELD.match(line):
            yield number, "field" if field.group(1) else ""
        elif google := _GOOGLE.fullmatch(line):
            yield number, "google" if google.group(1) else ""
        elif (numpy := _NUMPY.fullmatch(line)) and _UNDERLINE.fullmatch("".join(lines[number + 1 : number + 2])):
            yield number, "numpy" if numpy.group(1) else ""


def _entries(lines: Sequence[str], style: str) -> Iterator[tuple[str, list[str]]]:
    if style == "field" and (field := _FIELD.match(lines[0])):
        yield field.group(1), [field.group(2), *_until_blank(lines[1:])]
    if style == "google":
        yield from _google(lines[1:])
    if style == "numpy":
        yield from _numpy(lines[2:])


def _until_blank(lines: Sequence[str]) -> Iterator[str]:
    for line in lines:
        if not line.strip():
            return
        yield line


def _google(lines: Sequence[str]) -> Iterator[tuple[str, list[str]]]:
    """`name (type): text`, each with the deeper lines below it, until something stands at the margin."""
    margin = next((_indent(line) for line in lines if line.strip()), 0)
    names: list[tuple[str, list[str]]] = []
    for line in lines:
        if line.strip() and _indent(line) == 0:
            break
        entry = _GOOGLE_ENTRY.match(line.strip()) if _indent(line) == margin else None
        if entry:
            names.append((entry.group(1), [entry.group(2) or ""]))
        elif names and line.strip() and _indent(line) > margin:
            names[-1][1].append(line)
    yield from names


def _numpy(lines: Sequence[str]) -> Iterator[tuple[str, list[str]]]:
    """`name, other : type` at the margin, its text below it and deeper."""
    names: list[str] = []
    text: list[str] = []
    for line in lines:
        if line.strip() and _indent(line) == 0:
            yield from ((name, text) for name in names)
            entry = _NUMPY_ENTRY.fullmatch(line.rstrip())
            names = [name.strip().lstrip("\\*") for name in entry.group(1).split(",")] if entry else []
            text = []
        else:
            text.append(line)
    yield from ((name, text) for name in names)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
