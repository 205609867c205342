"""What libyaml trips over although YAML 1.2 allows it or its meaning is plain: mended, line for line."""

from __future__ import annotations

import re
from typing import NamedTuple

import msgspec
from yaml.error import MarkedYAMLError

from periplus.documents.values import Place
from periplus.documents.yaml_tabs import without_tabs


class Remark(NamedTuple):
    """A lenient reading, for the load report: what, and its line and column."""

    message: str
    place: Place | None


class Text(msgspec.Struct, frozen=True, kw_only=True):
    """A YAML text on its way to libyaml; lines keep their numbers through every mend."""

    text: str
    restore: dict[int, str] = {}
    remarks: tuple[Remark, ...] = ()


_NAME = re.compile(r"[&*]([^\s,\[\]{}]+)")
_USE = re.compile(r"(?<![^\s,\[{])([&*])([^\s,\[\]{}]+)(?=[\s,\]}]|$)")
_SIMPLE = re.compile(r"[A-Za-z0-9_-]+")
_NOT_SIMPLE = re.compile(r"[^A-Za-z0-9_-]")
_HANDLE = re.compile(r"!\w+!")
_ESCAPES = re.compile(r"((?<!\\)(?:\\\\)*)\\u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})")
_LONE = re.compile(r"((?<!\\)(?:\\\\)*)\\u[dD][89a-fA-F][0-9a-fA-F]{2}")


def mended(text: Text, error: MarkedYAMLError) -> Text | None:
    """The text without what caused this error, or None where nothing but its author can help."""
    mark, problem = error.problem_mark, str(error.problem)
    if mark is None:
        return None
    at = text.text[mark.index : mark.index + 1]
    if "tab character" in problem or ("cannot start any token" in problem and at == "\t"):
        return _tabs(text)
    if "alphabetic or numeric" in problem or "while scanning an a" in str(error.context):
        start = error.context_mark.index if error.context_mark is not None else mark.index
        return _anchor(text, start)
    if "undefined tag handle" in problem:
        return _handle(text, mark.index)
    if "Unicode character escape" in problem:
        return _escapes(text)
    return None


def _changed(text: Text, new: str, *remarks: Remark) -> Text | None:
    if new == text.text:
        return None
    return Text(text=new, restore=text.restore, remarks=text.remarks + remarks)


def _tabs(text: Text) -> Text | None:
    stand_in = next(code for code in range(0x10FFFD, 0, -1) if chr(code) not in text.text)
    new, guessed = without_tabs(text.text, chr(stand_in))
    remarks = [Remark("a line of a block text is indented by a tab; it was read as part of the text", Place(line, 1))
               for line in guessed]  # fmt: skip
    changed = _changed(text, new, *remarks)
    if changed is None:
        return None
    return Text(text=changed.text, restore=text.restore | {stand_in: "\t"}, remarks=changed.remarks)


def _anchor(text: Text, index: int) -> Text | None:
    """Anchors may hold any character in YAML 1.2; libyaml knows letters, digits, - and _."""
    found = _NAME.match(text.text, index)
    if found is None or (found.group().startswith("*") and f"&{found.group(1)}" not in text.text):
        return None
    uses = {"&": {found.group(1)}, "*": {found.group(1)}}
    for use in _USE.finditer(text.text):
        uses[use.group(1)].add(use.group(2))
    odd = {name for name in uses["&"] & uses["*"] if not _SIMPLE.fullmatch(name)}
    simple = {name: f"{_NOT_SIMPLE.sub('_', name)}-{number}-" for number, name in enumerate(sorted(odd))}
    return _changed(text, _USE.sub(lambda use: use.group(1) + simple.get(use.group(2), use.group(2)), text.text))


def _handle(text: Text, index: int) -> Text | None:
    """A tag with a handle nobody declared is a custom tag all the same, and those are ignored."""
    found = _HANDLE.match(text.text, index)
    if found is None:
        return None
    uses = re.compile(rf"(?<![^\s,\[{{]){re.escape(found.group())}[^\s,\[\]{{}}]*")
    return _changed(text, uses.sub(lambda use: " " * len(use.group()), text.text))


def _escapes(text: Text) -> Text | None:
    """JSON writes a character beyond U+FFFF as two escapes, YAML as one. Half a pair is no character."""

    def joined(pair: re.Match[str]) -> str:
        high, low = int(pair.group(2), 16), int(pair.group(3), 16)
        return f"{pair.group(1)}\\U{0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00):08X}"

    new, lone = _LONE.subn(r"\1\\uFFFD", _ESCAPES.sub(joined, text.text))
    if lone:
        return _changed(text, new, Remark(f"{lone} halves of surrogate pairs were replaced by U+FFFD", None))
    return _changed(text, new)
