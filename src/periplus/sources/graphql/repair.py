"""A schema without its bad parts, each reported: what is left can be built and used as it is (S-81)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Protocol, TypeVar

import msgspec
from graphql import DirectiveLocation, GraphQLError, introspection_types, parse_const_value

from periplus.model import FindingCode
from periplus.selections.schema import (
    INPUT_KINDS,
    OUTPUT_KINDS,
    STANDARD_SCALARS,
    DirectiveDef,
    EnumValue,
    Field,
    Input,
    RootRef,
    SchemaDoc,
    TypeDef,
    TypeRef,
)
from periplus.sources.graphql.report import Report

_NAME = re.compile(r"[_A-Za-z][_0-9A-Za-z]*")
_PLAIN_DEFAULT = re.compile(r'-?(?:0|[1-9]\d*)(?:\.\d+)?|"[^"\\\n]*"|[_A-Za-z]\w*|\[\]|\{\}', re.ASCII)
_KINDS = OUTPUT_KINDS | INPUT_KINDS
_LOCATIONS = frozenset(location.name for location in DirectiveLocation)
_ALWAYS_DIRECTIVES = ("skip", "include")
_WRAPPERS_MAX = 30
_NO_REASON = "No longer supported"


class _Named(Protocol):
    @property
    def name(self) -> str: ...


_T = TypeVar("_T", bound=_Named)


def repair(doc: SchemaDoc, report: Report) -> SchemaDoc:
    """The usable part of a schema."""
    return _Repair(doc, report).run()


class _Repair:
    """One pass over all types; `kinds` says what every surviving name is."""

    def __init__(self, doc: SchemaDoc, report: Report) -> None:
        self._doc = doc
        self._report = report
        self._types = self._own_types()
        self._kinds = {name: type_.kind for name, type_ in self._types.items()}
        self._assumed: dict[str, TypeDef] = {}

    def run(self) -> SchemaDoc:
        types = [self._type(type_) for type_ in self._types.values()]
        directives = self._directives()
        return msgspec.structs.replace(
            self._doc,
            types=(*types, *self._assumed.values()),
            directives=directives,
            query_type=self._root("Query", self._doc.query_type),
            mutation_type=self._root("Mutation", self._doc.mutation_type),
            subscription_type=self._root("Subscription", self._doc.subscription_type),
        )

    def _own_types(self) -> dict[str, TypeDef]:
        found: dict[str, TypeDef] = {}
        for type_ in self._doc.types:
            if type_.name in STANDARD_SCALARS:
                if type_.kind != "SCALAR":
                    self._lose(type_.name, f"{type_.name} is a standard scalar, not {type_.kind}")
            elif type_.name.startswith("__"):
                if type_.name not in introspection_types:
                    self._lose(type_.name, "names that start with __ are reserved")
            elif not _NAME.fullmatch(type_.name) or type_.kind not in _KINDS:
                self._lose(type_.name, f"not a type: {type_.kind} {type_.name[:80]!r}")
            elif type_.name in found:
                self._lose(type_.name, f"type {type_.name} is defined twice; the first counts")
            else:
                found[type_.name] = type_
        return found | {name: TypeDef(kind="SCALAR", name=name) for name in STANDARD_SCALARS}

    def _root(self, role: str, root: RootRef | None) -> RootRef | None:
        if root is None or self._kinds.get(root.name) == "OBJECT":
            return root
        self._report.error(FindingCode.DANGLING_REF, root.name, f"the {role} type {root.name!r} is not defined")
        return None

    def _type(self, type_: TypeDef) -> TypeDef:
        match type_.kind:
            case "OBJECT" | "INTERFACE":
                return msgspec.structs.replace(
                    type_,
                    fields=self._fields(type_),
                    interfaces=self._only(type_, type_.interfaces, "INTERFACE"),
                    possible_types=None,
                )
            case "INPUT_OBJECT":
                fields = self._unique(type_.name, type_.input_fields or ())
                keep = (self._input(f"{type_.name}.{field.name}", field) for field in fields)
                return msgspec.structs.replace(
                    type_,
                    input_fields=tuple(field for field in keep if field is not None),
                    is_one_of=bool(type_.is_one_of),
                )
            case "UNION":
                return msgspec.structs.replace(type_, possible_types=self._only(type_, type_.possible_types, "OBJECT"))
            case "ENUM":
                values = self._unique(type_.name, type_.enum_values or (), _bad_enum_value)
                return msgspec.structs.replace(type_, enum_values=tuple(map(_explained, values)))
            case _:
                return type_

    def _only(self, type_: TypeDef, refs: Iterable[TypeRef] | None, kind: str) -> tuple[TypeRef, ...]:
        """References to known types of one kind, each once."""
        keep: dict[str, TypeRef] = {}
        for ref in refs or ():
            name = ref.name or ""
            if self._kinds.get(name) != kind or name == type_.name:
                self._lose(type_.name, f"{type_.name}: {name!r} is no {kind.lower()} type", FindingCode.DANGLING_REF)
            else:
                keep.setdefault(name, TypeRef(kind=kind, name=name))
        return tuple(keep.values())

    def _unique(self, owner: str, members: Iterable[_T], bad: Callable[[str], bool] | None = None) -> list[_T]:
        """Members with usable names, each once."""
        found: dict[str, _T] = {}
        for member in members:
            place = f"{owner}.{member.name}"
            if bad is not None and bad(member.name):
                self._lose(place, f"{member.name[:80]!r} cannot be an enum value")
            elif not _NAME.fullmatch(member.name):
                self._lose_member(owner, member.name, f"not a name: {member.name[:80]!r}")
            elif member.name.startswith("__"):
                self._lose_member(owner, member.name, "names that start with __ are reserved")
            elif member.name in found:
                self._lose(place, f"{place} is defined twice; the first counts")
            else:
                found[member.name] = member
        return list(found.values())

    def _fields(self, type_: TypeDef) -> tuple[Field, ...]:
        keep: list[Field] = []
        for field in self._unique(type_.name, type_.fields or ()):
            fault = self._fault(field.type, OUTPUT_KINDS) or self._uncallable(f"{type_.name}.{field.name}", field)
            if fault:
                self._lose_member(type_.name, field.name, fault, FindingCode.DANGLING_REF)
                continue
            keep.append(_explained(msgspec.structs.replace(field, args=self._args(type_.name, field))))
        return tuple(keep)

    def _uncallable(self, place: str, field: Field) -> str:
        """Why no call of this field could be valid: an argument it needs is of no input type."""
        for arg in field.args or ():
            fault = self._fault(arg.type, INPUT_KINDS)
            if fault and not self._assume(arg.type, f"{place}({arg.name}:)") and _needed(arg):
                return f"its argument {arg.name} is required: {fault}"
        return ""

    def _args(self, owner: str, field: Field) -> tuple[Input, ...]:
        place = f"{owner}.{field.name}"
        keep = (self._input(f"{place}({arg.name}:)", arg) for arg in self._unique(place, field.args or ()))
        return tuple(arg for arg in keep if arg is not None)

    def _input(self, place: str, item: Input) -> Input | None:
        fault = self._fault(item.type, INPUT_KINDS)
        if fault and not self._assume(item.type, place):
            self._lose(place, fault, FindingCode.BAD_PARAMETER)
            return None
        if item.default_value is not None and not _is_value(item.default_value):
            self._lose(place, f"its default {item.default_value[:80]!r} is no GraphQL value")
            item = msgspec.structs.replace(item, default_value=None)
        return _explained(item)

    def _assume(self, ref: TypeRef, place: str) -> bool:
        """Whether an input of an undefined type can still be served: any JSON passes through a scalar."""
        name = _core(ref)
        if name is None or not _NAME.fullmatch(name) or name.startswith("__"):
            return False
        if name in self._kinds and name not in self._assumed:
            return False
        if name not in self._assumed:
            self._assumed[name] = TypeDef(kind="SCALAR", name=name)
            self._lose(place, f"type {name} is not defined; any value is accepted for it", FindingCode.DANGLING_REF)
        return True

    def _fault(self, ref: TypeRef, kinds: frozenset[str]) -> str:
        name = _core(ref)
        if name is None:
            return "its type is wrapped too deeply or is incomplete"
        kind = self._kinds.get(name)
        if kind is None:
            return f"type {name[:80]} is not defined"
        return "" if kind in kinds else f"type {name} is {kind.lower().replace('_', ' ')} and cannot stand here"

    def _directives(self) -> tuple[DirectiveDef, ...]:
        keep: list[DirectiveDef] = []
        for directive in self._unique("@", self._doc.directives):
            place = f"@{directive.name}"
            args = self._unique(place, directive.args or ())
            good = [arg for arg in args if not self._fault(arg.type, INPUT_KINDS) and _is_value(arg.default_value)]
            if len(good) < len(args):
                continue  # it can only be missed in a selection that a person writes
            locations = tuple(location for location in directive.locations if location in _LOCATIONS)
            keep.append(msgspec.structs.replace(directive, args=tuple(args), locations=locations))
        known = {directive.name for directive in keep}
        return (*keep, *(_conditional(name) for name in _ALWAYS_DIRECTIVES if name not in known))

    def _lose(self, place: str, message: str, code: FindingCode = FindingCode.PARSE_LENIENT) -> None:
        self._report.lost(code, place, message)

    def _lose_member(self, owner: str, name: str, message: str, code: FindingCode = FindingCode.PARSE_LENIENT) -> None:
        """A lost field: of a root type it is a skipped operation."""
        role = self._doc.role(owner)
        if role in {"Query", "Mutation"}:
            self._report.skipped(f"{role}.{name[:80]}", message)
        else:
            self._report.lost(code, f"{owner}.{name[:80]}", message)


def _bad_enum_value(name: str) -> bool:
    return not _NAME.fullmatch(name) or name in {"true", "false", "null"}


def _core(ref: TypeRef) -> str | None:
    """The name inside the wrappers, when they are whole."""
    inner, before = ref, ""
    for _ in range(_WRAPPERS_MAX):
        if inner.kind not in {"LIST", "NON_NULL"}:
            return inner.name
        if inner.of_type is None or inner.kind == before == "NON_NULL":
            return None
        inner, before = inner.of_type, inner.kind
    return None


def _needed(arg: Input) -> bool:
    return arg.type.kind == "NON_NULL" and arg.default_value is None


def _is_value(text: str | None) -> bool:
    if text is None or _PLAIN_DEFAULT.fullmatch(text):
        return True
    try:
        parse_const_value(text)
    except (GraphQLError, RecursionError):
        return False
    return True


_E = TypeVar("_E", Field, Input, EnumValue)


def _explained(item: _E) -> _E:
    """What is deprecated has a reason, because that is how graphql-core tells."""
    if item.is_deprecated and not item.deprecation_reason:
        return msgspec.structs.replace(item, deprecation_reason=_NO_REASON)
    if not item.is_deprecated and item.deprecation_reason is not None:
        return msgspec.structs.replace(item, deprecation_reason=None)
    return item


def _conditional(name: str) -> DirectiveDef:
    """`@skip` and `@include`, which every server has even when it does not say so."""
    flag = TypeRef(kind="NON_NULL", of_type=TypeRef(kind="SCALAR", name="Boolean"))
    return DirectiveDef(
        name=name,
        locations=("FIELD", "FRAGMENT_SPREAD", "INLINE_FRAGMENT"),
        args=(Input(name="if", type=flag),),
    )
