"""A definition as a graph: activities in layers, the ways between them, and where a session stands in it."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

import msgspec

from periplus.core.workflows.definition import Definition
from periplus.core.workflows.facts import Facts
from periplus.core.workflows.record import Record
from periplus.core.workflows.transitions import Entry, entries_of, may_end

END = "__terminal__"


class State(StrEnum):
    """How an activity stands in a session."""

    AHEAD = "ahead"
    HERE = "here"
    VISITED = "visited"
    SKIPPED = "skipped"
    BROKEN = "broken"


class Node(msgspec.Struct, frozen=True, kw_only=True):
    """An activity, or the end."""

    id: str
    name: str
    layer: int
    place: int  # in its layer, from the left
    steps: int = 0
    checkpoints: int = 0
    pending: int = 0
    state: State = State.AHEAD

    def counts(self) -> list[str]:
        """What it holds, in words."""
        held = ((self.steps, "step"), (self.checkpoints, "checkpoint"))
        told = [f"{count} {what}{'s' if count > 1 else ''}" for count, what in held if count]
        return told + ([f"{self.pending} open"] if self.pending else [])


class Edge(msgspec.Struct, frozen=True, kw_only=True):
    """A way from one activity to another."""

    start: str
    end: str
    text: str  # what has to hold; empty: nothing
    is_default: bool = False
    is_back: bool = False  # it leads to where somebody may have been


class Graph(msgspec.Struct, frozen=True, kw_only=True):
    """A definition, drawn from its first activity on."""

    id: str
    version: str
    title: str
    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]

    def layers(self) -> list[list[Node]]:
        """Its nodes from the top, each layer from the left."""
        depth = max((node.layer for node in self.nodes), default=-1) + 1
        return [[node for node in self.nodes if node.layer == layer] for layer in range(depth)]


def graph_of(definition: Definition, terminal: Sequence[str], record: Record | None = None) -> Graph:
    """The graph of a definition; with a record, how a session stands in it."""
    ways = _ways(definition, terminal)
    names = [*definition.activities, *([END] if any(entry.to == END for _, entry in ways) else [])]
    order = _order(names, definition, ways)
    layers = _layers(order, ways)
    edges = tuple(
        Edge(
            start=start,
            end=entry.to,
            text=entry.text or (f"mode {entry.mode}" if entry.mode else ""),
            is_default=entry.is_default,
            is_back=order.index(entry.to) <= order.index(start),
        )
        for start, entry in ways
    )
    skipped = Facts(definition, record).skipped() if record else ()
    places: dict[int, int] = {}
    nodes: list[Node] = []
    for name in order:
        layer = layers[name]
        places[layer] = places.get(layer, -1) + 1
        nodes.append(_node(definition, name, (layer, places[layer]), record, skipped))
    return Graph(id=definition.id, version=definition.version, title=definition.title, nodes=tuple(nodes), edges=edges)


def _ways(definition: Definition, terminal: Sequence[str]) -> list[tuple[str, Entry]]:
    """Every way between activities that are there; all names of the end are one."""
    found: list[tuple[str, Entry]] = []
    for activity in definition.valid():
        entries = entries_of(activity, definition.modes())
        for entry in entries:
            if entry.to in definition.activities:
                found.append((activity.id, entry))
            elif entry.to in terminal:
                found.append((activity.id, msgspec.structs.replace(entry, to=END)))
        if may_end(activity):
            found.append((activity.id, Entry(to=END)))
    return found


def _order(names: Sequence[str], definition: Definition, ways: Sequence[tuple[str, Entry]]) -> list[str]:
    """Activities in the order in which a walk along the ways finishes them, last first: back edges lead up."""
    initial = definition.workflow.initial_activity if definition.workflow else ""
    roots = ([initial] if initial in names else []) + [name for name in names if name != initial]
    following = {name: [entry.to for start, entry in ways if start == name] for name in names}
    done: list[str] = []
    seen: set[str] = set()
    for root in roots:
        if root in seen:
            continue
        seen.add(root)
        stack = [(root, iter(following[root]))]
        while stack:
            name, rest = stack[-1]
            step = next((one for one in rest if one not in seen), None)
            if step is None:
                stack.pop()
                done.append(name)
            else:
                seen.add(step)
                stack.append((step, iter(following[step])))
    return _by_definition(done[::-1], roots, ways)


def _by_definition(order: list[str], roots: Sequence[str], ways: Sequence[tuple[str, Entry]]) -> list[str]:
    """What no way reaches comes where the definition has it, and not before the first activity."""
    reached = {roots[0], *(entry.to for _, entry in ways)}
    loose = [name for name in roots if name not in reached]
    return [name for name in order if name not in loose] + loose


def _layers(order: Sequence[str], ways: Sequence[tuple[str, Entry]]) -> dict[str, int]:
    """How far each lies below the first, by the longest way that does not lead back."""
    layers = dict.fromkeys(order, 0)
    for name in order:
        for start, entry in ways:
            if start == name and order.index(entry.to) > order.index(name):
                layers[entry.to] = max(layers[entry.to], layers[name] + 1)
    return layers


def _node(
    definition: Definition, name: str, at: tuple[int, int], record: Record | None, skipped: Sequence[str]
) -> Node:
    loaded = definition.activities.get(name)
    activity = loaded.part if loaded else None
    here = record is not None and record.act == name
    return Node(
        id=name,
        name=activity.name if activity else ("The end" if name == END else name),
        layer=at[0],
        place=at[1],
        steps=len(activity.steps) if activity else 0,
        checkpoints=len(activity.checkpoints) if activity else 0,
        pending=len(record.pending) if record and here else 0,
        state=State.BROKEN if loaded and activity is None else _state(name, record, skipped),
    )


def _state(name: str, record: Record | None, skipped: Sequence[str]) -> State:
    if record is None:
        return State.AHEAD
    if record.act == name:
        return State.HERE
    if any(visit.activity == name for visit in record.visits):
        return State.VISITED
    return State.SKIPPED if name in skipped else State.AHEAD
