"""A second encoder that shares no code with us: what schemathesis would send for the same values (S-57)."""

from __future__ import annotations

import email
import email.policy
import json
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, unquote, urlsplit
from xml.etree.ElementTree import canonicalize

import requests
import schemathesis
from schemathesis.core.parameters import ParameterLocation
from schemathesis.transport.requests import REQUESTS_TRANSPORT
from schemathesis.transport.serialization import quote_all

_SENT = frozenset({"method", "url", "headers", "params", "cookies", "json", "data", "files"})
_PLACES = {
    "path": ("path_parameters", ParameterLocation.PATH),
    "query": ("query", ParameterLocation.QUERY),
    "header": ("headers", ParameterLocation.HEADER),
    "cookie": ("cookies", ParameterLocation.COOKIE),
}


class Meaning(NamedTuple):
    """What a request says once it is decoded, whoever wrote it."""

    method: str
    segments: tuple[str, ...]
    query: tuple[tuple[str, str], ...]
    headers: dict[str, str]
    cookies: tuple[tuple[str, str], ...]
    body: Any


def meaning(method: str, url: str, headers: dict[str, str], content: bytes, names: tuple[str, ...]) -> Meaning:
    """Decode a request; of its headers, those of these names."""
    parts, told = urlsplit(url), {name.lower(): text for name, text in headers.items()}
    cookies = [one.partition("=") for one in told.get("cookie", "").split("; ") if one]
    return Meaning(
        method=method,
        segments=tuple(unquote(one) for one in parts.path.split("/")),
        query=tuple(parse_qsl(parts.query, keep_blank_values=True)),
        headers={name: told.get(name.lower(), "") for name in names},
        cookies=tuple((unquote(name), unquote(text)) for name, _, text in cookies),
        body=decoded(told.get("content-type", ""), content),
    )


def decoded(kind: str, content: bytes) -> Any:
    """A body as what it stands for."""
    essence = kind.partition(";")[0]
    if "json" in essence:
        return json.loads(content)
    if essence == "application/x-www-form-urlencoded":
        return parse_qsl(content.decode(), keep_blank_values=True)
    if essence.startswith("multipart/"):
        head = f"Content-Type: {kind}\r\n\r\n".encode()
        parts = email.message_from_bytes(head + content, policy=email.policy.HTTP).iter_parts()
        return [(one.get_param("name", header="content-disposition"), one.get_payload(decode=True)) for one in parts]
    return canonicalize(content.decode(), strip_text=True) if essence.endswith("xml") and content else content


def theirs(document: dict[str, Any], place: str, values: dict[str, Any], body: Any = None, kind: str = "") -> Meaning:
    """What schemathesis sends for values of one place, or for a body of one media type."""
    operations = [one.ok() for one in schemathesis.openapi.from_dict(document).get_all_operations()]
    (operation,) = operations
    given: dict[str, Any] = {}
    if place in _PLACES:
        member, location = _PLACES[place]
        serialize = operation.get_parameter_serializer(location)
        written = serialize(dict(values)) if serialize else dict(values)
        given[member] = quote_all(written) if place == "path" else written
    if kind:
        given |= {"body": body, "media_type": kind}
    case = operation.Case(**given)
    told = REQUESTS_TRANSPORT.serialize_case(case, base_url="https://api.example.com")
    sent = requests.Request(**{name: one for name, one in told.items() if name in _SENT}).prepare()
    content = sent.body.encode() if isinstance(sent.body, str) else bytes(sent.body or b"")
    headers = {name: text if isinstance(text, str) else text.decode("latin-1") for name, text in sent.headers.items()}
    return meaning(str(sent.method), str(sent.url), headers, content, tuple(values) if place == "header" else ())
