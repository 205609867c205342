"""What a principal may see, as a value that a query can apply."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Protocol

import msgspec

from periplus.model.node import place_of
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
    tags: tuple[str, ...] = ()  # all of them, in any case of their letters; the word of an effect is one

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
            and (self.node is None or any(_below(self.node, place_of(tool.source, path)) for path in tool.paths))
            and all(is_tagged(tag_forms(tag), (*tool.tags, tool.effect.word)) for tag in self.tags)
        )


def tag_forms(tag: str) -> frozenset[str]:
    """How a tag that is looked for may be written, letters of ASCII in lower case; databases fold no others."""
    return frozenset(form.translate(_LOWER) for form in (tag, tag.casefold(), tag.upper(), tag.title()))


def is_tagged(forms: frozenset[str], tags: Iterable[str]) -> bool:
    """Whether any of these tags is one of the forms of the tag that is looked for."""
    return any(tag.translate(_LOWER) in forms for tag in tags)


def _below(node: str, place: str) -> bool:
    return glob_matches(node, place) or glob_matches(f"{node}/*", place)


_LOWER = {code: code + 32 for code in range(ord("A"), ord("Z") + 1)}
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

    def tagged(self, tags: Iterable[str], *, one_is_enough: bool = False) -> Scope:
        """What of it has all of these tags, or any of them; without tags, all of it."""
        wanted = tuple(tags)
        groups = tuple((tag,) for tag in wanted) if one_is_enough and wanted else (wanted,)
        return Scope(
            allow=tuple(
                msgspec.structs.replace(selector, tags=selector.tags + group)
                for selector in self.allow
                for group in groups
            ),
            deny=self.deny,
        )


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
