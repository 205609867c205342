"""A judge that shares no code with us: openapi-core, asked about one request of one operation."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from email.parser import BytesParser
from email.policy import HTTP
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from jsonschema_path import SchemaPath
from openapi_core import Config, OpenAPI
from werkzeug.datastructures import Headers, ImmutableMultiDict

from benchmarks.oracle.documents import ORIGIN, Described
from benchmarks.oracle.faults import OPENAPI_CORE
from periplus.model import Tool
from periplus.ports import HttpRequest

_KNOWN = re.compile(
    r"^(application/json$|text/(?!json)|application/x-www-form-urlencoded|multipart/|[^;]*xml)", re.IGNORECASE
)
_METHODS = frozenset({"get", "put", "post", "delete", "options", "head", "patch", "trace", "query"})


class _Parameters:
    """What the request carries; openapi-core sets `path` from the encoded path, whose values are decoded here."""

    def __init__(self, request: HttpRequest) -> None:
        query = urlsplit(request.target).query
        self.query = ImmutableMultiDict(parse_qsl(query, keep_blank_values=True))
        self.header = Headers([(name, text) for name, text in request.headers if name != "cookie"])
        cookies = next((text for name, text in request.headers if name == "cookie"), "")
        pairs = (one.partition("=") for one in cookies.split("; ") if one)
        self.cookie = ImmutableMultiDict([(unquote(name), unquote(text)) for name, _, text in pairs])
        self._path: dict[str, str] = {}

    @property
    def path(self) -> dict[str, str]:
        return self._path

    @path.setter
    def path(self, values: dict[str, str]) -> None:
        self._path = {name: unquote(text) for name, text in values.items()}

    def __getitem__(self, place: str) -> Any:
        return getattr(self, place)


class _Request:
    """A captured request as openapi-core wants to see one."""

    host_url = ORIGIN

    def __init__(self, request: HttpRequest) -> None:
        self.path = urlsplit(request.target).path
        self.method = request.method.lower()
        self.body = request.body or None
        self.content_type = next((text for name, text in request.headers if name.lower() == "content-type"), "")
        self.parameters = _Parameters(request)


class OpenAPICore:
    """openapi-core over one document, which it sees one operation at a time: paths do not shadow one another."""

    known_faults = OPENAPI_CORE

    def __init__(self, document: Described) -> None:
        self._document = document
        self._root = _plain(document.root)
        self._elsewhere = '"#/paths/' in json.dumps(document.root.get("paths", {}))
        self._made: dict[str, OpenAPI] = {}

    @staticmethod
    def takes(document: Described) -> bool:
        """It reads 3.0 to 3.2, and only documents in one file."""
        return document.version.startswith("3.")

    def faults(self, tool: Tool, request: HttpRequest) -> list[str]:
        """What it finds wrong with a request of that operation."""
        try:
            return [_told(one) for one in self._of(tool).iter_apicall_request_errors(_Request(request))]
        except Exception as error:  # noqa: BLE001 - a judge that breaks down has not accepted
            return [f"it broke down: {type(error).__name__}: {str(error)[:200]}"]

    def _of(self, tool: Tool) -> OpenAPI:
        if tool.origin not in self._made:
            self._made = {tool.origin: self._operation(tool)}
        return self._made[tool.origin]

    def _operation(self, tool: Tool) -> OpenAPI:
        found = self._document.operation(tool)
        dropped = (
            {"servers"} if self._elsewhere else {"servers", *(key for key in found.item if key.lower() in _METHODS)}
        )
        own = {key: value for key, value in found.item.items() if key not in dropped}
        method = tool.origin.partition(" ")[0].lower()
        own[method] = {key: value for key, value in found.written.items() if key not in {"security", "servers"}}
        others = self._root["paths"] if self._elsewhere else {}
        clean = found.path.partition("#")[0].partition("?")[0].rstrip() or "/"
        document = {**self._root, "paths": {**others, clean if clean.startswith("/") else f"/{clean}": own}}
        return OpenAPI(SchemaPath.from_dict(document), _config(self._document.behind(found.written.get("requestBody"))))


def _config(body: dict[str, Any]) -> Config:
    """Decoders for the types it knows none for: JSON where the bytes are JSON, else a text of bytes."""
    kinds = body.get("content", {})
    more = {kind: _loads for kind in kinds if isinstance(kind, str) and not _KNOWN.search(kind)}
    return Config(
        spec_validator_cls=None,
        extra_media_type_deserializers={**more, "multipart/form-data": _parts},
    )


def _loads(content: bytes, **_: str) -> Any:
    try:
        return json.loads(content)
    except ValueError:
        return content.decode("latin-1")


def _parts(content: bytes, **parameters: str) -> ImmutableMultiDict[str, Any]:
    """Its own decoder reads ASCII only."""
    head = f'Content-Type: multipart/form-data; boundary="{parameters.get("boundary", "")}"\r\n\r\n'
    message = BytesParser(policy=HTTP).parsebytes(head.encode() + content)
    return ImmutableMultiDict(
        [
            (one.get_param("name", header="content-disposition"), one.get_payload(decode=True))
            for one in message.iter_parts()
        ]
    )


def _plain(root: dict[str, Any]) -> dict[str, Any]:
    """Without servers and security, which are not what is judged here."""
    kept = {key: value for key, value in root.items() if key not in {"security", "webhooks", "tags"}}
    items = {path: _open(item) for path, item in root["paths"].items()}
    return {**kept, "paths": items, "servers": [{"url": ORIGIN}]}


def _open(item: Any) -> Any:
    """A path item whose operations ask for no credentials."""
    if not isinstance(item, dict):
        return item
    out = {key: value for key, value in item.items() if key != "servers"}
    for key, value in out.items():
        if isinstance(value, dict) and key.lower() in _METHODS:
            out[key] = {name: member for name, member in value.items() if name not in {"security", "servers"}}
    return out


def _told(error: Exception) -> str:
    return " <- ".join(_causes(error))


def _causes(error: BaseException | None) -> Iterator[str]:
    while error is not None:
        inner = list(getattr(error, "schema_errors", ()))
        if inner:
            yield f"{type(error).__name__}: {'; '.join(_violation(one) for one in inner[:3])}"
        else:
            yield f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"
        error = error.__cause__


def _violation(error: Any) -> str:
    return f"/{'/'.join(map(str, error.absolute_path))} {error.validator}: {error.message[-220:]}"
