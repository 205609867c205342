"""The automatic selection: what a call asks for when its caller says nothing (S-84a). Pure, and valid by making.

Candidates are leaves with the path that leads to them and a rank. The best forty stay, in the order they were
found, and become a tree; a tree without a leaf cannot arise, because only leaves are chosen.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec
from graphql import (
    GraphQLInterfaceType,
    GraphQLObjectType,
    GraphQLOutputType,
    GraphQLSchema,
    GraphQLUnionType,
)

from periplus.selections.picks import TYPENAME, Selection, Tree, grow
from periplus.selections.shapes import Composite, Fielded, Shapes, is_faults, is_many, named

LEAVES_MAX = 40
TYPES_MAX = 10
_VALUE_LEAVES_MAX = 6

# Lower is kept first when there are more leaves than the budget.
_FRAME, _OWN_IDENTITY, _FAULTS, _OWN, _NESTED_IDENTITY, _NESTED, _COUNTS = range(7)

Path = tuple[str, ...]
_Abstract = GraphQLInterfaceType | GraphQLUnionType


class _Leaf(msgspec.Struct, frozen=True):
    """A leaf that could be selected: what it is worth, its place among its like, how it is reached."""

    tier: int
    turn: int
    path: Path


class Selections:
    """The automatic selections of one schema, each return type's made once."""

    def __init__(self, schema: GraphQLSchema, shapes: Shapes | None = None) -> None:
        self._schema = schema
        self._walk = _Walk(schema, shapes or Shapes())
        self._made: dict[tuple[str, bool], Selection] = {}

    def of(self, type_: GraphQLOutputType) -> Selection | None:
        """What to select on a field of this type; None when it is a leaf and has no selection."""
        target = named(type_)
        if not isinstance(target, Composite):
            return None
        key = (target.name, is_many(type_))
        if key not in self._made:
            self._made[key] = self._automatic(target, many=key[1])
        return self._made[key]

    def bare(self, type_: GraphQLOutputType) -> Selection | None:
        """What to select on a namespace, whose fields are tools of their own: nothing but its type."""
        target = named(type_)
        return grow(self._schema, target, {TYPENAME: {}}) if isinstance(target, Composite) else None

    def _automatic(self, target: Composite, *, many: bool) -> Selection:
        return grow(self._schema, target, self.tree(target, many=many))

    def tree(self, target: Composite, *, many: bool) -> Tree:
        """What to select on one type; `many` keeps lists of unions to what tells their members apart."""
        found = list(self._walk.whole(target, (), (target.name, *self._walk.roots), many=many))
        ranked = sorted(range(len(found)), key=lambda at: (found[at].tier, found[at].turn, at))
        tree: Tree = {}
        for at in sorted(ranked[:LEAVES_MAX]):
            branch = tree
            for step in found[at].path:
                branch = branch.setdefault(step, {})
        return tree or {TYPENAME: {}}


