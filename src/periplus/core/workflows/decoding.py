"""Text of a definition file to a value: TOON, YAML or JSON, by the ending of its name (W-20)."""

from __future__ import annotations

import re
from typing import Any

from periplus.core.workflows.problems import LoadCode, LoadProblem, Severity
from periplus.documents import decode as decode_document
from periplus.model import Code, Problem

SUFFIXES = (".toon", ".yaml", ".yml", ".json")
"""What a definition may be written in; of files with one stem the first counts."""

_LENGTH = re.compile(r"Declared length (\d+) but found (\d+)")
_FRONT = re.compile(r"\A\s*---[ \t]*\r?\n(.*?)\r?\n---[ \t]*(?:\r?\n|\Z)", re.DOTALL)


class Undecodable(Exception):  # noqa: N818 - a problem of a file, which its reader makes a load problem
    """A file that cannot be read, with its line where one is known."""

    def __init__(self, message: str, line: int | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.line = line


def decoded(data: bytes, file: str, workflow: str, problems: list[LoadProblem]) -> dict[str, Any]:
    """The object a file holds; what had to be overlooked for that is added to the problems."""
    if file.endswith(".toon"):
        value, fault = _toon(_text(data))
        if fault:
            problems.append(
                LoadProblem(
                    severity=Severity.WARNING,
                    code=LoadCode.PARSE_LENIENT,
                    workflow=workflow,
                    file=file,
                    line=fault.line,
                    message=f"read leniently: {fault.message}",
                )
            )
    else:
        value = _document(data, file)
    if not isinstance(value, dict):
        raise Undecodable("the file holds no object")
    return value


def front_matter(text: str) -> tuple[dict[str, Any], str]:
    """What stands between the dashes at the top of a text, and the text without it."""
    found = _FRONT.match(text)
    if not found:
        return {}, text.strip()
    try:
        head = decode_document(found[1].encode(), name="front matter").value
    except Problem:
        return {}, text.strip()
    return (head, text[found.end() :].strip()) if isinstance(head, dict) else ({}, text.strip())


def _text(data: bytes) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Undecodable(f"not UTF-8 at byte {error.start}") from error


def _toon(text: str) -> tuple[Any, Undecodable | None]:
    """Strictly first. Leniently only where that loses nothing: a list shorter or longer than it says is refused."""
    import toon_format  # noqa: PLC0415 - only where definitions are read

    try:
        return toon_format.decode(text), None
    except toon_format.ToonDecodeError as error:
        fault = _told(error)
        if _LENGTH.search(error.msg):
            raise fault from error
        try:
            return toon_format.decode(text, strict=False), fault
        except toon_format.ToonDecodeError:
            raise fault from error


def _told(error: Any) -> Undecodable:
    length = _LENGTH.search(error.msg)
    if length:
        return Undecodable(f"the list promises {length[1]} items and has {length[2]}", error.line)
    return Undecodable(error.msg[:1].lower() + error.msg[1:], error.line)


def _document(data: bytes, file: str) -> Any:
    if not file.endswith(".json"):
        _refuse_references(data)
    try:
        return decode_document(data, name=file).value
    except Problem as problem:
        if problem.code not in (Code.PARSE_ERROR, Code.OVER_LIMIT, Code.BAD_INPUT, Code.UNSUPPORTED):
            raise
        raise Undecodable(problem.message, _line(problem.where, file)) from problem


def _refuse_references(data: bytes) -> None:
    """No aliases and no tags of one's own: what is read is what is written."""
    import yaml  # noqa: PLC0415 - as above

    try:
        for token in yaml.scan(_text(data), Loader=yaml.CSafeLoader):
            if isinstance(token, yaml.AliasToken | yaml.AnchorToken):
                raise Undecodable("aliases are not read here: write the value out", token.start_mark.line + 1)
            if isinstance(token, yaml.TagToken) and token.value[0] != "!!":
                raise Undecodable("tags of one's own are not read here", token.start_mark.line + 1)
    except yaml.YAMLError:
        return  # what is wrong with it, its decoder says


def _line(where: str | None, file: str) -> int | None:
    line = (where or "").removeprefix(f"{file}:").partition(":")[0]
    return int(line) if line.isdecimal() else None
