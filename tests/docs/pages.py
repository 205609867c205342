"""The pages a reader meets, and what stands in their fences."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGES = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")
_FENCE = re.compile(r"^(?P<marks>`{3,})(?P<words>[^`\n]*)\n(?P<text>.*?)^(?P=marks)[ ]*$", re.MULTILINE | re.DOTALL)
_TITLE = re.compile(r'title="([^"]+)"')


@dataclass(frozen=True)
class Block:
    """One fence: where it stands, its language, and the file it is to be saved as, if any."""

    page: str
    line: int
    language: str
    title: str
    text: str

    @property
    def where(self) -> str:
        return f"{self.page}:{self.line}"


def pages() -> list[str]:
    """Every page, as a path from the root."""
    return [*PAGES, *sorted(str(path.relative_to(ROOT)) for path in (ROOT / "docs").rglob("*.md"))]


def text_of(page: str) -> str:
    return (ROOT / page).read_text("utf-8")


def blocks(page: str) -> Iterator[Block]:
    """The fences of a page, in the order in which they are read."""
    text = text_of(page)
    for found in _FENCE.finditer(text):
        language, _, rest = found["words"].strip().partition(" ")
        title = _TITLE.search(rest)
        line = text.count("\n", 0, found.start()) + 1
        yield Block(page, line, language, title[1] if title else "", found["text"])


def commands(block: Block) -> Iterator[tuple[str, str]]:
    """The commands of a console block, each with the output shown below it."""
    command, shown = "", list[str]()
    for line in block.text.splitlines():
        if line.startswith("$ "):
            if command:
                yield command, "\n".join(shown).strip("\n")
            command, shown = line[2:], []
        else:
            shown.append(line)
    if not command:
        raise AssertionError(f"{block.where}: a console block begins with `$ `")
    yield command, "\n".join(shown).strip("\n")


def prose(page: str) -> str:
    """A page without its fences and code spans."""
    return re.sub(r"`[^`\n]*`", "", _FENCE.sub("", text_of(page)))


def anchors(page: str) -> set[str]:
    """The anchors of a page's headings, as GitHub and the site make them."""
    headings = re.findall(r"^#+ (.+)$", _FENCE.sub("", text_of(page)), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}
