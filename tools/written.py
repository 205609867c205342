"""What reference pages are made with: the comments beside members, and tables."""

from __future__ import annotations

import io
import tokenize
from inspect import getsource
from textwrap import dedent


def comments(kind: type) -> dict[str, str]:
    """Member -> the comment that stands beside it in the class."""
    lines: dict[str, str] = {}
    name, depth = "", 0
    for token in tokenize.generate_tokens(io.StringIO(dedent(getsource(kind))).readline):
        if token.type == tokenize.INDENT:
            depth += 1
        elif token.type == tokenize.DEDENT:
            depth -= 1
        elif token.type == tokenize.NAME and depth == 1 and not name:
            name = token.string
        elif token.type == tokenize.COMMENT and depth == 1 and name:
            lines[name] = token.string.removeprefix("#").strip()
        elif token.type == tokenize.NEWLINE:
            name = ""
    return {name: _without_noqa(text) for name, text in lines.items()}


def _without_noqa(text: str) -> str:
    return text.partition(" - ")[2] if text.startswith("noqa") else text


def table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    """Rows as a table of Markdown."""
    lines = [head, tuple("---" for _ in head), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines) + "\n"
