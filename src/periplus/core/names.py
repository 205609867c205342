"""From what somebody wrote to the one tool it means: exact, then normalised, then refused with candidates."""

from __future__ import annotations

from collections.abc import Sequence

from periplus.core.words import words
from periplus.model import Code, Problem, Scope, Selector, Tool, ToolRef, fold
from periplus.ports import Store

_CANDIDATES = 8
_NEAR = 5


async def find(store: Store, text: str, scope: Scope) -> Tool:
    """The tool a spelling names. Never guessed: two candidates are a question back to the caller."""
    if (tool := await sought(store, text, scope)) is not None:
        return tool
    raise await missing(store, text.strip(), scope)


async def sought(store: Store, text: str, scope: Scope) -> Tool | None:
    """The same; None where nobody has that name, without a look for near ones."""
    wanted = text.strip()
    if (ref := _as_ref(wanted)) and (tool := await store.tool(ref, scope)):
        return tool
    candidates = await _candidates(store, wanted, scope)
    exact = [ref for ref, spellings in candidates if wanted in spellings]
    refs = exact or [ref for ref, _ in candidates]
    if len(refs) == 1 and (tool := await store.tool(refs[0], scope)):
        return tool
    if refs:
        shown = tuple(str(ref) for ref in sorted(refs)[:_CANDIDATES])
        raise Problem(Code.AMBIGUOUS_NAME, f"{wanted!r} names {len(refs)} tools; use one of these names", hints=shown)
    return None


async def exact(store: Store, text: str, scope: Scope) -> Tool | None:
    """The tool with exactly this ref."""
    ref = _as_ref(text)
    return await store.tool(ref, scope) if ref else None


async def missing(store: Store, text: str, scope: Scope) -> Problem:
    """The refusal for a name nobody has, with visible near names; a hidden tool answers exactly like this."""
    near = await nearby(store, text, scope, _NEAR)
    return Problem(
        Code.TOOL_NOT_FOUND,
        f"no tool is called {text[:120]!r}",
        hints=tuple(str(ref) for ref in near) or ("browse or search to see what there is",),
        next_action={"op": "search", "args": {"goal": " ".join(words(text)) or text[:120]}},
    )


async def nearby(store: Store, text: str, scope: Scope, limit: int) -> Sequence[ToolRef]:
    """Visible tools whose names share words with a text, nearest first."""
    return await store.near(words(text)[:8], scope, limit)


async def _candidates(store: Store, text: str, scope: Scope) -> Sequence[tuple[ToolRef, tuple[str, ...]]]:
    """Tools whose name or alias has this normal form, with or without the source's name in front."""
    folded = fold(text)
    if not folded:
        return ()
    found = dict(await store.resolve(folded, scope, _CANDIDATES + 1))
    for record in await store.sources():
        rest = folded.removeprefix(fold(record.id))
        if rest and rest != folded:
            inside = await store.resolve(rest, within(scope, record.id), _CANDIDATES + 1)
            found.update((ref, (*spellings, *_qualified(ref, spellings))) for ref, spellings in inside)
    return list(found.items())


def _qualified(ref: ToolRef, spellings: tuple[str, ...]) -> tuple[str, ...]:
    """The same names with the source in front, in the forms faces print."""
    return (str(ref), *(f"{ref.source}{mark}{name}" for name in spellings for mark in (":", "/", ".", "__")))


def within(scope: Scope, source: str) -> Scope:
    """The scope narrowed to one source."""
    if scope.is_everything:
        return Scope(allow=(Selector(node=source),))
    narrowed = tuple(
        Selector(ref=selector.ref, tag=selector.tag, effects=selector.effects, node=selector.node or source)
        for selector in scope.allow
        if selector.node is None or selector.node == source or selector.node.startswith(f"{source}/")
    )
    return Scope(allow=narrowed, deny=scope.deny)


def _as_ref(text: str) -> ToolRef | None:
    try:
        return ToolRef.parse(text)
    except Problem:
        return None
