"""Tabs where YAML 1.2 allows them and libyaml does not: in block texts, after `-`, on blank and comment lines."""

from __future__ import annotations

import re

_COMMENT = re.compile(r"[ \t]#")
_DIGIT = re.compile(r"[1-9]")
_INDICATORS = re.compile(r" *(?:[-?:][ \t]+)*")


def without_tabs(text: str, stand_in: str) -> tuple[str, list[int]]:
    """The same lines without tabs libyaml refuses, and the numbers of lines whose place had to be guessed.

    Where a tab is text, `stand_in` takes its place until the value is built.
    """
    lines = text.split("\n")
    walk = _Walk(stand_in)
    new = [walk.line(number, line, below) for number, (line, below) in enumerate(_with_indent_below(lines), 1)]
    return "\n".join(new), walk.guessed


def _with_indent_below(lines: list[str]) -> list[tuple[str, int]]:
    """Each line with the indentation of the next line that is not blank."""
    below, result = 0, list[tuple[str, int]]()
    for line in reversed(lines):
        result.append((line, below))
        if line.strip():
            below = len(line) - len(line.lstrip(" "))
    return result[::-1]


class _Walk:
    """Where the lines stand: outside block texts (`parent` is None), or within one below column `parent`."""

    def __init__(self, stand_in: str) -> None:
        self._stand_in = stand_in
        self._parent: int | None = None
        self._indent: int | None = None  # of the block text, once its first line has shown it
        self.guessed: list[int] = []

    def line(self, number: int, line: str, below: int) -> str:
        """The line as libyaml takes it; `below` is the indentation of the next line that is not blank."""
        if self._parent is not None:
            text = self._text_line(number, line, self._parent, below)
            if text is not None:
                return text
            self._parent = None
        return self._structure_line(line)

    def _text_line(self, number: int, line: str, parent: int, below: int) -> str | None:
        """A line of a block text as libyaml takes it, or None when the block text has ended before it."""
        body = line.lstrip(" ")
        spaces = len(line) - len(body)
        first_text = self._indent is None and "\t" in body and parent < spaces <= below
        if not body.strip() and not first_text:
            return line if self._indent is not None and spaces >= self._indent else ""
        if self._indent is None and spaces > parent:
            self._indent = spaces
            return " " * spaces + self._leading_tabs_kept(body)
        if self._indent is not None and spaces >= self._indent:
            return line
        if not body.startswith("\t"):
            return None
        # Nothing but text can begin with a tab here, so it belongs to the block text and the tab is its first sign.
        self.guessed.append(number)
        if self._indent is None:
            self._indent = parent + 1
        return " " * self._indent + self._leading_tabs_kept(body)

    def _leading_tabs_kept(self, body: str) -> str:
        rest = body.lstrip("\t")
        return self._stand_in * (len(body) - len(rest)) + rest

    def _structure_line(self, line: str) -> str:
        body = line.strip()
        if not body:
            return "\r" if line.endswith("\r") else ""
        if body.startswith("#"):
            return line.replace("\t", " ")
        found = _INDICATORS.match(line)
        indicators = found.group() if found else ""
        if "\t" in indicators:
            indicators = indicators.replace("\t", " ")
            line = indicators + line[len(indicators) :]
        self._open(line, indicators)
        return line

    def _open(self, line: str, indicators: str) -> None:
        """Notice that the next lines are a block text, and below which column they must stand."""
        said = _COMMENT.split(line, maxsplit=1)[0].rstrip()
        before = said.rstrip("+-123456789")
        if not before.endswith(("|", ">")):
            return
        mark = said[len(before) :]
        before = _without_properties(before[:-1].rstrip())
        if before and not before.endswith((":", "-", "?")):
            return
        if before in {"", "---"}:
            self._parent = len(line) - len(line.lstrip(" ")) - 1
        else:
            bare = len(before) <= len(indicators)  # the text is an item itself, not the value of a key
            self._parent = len(indicators.rstrip()) - 1 if bare else len(indicators)
        digit = _DIGIT.search(mark)
        self._indent = max(self._parent, 0) + int(digit.group()) if digit else None


def _without_properties(before: str) -> str:
    """The text without a tag and an anchor at its end."""
    for _ in range(2):
        head, _, last = before.rpartition(" ")
        if last.startswith(("!", "&")):
            before = head.rstrip()
    return before
