"""What a principal may see, as a value that a query can apply."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Protocol

import msgspec

from periplus.model.tool import Effect


class Visible(Protocol):
    """What a scope looks at; a `Tool` is one."""

    @property
    def source(self) -> str: ...
    @property
    def path(self) -> str: ...
    @property
    def tags(self) -> tuple[str, ...]: ...
    @property
    def paths(self) -> tuple[str, ...]: ...
    @property
    def effect(self) -> Effect: ...
    @property
    def hidden(self) -> bool: ...


class Selector(msgspec.Struct, frozen=True, kw_only=True):
    """Some tools: all conditions hold together. `*` is any text, `/` included; `?` is one character."""

    ref: str = "*"
    tag: str | None = None
    node: str | None = None  # "source/area": the node and everything below it, over every path of a tool
    effects: frozenset[Effect] | None = None

    @property
    def names_one(self) -> bool:
        """A selector without wildcard names its tool, and so reaches it even when it is hidden."""
        return "*" not in self.ref and "?" not in self.ref

    def admits(self, tool: Visible) -> bool:
        ref = f"{tool.source}/{tool.path}"
        return (
            glob_matches(self.ref, ref)
            and (self.effects is None or tool.effect in self.effects)
            and (self.tag is None or any(glob_matches(self.tag, tag) for tag in tool.tags))
            and (self.node is None or any(_below(self.node, tool.source, path) for path in tool.paths))
        )


def _below(node: str, source: str, path: str) -> bool:
    place = f"{source}/{path}" if path else source
    return glob_matches(node, place) or glob_matches(f"{node}/*", place)


EVERYTHING = (Selector(),)


class Scope(msgspec.Struct, frozen=True, kw_only=True):
    """Allowed and not denied. Stores and engines apply it inside their query; this is the reference form."""

    allow: tuple[Selector, ...] = EVERYTHING
    deny: tuple[Selector, ...] = ()

    @property
    def is_everything(self) -> bool:
        return self.allow == EVERYTHING and not self.deny

    def admits(self, tool: Visible) -> bool:
        allowed = any(selector.admits(tool) and (not tool.hidden or selector.names_one) for selector in self.allow)
        return allowed and not any(selector.admits(tool) for selector in self.deny)


def glob_matches(glob: str, text: str) -> bool:
    """Whether a text is what a glob means. Pieces between stars are found leftmost, so no glob can stall it."""
    if glob in ("*", text):
        return True
    pieces = _pieces(glob)
    if len(pieces) == 1:
        return pieces[0].fullmatch(text) is not None
    first, *middle, last = pieces
    start = first.match(text)
    if start is None:
        return False
    place = start.end()
    for piece in middle:
        found = piece.search(text, place)
        if found is None:
            return False
        place = found.end()
    size = glob.count("?", glob.rindex("*")) + len(glob[glob.rindex("*") + 1 :].replace("?", ""))
    return len(text) - size >= place and last.fullmatch(text, len(text) - size) is not None


@lru_cache(maxsize=4096)
def _pieces(glob: str) -> tuple[re.Pattern[str], ...]:
    """What stands between the stars, as patterns of a fixed length."""
    return tuple(
        re.compile("".join("." if char == "?" else re.escape(char) for char in piece), re.DOTALL)
        for piece in re.sub(r"\*+", "*", glob).split("*")
    )
