"""The tree of one source: every area and its ancestors, counted, each with a sentence (S-25, S-27, E-8)."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType

from periplus.core.intake.texts import clean, first_sentence
from periplus.core.words import words
from periplus.model import OWN_TREE, Node, NodeDraft, area_path

_VERBS = frozenset(
    {
        "get", "list", "create", "update", "delete", "add", "remove", "set", "put", "post", "patch", "find", "search",
        "count", "describe", "read", "write", "fetch", "replace", "check", "query", "head", "options", "trace", "send",
        "start", "stop", "run", "is", "has", "do", "make", "by", "for", "the", "of", "an", "to", "in", "on", "with",
    }
)  # fmt: skip
_NAMED = 4
_AS_TOLD: Mapping[str, str] = MappingProxyType({})
_ROLLED_UP = re.compile(r"\d+ tools?(?::.*)?")


def nouns_of(leaf: str) -> Iterator[str]:
    """The words of a tool's name that say what it is about."""
    return (word for word in words(leaf) if len(word) > 1 and word not in _VERBS)


def verb_of(leaf: str) -> str:
    """The first word of a tool's name that says what it does."""
    return next((word for word in words(leaf) if word in _VERBS), "")


def is_rolled_up(summary: str) -> bool:
    """Whether a node's sentence was made from what is below it, and so counts it."""
    return _ROLLED_UP.fullmatch(summary) is not None


def ancestors(path: str) -> list[str]:
    """The path itself and everything above it, below the source's root."""
    pieces = path.split("/") if path else []
    return ["/".join(pieces[:end]) for end in range(1, len(pieces) + 1)]


def tree(
    places: Iterable[tuple[tuple[str, ...], str]],
    drafts: Sequence[NodeDraft],
    shared: Sequence[Node] = (),
    called: Mapping[str, str] = _AS_TOLD,
) -> list[Node]:
    """Nodes with tools below them, from (paths, leaf) of every visible tool and what the source says of areas.

    Of nodes that several sources share only what is told is known here, not what stands in them. `called`: areas that
    are called otherwise than their source does.
    """
    counts: Counter[str] = Counter()
    leaves: defaultdict[str, list[str]] = defaultdict(list)
    standing: Counter[tuple[str, ...]] = Counter()  # places are few, however many tools stand there
    for paths, leaf in places:
        standing[paths] += 1
        for number, path in enumerate(paths):
            if not number or path.startswith(OWN_TREE):
                leaves[path].append(leaf)
    for paths, tools in standing.items():
        for node in {node for path in paths for node in ancestors(path)}:
            counts[node] += tools
    told: dict[str, NodeDraft] = {}
    for draft in drafts:
        path = area_path(draft.path)
        told.setdefault(called.get(path, path), draft)
    children: defaultdict[str, list[str]] = defaultdict(list)
    for path in sorted(counts):
        children[path.rpartition("/")[0]].append(path)
    common = {above: Node(path=above) for node in shared for above in ancestors(node.path)}
    common |= {node.path: node for node in shared}
    return [
        common.get(path) or _node(path, told.get(path), counts[path], children.get(path, []), leaves.get(path, ()))
        for path in sorted(counts)
    ]


def _node(path: str, told: NodeDraft | None, tools: int, children: list[str], leaves: Sequence[str]) -> Node:
    summary = ""
    if told is not None:
        summary = first_sentence(clean(told.summary)) or first_sentence(clean(told.description))
    title = clean(told.title or told.path[-1], 200) if told is not None and told.path else ""
    return Node(
        path=path,
        title=title,
        summary=summary or rolled_up(tools, [child.rpartition("/")[2] for child in children], _nouns(leaves)),
        tools=tools,
        areas=len(children),
        place=told.place if told is not None else 0,
    )


def _nouns(leaves: Sequence[str]) -> Counter[str]:
    """What the tools of a node are about, from their names."""
    return Counter(word for leaf in leaves for word in nouns_of(leaf))


def rolled_up(tools: int, children: Sequence[str], nouns: Counter[str]) -> str:
    """A sentence for a node that has none: `12 tools: invoices, payments, refunds`."""
    named = [*children[:_NAMED], *(noun for noun, _ in nouns.most_common(_NAMED) if noun not in children)]
    about = ", ".join(named[:_NAMED])
    return first_sentence(f"{tools} tool{'s' if tools != 1 else ''}" + (f": {about}" if about else ""))
