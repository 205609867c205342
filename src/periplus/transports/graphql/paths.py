"""Selections written as paths, `"id, owner.email"` or `"id owner { email }"`, typed against the schema (S-84b)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, TypeAlias

from graphql import GraphQLField, GraphQLInterfaceType, GraphQLObjectType, GraphQLUnionType, is_required_argument

from periplus.selections.picks import TYPENAME, Tree
from periplus.selections.shapes import Composite, Fielded, is_many, named
from periplus.transports.graphql.graph import Graph
from periplus.transports.graphql.refusing import near, refused

Wish: TypeAlias = "dict[str, Wish]"
_TOKEN = re.compile(r"\s*(?:([{},])|([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*))", re.ASCII)
_HERE = ""  # the leaves of what a path ends on
_LONGEST, _DEEPEST = 20_000, 15
_ON = "... on "


def wish_of(texts: Iterable[str], argument: str) -> Wish:
    """What is asked for, as a tree; a path that ends on something asks for its leaves."""
    wish: Wish = {}
    for text in texts:
        _Reader(text, argument).into(wish)
    if not wish:
        raise refused(argument, "it names no field", 'write "id, owner.email"')
    return wish


class _Reader:
    """One text, taken apart from left to right."""

    def __init__(self, text: str, argument: str) -> None:
        if len(text) > _LONGEST:
            raise refused(argument, f"it has {len(text):,} characters; {_LONGEST:,} is the most")
        self._text = text
        self._argument = argument

    def into(self, wish: Wish) -> None:
        """Add what the text asks for."""
        around = [wish]
        last: Wish | None = None
        at = 0
        text = self._text.rstrip()
        while at < len(text):
            found = _TOKEN.match(text, at)
            if found is None:
                raise self._unreadable(text[at : at + 20].strip())
            at = found.end()
            mark, path = found.groups()
            if path:
                last = self._added(around[-1], path, ends=not text[at:].lstrip().startswith("{"))
            elif mark == "{":
                around.append(self._opened(last, len(around)))
            elif mark == "}":
                around.pop()
                if not around:
                    raise refused(self._argument, "a '}' has no '{'")
            last = last if path else None
        if len(around) > 1:
            raise refused(self._argument, "a '{' is not closed")

    def _added(self, wish: Wish, path: str, *, ends: bool) -> Wish:
        steps = path.split(".")
        if len(steps) > _DEEPEST:
            raise refused(self._argument, f"a path has {len(steps)} steps; {_DEEPEST} is the most")
        for step in steps:
            wish = wish.setdefault(step, {})
        if ends:
            wish[_HERE] = {}
        return wish

    def _opened(self, last: Wish | None, depth: int) -> Wish:
        if last is None:
            raise refused(self._argument, "a '{' follows no field")
        if depth >= _DEEPEST:
            raise refused(self._argument, f"it nests deeper than {_DEEPEST}")
        return last

    def _unreadable(self, piece: str) -> Exception:
        return refused(
            self._argument,
            f"{piece!r} cannot be read",
            'paths are names with dots: "id, owner.email"',
            "arguments, aliases and fragments take GraphQL text: { flag(size: 2) }",
        )


class Typing:
    """Gives wishes their types: unknown fields are refused, members of unions find their fragment."""

    def __init__(self, graph: Graph, argument: str) -> None:
        self._graph = graph
        self._argument = argument

    def tree(self, on: Composite, wish: Wish, *, many: bool = False) -> Tree:
        """What to select on a type."""
        tree: Tree = {TYPENAME: {}} if isinstance(on, GraphQLUnionType | GraphQLInterfaceType) else {}
        for step, inner in wish.items():
            if step == _HERE:
                _merge(tree, self._leaves(on, many=many))
            else:
                _merge(tree, self._step(on, step, inner))
        return tree

    def _leaves(self, on: Composite, *, many: bool) -> Tree:
        """The leaves of an object; of what has none, or only frames something, the usual selection."""
        shapes = self._graph.shapes
        if isinstance(on, GraphQLObjectType) and shapes.items_of(on) is None and (leaves := shapes.of(on).leaves):
            return {leaf: {} for leaf in leaves}
        return self._graph.selections.tree(on, many=many)

    def _step(self, on: Composite, step: str, inner: Wish) -> Tree:
        if step == TYPENAME:
            return {TYPENAME: {}}
        field = on.fields.get(step) if isinstance(on, Fielded) else None
        if field is not None:
            return {step: self._below(f"{on.name}.{step}", field, inner)}
        if step == on.name and inner.keys() - {_HERE}:
            return self.tree(on, inner)
        members = self._members(on)
        if step in members:
            return {f"{_ON}{step}": self.tree(members[step], inner)}
        holders = [member for member in members.values() if step in member.fields]
        if not holders:
            raise self._unknown(on, step, members)
        return {f"{_ON}{member.name}": self._step(member, step, inner) for member in holders}

    def _below(self, place: str, field: GraphQLField, inner: Wish) -> Tree:
        if needed := [name for name, each in field.args.items() if is_required_argument(each)]:
            text = f"{{ {place.rpartition('.')[2]}({needed[0]}: ...) }}"
            raise refused(self._argument, f"{place} needs {', '.join(needed)}", f"give it in GraphQL text: {text}")
        target = named(field.type)
        if isinstance(target, Composite):
            return self.tree(target, inner, many=is_many(field.type))
        if beyond := inner.keys() - {_HERE}:
            raise refused(self._argument, f"{place} is {field.type}, which has no field {min(beyond)!r}")
        return {}

    def _members(self, on: Composite) -> dict[str, GraphQLObjectType]:
        if isinstance(on, GraphQLObjectType):
            return {}
        return {member.name: member for member in self._graph.schema.get_possible_types(on)}

    def _unknown(self, on: Composite, step: str, members: dict[str, Any]) -> Exception:
        items = self._graph.shapes.items_of(on)
        if items is not None and isinstance(items.type, Fielded) and step in items.type.fields:
            steps = ".".join((*items.steps, step))
            return refused(self._argument, f"{on.name} has no field {step!r}, its items have", f"write {steps!r}")
        fields = list(on.fields) if isinstance(on, Fielded) else []
        inside = [name for member in members.values() for name in member.fields]
        known = list(dict.fromkeys((*fields, *inside, *members)))
        return refused(self._argument, f"{on.name} has no field {step!r}", *near(step, known))


def _merge(tree: Tree, more: Tree) -> None:
    for step, inner in more.items():
        _merge(tree.setdefault(step, {}), inner)
