"""Files among variables: the multipart form of a GraphQL request, with a map of where each file belongs (S-85)."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import msgspec
from graphql import (
    GraphQLInputObjectType,
    GraphQLInputType,
    GraphQLList,
    GraphQLNonNull,
    GraphQLScalarType,
)

from periplus.documents import enclosures
from periplus.ports import Site
from periplus.transports.graphql.graph import graph_of
from periplus.transports.graphql.selecting import Call

_UPLOAD = "Upload"
_OCTETS = "application/octet-stream"
_QUOTED = str.maketrans({'"': "%22", "\r": "%0D", "\n": "%0A"})


class Form(NamedTuple):
    """A finished body and the media type that names its border."""

    content_type: str
    content: bytes


def multipart(text: str, values: Mapping[str, Any], site: Site, call: Call) -> Form | None:
    """The call as a form; None where no file is given, so that it is sent like any other."""
    args = graph_of(site).field(call.role, call.path).args
    places: list[tuple[str, Any]] = []
    bare = {name: _taken(value, args[name].type, f"variables.{name}", places) for name, value in values.items()}
    if not places:
        return None
    files = [enclosures.read(value, path.removeprefix("variables.")) for path, value in places]
    where = {str(number): [path] for number, (path, _) in enumerate(places)}
    parts = [
        (_disposition("operations"), msgspec.json.encode({"query": text, "variables": bare})),
        (_disposition("map"), msgspec.json.encode(where)),
        *((_enclosed(number, file), file.content) for number, file in enumerate(files)),
    ]
    return _joined(parts)


def _taken(value: Any, type_: GraphQLInputType, path: str, places: list[tuple[str, Any]]) -> Any:
    """The value with null in the place of each file, whose places are noted."""
    if isinstance(type_, GraphQLNonNull):
        type_ = type_.of_type
    if value is None:
        return None
    if isinstance(type_, GraphQLList):
        items = value if isinstance(value, list) else [value]
        return [_taken(item, type_.of_type, f"{path}.{number}", places) for number, item in enumerate(items)]
    if isinstance(type_, GraphQLScalarType) and type_.name == _UPLOAD:
        places.append((path, value))
        return None
    if isinstance(type_, GraphQLInputObjectType) and isinstance(value, dict):
        fields = type_.fields
        return {
            name: _taken(item, fields[name].type, f"{path}.{name}", places) if name in fields else item
            for name, item in value.items()
        }
    return value


def _disposition(name: str) -> str:
    return f'Content-Disposition: form-data; name="{name}"\r\nContent-Type: application/json\r\n'


def _enclosed(number: int, file: enclosures.File) -> str:
    name = (file.filename or f"file{number}").translate(_QUOTED)
    given = file.media_type
    kind = given if given and given.isascii() and given.isprintable() else _OCTETS
    return f'Content-Disposition: form-data; name="{number}"; filename="{name}"\r\nContent-Type: {kind}\r\n'


def _joined(parts: list[tuple[str, bytes]]) -> Form:
    """The parts between borders. The border is their own digest, so that it is in none of them."""
    digest = hashlib.blake2b(digest_size=16)
    for head, content in parts:
        digest.update(head.encode())
        digest.update(content)
    border = f"periplus-{digest.hexdigest()}"
    return Form(f"multipart/form-data; boundary={border}", b"".join(_pieces(parts, border)))


def _pieces(parts: list[tuple[str, bytes]], border: str) -> Iterator[bytes]:
    for head, content in parts:
        yield f"--{border}\r\n{head}\r\n".encode() + content + b"\r\n"
    yield f"--{border}--\r\n".encode()
