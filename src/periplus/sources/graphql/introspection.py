"""The JSON of an introspection as a schema: each piece that is not what it should be is left out alone (S-3)."""

from __future__ import annotations

from typing import Any

import msgspec

from periplus.model import Code, FindingCode, Problem
from periplus.selections.schema import (
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

_LISTS: dict[str, Any] = {
    "fields": Field,
    "inputFields": Input,
    "interfaces": TypeRef,
    "enumValues": EnumValue,
    "possibleTypes": TypeRef,
}


class _Loose(msgspec.Struct):
    """`__schema` with its parts still unread, so that one odd type costs only itself."""

    types: list[msgspec.Raw]
    queryType: msgspec.Raw = msgspec.Raw(b"null")  # noqa: N815 - as it is on the wire
    mutationType: msgspec.Raw = msgspec.Raw(b"null")  # noqa: N815
    subscriptionType: msgspec.Raw = msgspec.Raw(b"null")  # noqa: N815
    directives: msgspec.Raw = msgspec.Raw(b"null")
    description: msgspec.Raw = msgspec.Raw(b"null")


class _Data(msgspec.Struct):
    schema: _Loose | None = msgspec.field(default=None, name="__schema")


class _Envelope(msgspec.Struct):
    data: _Data | None = None
    schema: _Loose | None = msgspec.field(default=None, name="__schema")


_envelope = msgspec.json.Decoder(_Envelope)
_type = msgspec.json.Decoder(TypeDef)


def looks_like_json(body: bytes) -> bool:
    """A document that starts with a brace or bracket is JSON; SDL cannot start so."""
    return body.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in (b"{", b"[")


def read_introspection(body: bytes, report: Report) -> SchemaDoc:
    """The schema in `{"data": {"__schema": ...}}` or `{"__schema": ...}`."""
    loose = _schema_of(body)
    if loose is None:
        raise Problem(
            Code.PARSE_ERROR,
            f"no GraphQL introspection: there is no __schema in {body[:80].decode(errors='replace')!r}",
            hints=("give the JSON answer of an introspection query, or the schema as SDL",),
        )
    types = [_read_type(raw, number, report) for number, raw in enumerate(loose.types)]
    return SchemaDoc(
        types=tuple(type_ for type_ in types if type_ is not None),
        query_type=_optional(loose.queryType, RootRef | None, "queryType", report),
        mutation_type=_optional(loose.mutationType, RootRef | None, "mutationType", report),
        subscription_type=_optional(loose.subscriptionType, RootRef | None, "subscriptionType", report),
        directives=tuple(_directives(loose.directives, report)),
        description=_optional(loose.description, str | None, "description", report),
    )


def _schema_of(body: bytes) -> _Loose | None:
    try:
        envelope = _envelope.decode(body.decode("utf-8-sig", "replace"))
    except RecursionError as error:
        raise Problem(
            Code.OVER_LIMIT, "the introspection is nested too deeply", hints=("check the document",)
        ) from error
    except msgspec.ValidationError:
        return None
    except msgspec.DecodeError as error:
        raise Problem(
            Code.PARSE_ERROR, f"the introspection is not JSON: {error}", hints=("check that it is complete",)
        ) from error
    return envelope.schema or (envelope.data.schema if envelope.data else None)


def _read_type(raw: msgspec.Raw, number: int, report: Report) -> TypeDef | None:
    try:
        return _type.decode(raw)
    except msgspec.ValidationError:
        return _piecemeal(msgspec.json.decode(raw), f"/types/{number}", report)
    except RecursionError:
        report.lost(FindingCode.PARSE_LENIENT, f"/types/{number}", "the type is nested too deeply")
        return None


def _piecemeal(value: object, place: str, report: Report) -> TypeDef | None:
    """A type whose wrong members are dropped one by one."""
    if not isinstance(value, dict) or not isinstance(value.get("kind"), str) or not isinstance(value.get("name"), str):
        report.lost(FindingCode.PARSE_LENIENT, place, "not a type: it has no kind or no name")
        return None
    good: dict[str, Any] = {"kind": value["kind"], "name": value["name"]}
    for member, content in value.items():
        if member in _LISTS and isinstance(content, list):
            good[member] = _good_items(content, _LISTS[member], f"{place}/{member}", report)
        elif member not in good and _converts({**good, member: content}, TypeDef):
            good[member] = content
        elif member not in good:
            report.lost(FindingCode.PARSE_LENIENT, f"{place}/{member}", f"{value['name']}: {member} is malformed")
    return msgspec.convert(good, TypeDef)


def _good_items(items: list[Any], kind: Any, place: str, report: Report) -> list[Any]:
    good: list[Any] = []
    for number, item in enumerate(items):
        slim = _without_bad_args(item, place, number, report) if kind is Field else item
        if _converts(slim, kind):
            good.append(slim)
        else:
            report.lost(FindingCode.PARSE_LENIENT, f"{place}/{number}", "left out: it is not what stands in this list")
    return good


def _without_bad_args(item: Any, place: str, number: int, report: Report) -> Any:
    """A field whose broken optional arguments do not cost it; a broken required one does."""
    args = item.get("args") if isinstance(item, dict) else None
    if not isinstance(args, list) or _converts(item, Field):
        return item
    good = [arg for arg in args if _converts(arg, Input)]
    for _ in range(len(args) - len(good)):
        report.lost(FindingCode.BAD_PARAMETER, f"{place}/{number}/args", "an argument is malformed")
    return {**item, "args": good}


def _converts(value: Any, kind: Any) -> bool:
    try:
        msgspec.convert(value, kind)
    except msgspec.ValidationError:
        return False
    return True


def _optional(raw: msgspec.Raw, kind: Any, member: str, report: Report) -> Any:
    try:
        return msgspec.json.decode(raw, type=kind)
    except msgspec.ValidationError as error:
        report.lost(FindingCode.PARSE_LENIENT, f"/{member}", f"{member} is malformed: {error}")
        return None


def _directives(raw: msgspec.Raw, report: Report) -> list[DirectiveDef]:
    listed = _optional(raw, list[Any] | None, "directives", report)
    return [msgspec.convert(item, DirectiveDef) for item in listed or () if _converts(item, DirectiveDef)]
