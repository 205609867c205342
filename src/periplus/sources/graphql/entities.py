"""Where operations stand: with the entity they return, and with all others of their operation type (S-82)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from graphql import (
    GraphQLNamedType,
    GraphQLSchema,
    GraphQLUnionType,
)

from periplus.model import NodeDraft
from periplus.selections.operations import Operation, split_words
from periplus.selections.shapes import Composite, Fielded, Shapes, is_faults, named

Area = tuple[str, ...]
GENERAL: Area = ("general",)
_WRAPPERS = ("Connection", "Edge", "Payload", "Result", "Response", "OrError")
_VERBS = frozenset(
    {
        "get", "list", "all", "find", "search", "fetch", "query", "lookup", "count", "create", "add", "new", "update",
        "edit", "set", "upsert", "replace", "delete", "remove", "destroy", "bulk", "enable", "disable", "start",
        "stop", "cancel", "accept", "reject", "approve", "mark", "move", "assign", "unassign", "by", "is", "has",
    }
)  # fmt: skip


class Entities:
    """The areas of one schema: every entity that two operations share, and `general` for the rest."""

    def __init__(self, schema: GraphQLSchema, operations: Sequence[Operation], shapes: Shapes) -> None:
        self._schema = schema
        self._shapes = shapes
        self._roots = {root.name for root in (schema.query_type, schema.mutation_type) if root is not None}
        self._things = {name.lower(): name for name, type_ in schema.type_map.items() if _is_thing(type_)}
        names = [self._entity(operation) for operation in operations]
        shared = {name for name, times in Counter(filter(None, names)).items() if times > 1}
        words = {name: split_words(name) for name in shared}
        self._areas = {
            operation.key: (name,) if name in shared else _nearest(operation, name, words)
            for operation, name in zip(operations, names, strict=True)
        }

    def places(self, operation: Operation) -> tuple[Area, ...]:
        """All areas of an operation, its entity's first."""
        whole = (operation.role, *operation.path[:-1])
        return (self._areas[operation.key], whole)

    def nodes(self) -> list[NodeDraft]:
        """Every area with the description of its type."""
        names = dict.fromkeys(area[0] for area in self._areas.values())
        nodes = [
            NodeDraft(path=(name,), description=self._described(name), place=place)
            for place, name in enumerate(names, 1)
        ]
        for role, root in (("Query", self._schema.query_type), ("Mutation", self._schema.mutation_type)):
            if root is not None and root.fields and role not in names:
                verb = "reads" if role == "Query" else "changes"
                nodes.append(NodeDraft(path=(role,), summary=f"Everything that {verb}, by its field's name"))
        return nodes

    def _described(self, name: str) -> str:
        type_ = self._schema.type_map.get(name)
        return (type_.description or "") if type_ is not None else ""

    def _entity(self, operation: Operation) -> str:
        """The name of what the operation is about; empty when its type does not say."""
        type_ = named(operation.field.type)
        if isinstance(type_, Fielded):
            return self._of_object(type_, operation.field_words)
        if isinstance(type_, GraphQLUnionType):
            return self._of_union(type_)
        return self._things.get("".join(word for word in operation.field_words if word not in _VERBS), "")

    def _of_object(self, type_: Fielded, about: Sequence[str]) -> str:
        behind = self._behind(type_)
        if behind is not type_:
            return behind.name
        if self._shapes.of(type_).has_id:
            return type_.name
        return self._carried(type_, about) or _unwrapped(type_.name)

    def _behind(self, type_: Composite) -> Composite:
        """What a connection or an edge is there for; other types are there for themselves."""
        items = self._shapes.items_of(type_)
        return items.type if items is not None else self._shapes.node_of(type_) or type_

    def _carried(self, type_: Fielded, about: Sequence[str]) -> str:
        """The entity in a payload: the one its operation's name is about, else the first."""
        found = dict.fromkeys(self._inside(type_, unions=True))
        spoken = "".join(about)
        spoken_of = [name for name in found if name.lower() in spoken]
        return max(spoken_of, key=len, default=next(iter(found), ""))

    def _inside(self, type_: Fielded, *, unions: bool) -> Iterator[str]:
        """Entities in the fields of a type, and in the members of unions there: `orderOrError { order }`."""
        for name, (_, target) in self._shapes.of(type_).objects.items():
            if is_faults(name):
                continue
            inner = self._behind(target)
            members = inner.types if unions and isinstance(inner, GraphQLUnionType) else (inner,)
            for member in members:
                if not isinstance(member, Fielded) or member.name in self._roots:
                    continue
                if self._shapes.of(member).has_id:
                    yield member.name
                elif member is not inner:
                    yield from self._inside(member, unions=False)

    def _of_union(self, type_: GraphQLUnionType) -> str:
        """`RunOrError` is about `Run`."""
        name = _unwrapped(type_.name)
        if name != type_.name:
            singular = name.removesuffix("s")
            return singular if singular in self._schema.type_map else name
        return type_.name


def _nearest(operation: Operation, name: str, areas: dict[str, list[str]]) -> Area:
    """An operation alone with its entity joins the area its words name, the longest such, else `general`."""
    spoken = [*split_words(name), "/", *operation.field_words]
    fitting = [area for area, words in areas.items() if _runs_in(words, spoken)]
    return (max(fitting, key=lambda area: (len(areas[area]), area)),) if fitting else GENERAL


def _runs_in(words: Sequence[str], text: Sequence[str]) -> bool:
    plain = [_singular(word) for word in text]
    wanted = [_singular(word) for word in words]
    return any(plain[at : at + len(wanted)] == wanted for at in range(len(plain) - len(wanted) + 1))


def _singular(word: str) -> str:
    if word.endswith("ies") and len(word) > 4:
        return f"{word[:-3]}y"
    return word[:-1] if word.endswith("s") and not word.endswith("ss") and len(word) > 3 else word


def _unwrapped(name: str) -> str:
    """A type's name without what only says that it wraps."""
    for wrapper in _WRAPPERS:
        if name.endswith(wrapper) and name != wrapper:
            return name.removesuffix(wrapper)
    return name


def _is_thing(type_: GraphQLNamedType) -> bool:
    return isinstance(type_, Fielded) and not type_.name.startswith("__")
