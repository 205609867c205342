"""Which parameters an operation takes: its own over its path item's, fitted to the path template (S-38)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from periplus.model import FindingCode, Severity
from periplus.sources.openapi import paths
from periplus.sources.openapi.operations import Operation, Place, unresolved, unresolved_code
from periplus.sources.openapi.references import Library
from periplus.sources.openapi.references_port import Unresolved
from periplus.sources.openapi.report import Report

_PLACES = frozenset({"path", "query", "header", "cookie", "querystring", "body", "formData"})
_STRING = {"type": "string"}


class Parameter(msgspec.Struct, frozen=True, kw_only=True):
    """One parameter behind its references, and where it stands."""

    name: str
    location: str  # `in`
    written: Mapping[str, Any]
    place: Place


class Spoilt(Exception):  # noqa: N818 - a reason, caught where the operation is counted
    """The operation cannot be offered: something it needs is missing."""

    def __init__(self, code: FindingCode, message: str, where: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.where = where


class Fitted(msgspec.Struct, frozen=True, kw_only=True):
    """The parameters of an operation, and its path with the names they have."""

    path: str
    query: tuple[tuple[str, str], ...]
    parameters: tuple[Parameter, ...]


class Parameters:
    """Reads the parameters of operations of one document."""

    def __init__(self, library: Library, report: Report, *, swagger: bool) -> None:
        self._library = library
        self._report = report
        self._swagger = swagger
        self._shared: dict[tuple[str, str], Parameter | None] = {}
        self._item: tuple[object, dict[tuple[str, str], Parameter]] = (None, {})

    def of(self, operation: Operation, key: str, template: paths.Template) -> Fitted:
        """All parameters of an operation; raises `Spoilt` when one of them cannot be found (S-36)."""
        found: dict[tuple[str, str], Parameter] = {}
        for written, place in operation.around:
            if "parameters" in written:
                found |= self._of_item(written["parameters"], place, key)
        if "parameters" in operation.written:
            found |= self._listed(operation.written["parameters"], operation.place, key)
        return self._fitted(list(found.values()), operation, key, template)

    def _of_item(self, declared: object, place: Place, key: str) -> dict[tuple[str, str], Parameter]:
        """The parameters of a path item, read once for all its operations."""
        if self._item[0] is not declared:
            self._item = declared, self._listed(declared, place, key)
        return self._item[1]

    def _listed(self, declared: object, place: Place, key: str) -> dict[tuple[str, str], Parameter]:
        """Parameters by name and place; of two alike the first counts."""
        found: dict[tuple[str, str], Parameter] = {}
        if isinstance(declared, dict):  # people write them by name, too
            declared = list(declared.values())
        if not isinstance(declared, list):
            if declared is not None:
                self._bad(place.below("parameters"), key, f"parameters is {type(declared).__name__}, not a list")
            return found
        for index, item in enumerate(declared):
            one = self._one(item, place, index, key)
            if one is not None and found.setdefault((one.name, one.location), one) is not one:
                self._bad(one.place, key, f"{one.location} parameter {one.name!r} is declared twice")
        return found

    def _one(self, item: object, place: Place, index: int, key: str) -> Parameter | None:
        spot = place.below("parameters", str(index))
        if not isinstance(item, dict) or not isinstance(item.get("$ref"), str):
            return self._read(item, spot, key)
        shared = (place.base, item["$ref"])
        if shared not in self._shared:
            try:
                end = self._library.resolve(item, place.base)
            except Unresolved as error:
                raise Spoilt(unresolved_code(error), f"parameter {unresolved(error)}", spot.where) from error
            spot = Place(end.base, end.pointer, self._library.book(end.base).label)
            self._shared[shared] = self._read(end.value, spot, key)
        return self._shared[shared]

    def _read(self, item: object, spot: Place, key: str) -> Parameter | None:
        if not isinstance(item, dict):
            self._bad(spot, key, f"a parameter is {type(item).__name__}, not an object")
            return None
        name, location = item.get("name"), item.get("in")
        if isinstance(name, int | float) and not isinstance(name, bool):
            name = str(name)
        if not isinstance(name, str) or not name or not isinstance(location, str):
            self._bad(spot, key, f"a parameter has no usable name and place: name={name!r}, in={location!r}")
            return None
        if location not in _PLACES:
            location = next((known for known in _PLACES if known.lower() == location.strip().lower()), location)
            item = {**item, "in": location}
        if location not in _PLACES:
            self._bad(spot, key, f"parameter {name!r} is in {location!r}, which is no place for one")
            return None
        return Parameter(name=name, location=location, written=item, place=spot)

    def _fitted(
        self, declared: Sequence[Parameter], operation: Operation, key: str, template: paths.Template
    ) -> Fitted:
        """Path parameters and template variables made to agree, each disagreement reported."""
        in_path = {one.name: one for one in declared if one.location == "path"}
        others = [one for one in declared if one.location != "path"]
        if template.is_plain and in_path.keys() == set(template.variables):
            own_first = (*(in_path[name] for name in template.variables), *others)
            return Fitted(path=template.path, query=(), parameters=own_first)
        names = {variable: paths.spelling(variable, in_path) for variable in template.variables}
        own: dict[str, Parameter] = {}
        for variable, name in names.items():
            known = in_path.get(name or "") or self._undeclared(variable, "path", key, operation.place)
            own.setdefault(known.name, known)
        others = self._unfixed(template, others, key)
        moved = self._in_query(template, in_path, others, operation, key)
        used = {*names.values(), *(name for name, _ in moved)}
        for name, one in in_path.items():
            if name not in used:
                message = f"path parameter {name!r} is not in the path {operation.path!r}; it is left out"
                self._add(FindingCode.UNUSED_PATH_PARAMETER, one.place, key, message)
        return Fitted(
            path=_renamed(template.path, names),
            query=tuple(
                (member, _renamed(value, names))
                for member, value in template.query
                if value or not any(one.name == member and one.location == "query" for one in others)
            ),
            parameters=(*own.values(), *others, *(one for _, one in moved if one is not None)),
        )

    def _unfixed(self, template: paths.Template, others: Sequence[Parameter], key: str) -> list[Parameter]:
        """Without the parameters whose value stands in the path already; `?name` alone is only a name."""
        fixed = {name for name, value in template.query if value}
        for one in others:
            if one.location == "query" and one.name in fixed:
                message = f"query parameter {one.name!r} has its value in the path; it is not asked for"
                self._add(FindingCode.UNUSED_PATH_PARAMETER, one.place, key, message)
        return [one for one in others if one.location != "query" or one.name not in fixed]

    def _in_query(
        self,
        template: paths.Template,
        in_path: Mapping[str, Parameter],
        others: Sequence[Parameter],
        operation: Operation,
        key: str,
    ) -> list[tuple[str, Parameter | None]]:
        """The declared name and the query parameter of each variable that the template puts into its query."""
        there = {one.name for one in others if one.location == "query"}
        found: list[tuple[str, Parameter | None]] = []
        for variable, member in template.query_variables:
            name = paths.spelling(variable, in_path) or ""
            if member in there:
                found.append((name, None))
                continue
            there.add(member)
            known = _moved(in_path[name], member) if name else None
            found.append((name, known or self._undeclared(member, "query", key, operation.place)))
        return found

    def _undeclared(self, name: str, location: str, key: str, place: Place) -> Parameter:
        message = f"the path has {{{name}}}, which no parameter declares; it is taken as a required string"
        self._add(FindingCode.UNDECLARED_PATH_PARAMETER, place, key, message)
        kind: dict[str, Any] = dict(_STRING) if self._swagger else {"schema": _STRING}
        written = {"name": name, "in": location, "required": True, **kind}
        return Parameter(name=name, location=location, written=written, place=place)

    def _bad(self, place: Place, key: str, message: str) -> None:
        self._add(FindingCode.BAD_PARAMETER, place, key, message)

    def _add(self, code: FindingCode, place: Place, key: str, message: str) -> None:
        self._report.add(Severity.WARNING, code, place.where, message, operation=key)


def _moved(parameter: Parameter, member: str) -> Parameter:
    """A path parameter that the template puts into the query."""
    written = {**parameter.written, "name": member, "in": "query", "required": True}
    written.pop("style", None)
    return msgspec.structs.replace(parameter, name=member, location="query", written=written)


def _renamed(text: str, names: Mapping[str, str | None]) -> str:
    """A template whose variables are spelled as the parameters are."""
    for variable, name in names.items():
        if name and name != variable:
            text = text.replace(f"{{{variable}}}", f"{{{name}}}")
    return text
