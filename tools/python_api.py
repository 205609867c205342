"""The Python API as a reference page: every verb of the gateway, and the values that verbs give."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator
from enum import Enum
from typing import Any

import msgspec

import periplus
from periplus.core.browse import Listing
from periplus.core.gateway import Gateway
from periplus.core.searching import Results
from periplus.model import (
    LOCAL,
    Approval,
    Each,
    Finding,
    Hit,
    LoadCounts,
    LoadReport,
    Node,
    NodeHit,
    Outcome,
    Ran,
    Result,
    Retry,
    SourceRecord,
    Step,
    Together,
    Tool,
    ToolLine,
    Why,
)
from tools.written import comments

INTRO = """\
Open a gateway, and the verbs are its methods: [find a tool](../guides/find.md#in-python), [connect your
APIs](../guides/connect.md#in-python). Those marked `async` are awaited. What goes wrong is a
[`Problem`](../concepts/problems.md).
"""
_VALUES = (
    LoadReport, LoadCounts, Finding, SourceRecord, Listing, Node, ToolLine, Tool, Results, Hit, Why, NodeHit, Result,
    Approval, Step, Each, Retry, Together, Ran, Outcome,
)  # fmt: skip
_MODULES = re.compile(r"\b(?:[a-z_]\w*\.)+(?=[A-Z])")
_NUMBERS = re.compile(r"\s*\([A-Z]-\d+[^)]*\)")
_WIDTH = 110


def sections() -> Iterator[str]:
    """The parts of the page."""
    yield "## periplus.open\n"
    yield _verb("periplus.open", inspect.unwrap(periplus.open))
    for kind in Gateway.__mro__:
        verbs = [(name, verb) for name, verb in vars(kind).items() if not name.startswith("_") and callable(verb)]
        if verbs:
            yield f"## {_title(kind)}\n"
            yield f"{_said(kind)}\n"
            yield from (_verb(name, verb) for name, verb in verbs)
    yield "## Values\n"
    for value in _VALUES:
        yield f"### {value.__name__}\n"
        yield _said(value) + "\n"
        yield _members(value)


def _verb(name: str, verb: Callable[..., Any]) -> str:
    return f"```text\n{_signature(name, verb)}\n```\n\n{_said(verb)}\n"


def _signature(name: str, verb: Callable[..., Any]) -> str:
    signature = inspect.signature(verb)
    pieces = [_parameter(one) for one in signature.parameters.values() if one.name != "self"]
    first_named = next((i for i, one in enumerate(signature.parameters.values()) if one.kind is one.KEYWORD_ONLY), None)
    if first_named is not None:
        pieces.insert(first_named - ("self" in signature.parameters), "*")
    gives = _plain(signature.return_annotation)
    start = f"{'async ' if inspect.iscoroutinefunction(verb) else ''}{name}"
    line = f"{start}({', '.join(pieces)}) -> {gives}"
    if len(line) <= _WIDTH:
        return line
    return f"{start}(\n    " + ",\n    ".join(pieces) + f",\n) -> {gives}"


def _parameter(one: inspect.Parameter) -> str:
    text = f"{one.name}: {_plain(one.annotation)}"
    if one.default is one.empty:
        return text
    return f"{text} = {_default(one.default)}"


def _default(value: Any) -> str:
    if isinstance(value, Enum):
        return f"{type(value).__name__}.{value.name}"
    return "LOCAL" if value is LOCAL else getattr(value, "__name__", None) or repr(value)


def _plain(annotation: Any) -> str:
    text = annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)
    return _MODULES.sub("", text)


def _members(value: type[msgspec.Struct]) -> str:
    """The members of a value, each with what the comment beside it says."""
    said = comments(value)
    hints: dict[str, Any] = {}
    for kind in reversed(value.__mro__):
        hints |= vars(kind).get("__annotations__", {})
    lines = [(f"{name}: {_plain(hints[name])}", said.get(name, "")) for name in value.__struct_fields__]
    room = max(len(line) for line, _ in lines)
    return "```text\n" + "\n".join(f"{line:{room}}  {means}".rstrip() for line, means in lines) + "\n```\n"


def _said(thing: Any) -> str:
    """A docstring as prose, without the numbers of requirements."""
    return _NUMBERS.sub("", inspect.getdoc(thing) or "")


def _title(kind: type) -> str:
    """`ConnectVerbs` as "Connect"."""
    return kind.__name__.removesuffix("Verbs")