class _Walk:
    """All leaves worth a thought below one type. `above` are the types that may not come again."""

    def __init__(self, schema: GraphQLSchema, shapes: Shapes) -> None:
        self._schema = schema
        self._shapes = shapes
        self.roots = tuple(root.name for root in (schema.query_type, schema.mutation_type) if root is not None)

    def whole(self, type_: Composite, at: Path, above: Path, *, many: bool) -> Iterator[_Leaf]:
        """A type at the first level: all its leaves, and the objects in it in short."""
        items = self._shapes.items_of(type_)
        if items is not None and items.type.name not in above:
            yield from self.whole(items.type, (*at, *items.steps), (*above, items.type.name), many=True)
            yield from self._frame(type_, at)
            return
        if isinstance(type_, _Abstract):
            yield _Leaf(_FRAME, 0, (*at, TYPENAME))
        if isinstance(type_, Fielded):
            yield from self._fields(type_, at, above)
        if isinstance(type_, _Abstract):
            yield from self._members(type_, at, above, many=many)

    def _frame(self, type_: Composite, at: Path) -> Iterator[_Leaf]:
        """What pages a connection."""
        if not isinstance(type_, Fielded):
            return
        shape = self._shapes.of(type_)
        _, page = shape.objects.get("pageInfo", (None, None))
        known = self._shapes.of(page).leaves if isinstance(page, Fielded) else ()
        for name in ("hasNextPage", "endCursor"):
            if name in known:
                yield _Leaf(_FRAME, 1, (*at, "pageInfo", name))
        if "totalCount" in shape.leaves:
            yield _Leaf(_FRAME, 2, (*at, "totalCount"))

    def _fields(self, type_: Fielded, at: Path, above: Path, *, but: Sequence[str] = ()) -> Iterator[_Leaf]:
        if type_.name in self.roots:
            return  # a way back to the root, not a thing with parts: its fields are tools of their own
        shape = self._shapes.of(type_)
        for turn, name in enumerate(name for name in shape.leaves if name not in but):
            yield _Leaf(_OWN_IDENTITY if name in shape.identity else _OWN, turn, (*at, name))
        for name, (_, inner) in shape.objects.items():
            if name not in but:
                yield from self._nested(name, inner, at, above, in_short=shape.has_id)

    def _nested(self, name: str, inner: Composite, at: Path, above: Path, *, in_short: bool) -> Iterator[_Leaf]:
        """An object in an object: in short inside an entity, whole inside what only wraps it."""
        here = (*at, name)
        node = self._shapes.node_of(inner)
        if inner.name in above:
            return
        if node is not None:
            yield from self._nested("node", node, here, (*above, inner.name), in_short=in_short)
        elif self._shapes.items_of(inner) is not None:
            if isinstance(inner, Fielded) and "totalCount" in self._shapes.of(inner).leaves:
                yield _Leaf(_COUNTS, 0, (*here, "totalCount"))
        elif is_faults(name) and isinstance(inner, Fielded):
            yield from self._listed(inner, here, _FAULTS, self._shapes.of(inner).leaves[:_VALUE_LEAVES_MAX])
        elif in_short or isinstance(inner, GraphQLUnionType):
            yield from self._short(inner, here, above, _FAULTS if is_faults(name) else _NESTED_IDENTITY)
        else:
            shape = self._shapes.of(inner)
            yield from self._listed(inner, here, _NESTED_IDENTITY, shape.identity)
            rest = shape.leaves[len(shape.identity) :]
            yield from (_Leaf(_NESTED, turn, (*here, leaf)) for turn, leaf in enumerate(rest))

    def _short(self, type_: Composite, at: Path, above: Path, tier: int) -> Iterator[_Leaf]:
        """What tells an object from its like; a value without identity is shown whole, up to six leaves."""
        found = self._brief(type_) if isinstance(type_, Fielded) else ()
        yield from self._listed(type_, at, tier, found)
        if isinstance(type_, _Abstract) and not found:
            yield from self._briefly(type_, at, above, tier)

    def _listed(self, type_: Composite, at: Path, tier: int, leaves: Sequence[str]) -> Iterator[_Leaf]:
        if isinstance(type_, _Abstract):
            yield _Leaf(tier, 0, (*at, TYPENAME))
        yield from (_Leaf(tier, turn, (*at, leaf)) for turn, leaf in enumerate(leaves))

    def _members(self, type_: _Abstract, at: Path, above: Path, *, many: bool) -> Iterator[_Leaf]:
        """The possible types: whole when there is one answer, in short in a list of them."""
        if many:
            yield from self._briefly(type_, at, above, _NESTED_IDENTITY)
            return
        for member in self._possible(type_, above):
            here = (*at, f"... on {member.name}")
            yield from self._fields(member, here, (*above, member.name), but=_shared(type_))

    def _briefly(self, type_: _Abstract, at: Path, above: Path, tier: int) -> Iterator[_Leaf]:
        for member in self._possible(type_, above):
            here, found = (*at, f"... on {member.name}"), self._brief(member)
            own = [leaf for leaf in found if leaf not in _shared(type_)]
            yield from (_Leaf(tier, turn, (*here, leaf)) for turn, leaf in enumerate(own))
            if not found:
                yield from self._carried(member, here, (*above, member.name), tier, but=_shared(type_))

    def _carried(
        self, member: GraphQLObjectType, at: Path, above: Path, tier: int, *, but: Sequence[str]
    ) -> Iterator[_Leaf]:
        """What a member without leaves of its own is there for: `OrderSuccess { order { id } }`."""
        for name, (_, inner) in self._shapes.of(member).objects.items():
            if isinstance(inner, Fielded) and inner.name not in above and name not in but:
                yield from self._listed(inner, (*at, name), tier, self._brief(inner))

    def _possible(self, type_: _Abstract, above: Path) -> list[GraphQLObjectType]:
        return [item for item in self._schema.get_possible_types(type_) if item.name not in above][:TYPES_MAX]

    def _brief(self, type_: Fielded) -> tuple[str, ...]:
        shape = self._shapes.of(type_)
        return shape.identity if shape.has_id else shape.leaves[:_VALUE_LEAVES_MAX]


def _shared(type_: _Abstract) -> Sequence[str]:
    """What an interface selects for all its members already."""
    return tuple(type_.fields) if isinstance(type_, GraphQLInterfaceType) else ()
