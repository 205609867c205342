"""YAML text to a value: characters and directives libyaml refuses are settled first, what it trips over is mended."""

from __future__ import annotations

import re
from typing import Any

from yaml.error import MarkedYAMLError, YAMLError

from periplus.documents.values import DecodeLimits, Notes
from periplus.documents.yaml_compose import Composer
from periplus.documents.yaml_mend import Text, mended
from periplus.model import Code, Problem

# Legal in YAML 1.2, but refused by libyaml or taken for a line break; a stand-in keeps them as they are.
_ODD = "\x7f\u2028\u2029\ufeff\ufffe\uffff"
_FIRST_STAND_IN = 0x10F000  # in a private plane; taken only if the text does not use it
_HAS_ODD = re.compile(f"[{_ODD}]")
_DIRECTIVES = re.compile(r"(?:[ \t]*(?:#[^\n]*)?\r?\n)*%")
_MOST_MENDS = 16
_HINTS = (
    ("tab", "indent with spaces: YAML does not allow tabs there"),
    ("cannot start any token", "quote a text that begins with @, ` or %"),
    ("expected alphabetic or numeric", "quote a text that begins with * or &"),
    ("mapping values are not allowed", "quote a text that holds a colon, or indent the key like its neighbours"),
    ("unknown escape character", "write the backslash twice, or use single quotes"),
    ("unexpected end of stream", "the quote that opens there is never closed"),
    ("could not find expected ':'", "a key needs a colon, or the text above it is indented differently"),
)


def decode_yaml(data: bytes, name: str, limits: DecodeLimits, notes: Notes) -> Any:
    """The value of clean UTF-8 YAML, with a problem that shows the line where it cannot be read."""
    text = settled(data.decode("utf-8", "replace"))
    for _ in range(_MOST_MENDS):
        kept = Notes(name)
        try:
            value = Composer(text.text, text.restore, name, limits, kept).document()
        except MarkedYAMLError as error:
            better = mended(text, error)
            if better is None:
                raise _problem(text.text, error, name) from error
            text = better
        except (YAMLError, UnicodeError) as error:
            raise Problem(Code.PARSE_ERROR, f"{name} is not YAML: {error}", where=name) from error
        except RecursionError as error:
            raise limits.exceeded("nesting", "more levels than can be read here", name) from error
        else:
            for remark in text.remarks:
                notes.lenient(remark.message, remark.place)
            notes.extend(kept)
            return value
    hints = ("write it again with a YAML tool",)
    raise Problem(Code.PARSE_ERROR, f"{name} has more than {_MOST_MENDS} kinds of broken YAML", hints=hints, where=name)


def settled(text: str) -> Text:
    """The text with stand-ins for what libyaml refuses, and without directives that say nothing."""
    restore: dict[int, str] = {}
    if _HAS_ODD.search(text):
        unused = (code for code in range(_FIRST_STAND_IN, 0x110000) if chr(code) not in text)
        stand_ins = {ord(odd): next(unused) for odd in _ODD if odd in text}
        text = text.translate(stand_ins)
        restore = {stand_in: chr(odd) for odd, stand_in in stand_ins.items()}
    if _DIRECTIVES.match(text):
        text = _without_directives(text)
    return Text(text=text, restore=restore)


def _without_directives(text: str) -> str:
    """`%YAML 1.3` and reserved directives say nothing here: they become comments, `%TAG` stays."""
    lines = text.split("\n")
    for number, line in enumerate(lines):
        if line.startswith("%") and not line.startswith("%TAG"):
            lines[number] = "#" + line[1:]
        elif line.strip() and not line.lstrip().startswith(("#", "%")):
            break
    return "\n".join(lines)


def _problem(text: str, error: MarkedYAMLError, name: str) -> Problem:
    problem = str(error.problem or error.context or "it cannot be read")
    # libyaml sees a missing colon only on the next line; where the key stands helps more.
    late = "could not find expected ':'" in problem or error.problem_mark is None
    mark = error.context_mark if late and error.context_mark is not None else error.problem_mark
    if "cannot start any token" in problem and mark is not None and text[mark.index : mark.index + 1] == "\t":
        problem = "found a tab where the indentation of a key or item is expected"
    hints = (*(hint for words, hint in _HINTS if words in problem), "mend the document there")[:1]
    if mark is None:
        return Problem(Code.PARSE_ERROR, f"{name} is not YAML: {problem}", hints=hints, where=name)
    where = f"{name}:{mark.line + 1}:{mark.column + 1}"
    opened = error.context_mark
    since = ""
    if opened is not None and opened.line != mark.line:
        since = f" ({error.context}, line {opened.line + 1})"
    shown = excerpt(text, mark.index)
    message = f"{where} is not YAML: {problem}{since}, at {shown!r}"
    return Problem(Code.PARSE_ERROR, message, hints=hints, where=where)


def excerpt(text: str, index: int) -> str:
    """The text at an index, for a message; at the end of a text, its last line."""
    index = min(index, len(text.rstrip()))
    start = text.rfind("\n", 0, index) + 1
    stop = text.find("\n", index)
    line = text[max(start, index - 40) : len(text) if stop < 0 else stop][:80]
    return "".join(char if char.isprintable() else " " for char in line).strip()
