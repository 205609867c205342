"""Real documents, twice: as our reader makes tools of them, and as a parser that is not ours gives them to judges."""

from __future__ import annotations

import asyncio
import csv
import json
import tarfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote

import yaml12

from benchmarks.processes import SHARED
from periplus.core.schema.closure import references
from periplus.model import Draft, Reading, SourceSpec, Tool
from periplus.ports import Fetched, FetchRequest, McpLinks, Site, Wires
from periplus.sources.openapi import OpenAPISource

ORIGIN = "https://oracle.example"
_FOLDER = SHARED / "openapi"


@dataclass(frozen=True, kw_only=True)
class Described:
    """One document: its tools, the site they share, and itself as another parser reads it."""

    name: str
    tools: tuple[Tool, ...]
    site: Site
    root: dict[str, Any]
    traits: frozenset[str] = frozenset()  # codes of its load report, and telling keywords that it uses

    @property
    def version(self) -> str:
        return str(self.root.get("openapi", self.root.get("swagger", "")))

    def operation(self, tool: Tool) -> Operation:
        """What a tool was read from."""
        method, _, path = tool.origin.partition(" ")
        item = self.behind(self.root["paths"][path])
        named = {**{key.lower(): value for key, value in item.items()}, **item.get("additionalOperations", {})}
        written = self.behind(named.get(method.lower(), named.get(method)))
        found = {}
        for one in [*_listed(item.get("parameters")), *_listed(written.get("parameters"))]:
            parameter = self.behind(one)
            found[parameter.get("name"), parameter.get("in")] = parameter
        return Operation(path, item, written, list(found.values()))

    def behind(self, node: Any) -> dict[str, Any]:
        """What a chain of references inside the document leads to."""
        for _ in range(20):
            if not isinstance(node, dict) or not isinstance(node.get("$ref"), str):
                break
            node = self._at(node["$ref"])
        return node if isinstance(node, dict) else {}

    def _at(self, reference: str) -> Any:
        found: Any = self.root
        for piece in reference.removeprefix("#/").split("/"):
            name = unquote(piece).replace("~1", "/").replace("~0", "~")
            found = (
                found[int(name)] if isinstance(found, list) else found.get(name) if isinstance(found, dict) else None
            )
        return found


class Operation(NamedTuple):
    """One operation as it is written, with the parameters of its path, behind their references."""

    path: str
    item: dict[str, Any]
    written: dict[str, Any]
    parameters: list[dict[str, Any]]

    @property
    def has_deep_members(self) -> bool:
        """Whether a form of it writes members in style deepObject."""
        return '"deepObject"' in json.dumps(self.written.get("requestBody", {}))


class _One:
    """The document at every address; references to other files find nothing."""

    def __init__(self, url: str, body: bytes) -> None:
        self._url, self._body = url, body

    async def send(self, request: FetchRequest) -> Fetched:
        here = request.url == self._url
        return Fetched(url=request.url, status=200 if here else 404, body=self._body if here else b"")


class _NoLinks(McpLinks):
    """OpenAPI needs no MCP."""


def described(name: str, body: bytes) -> Described:
    """Read a document both ways. Calls go to one origin, whatever its servers are: judges match paths, not hosts."""
    url = f"https://documents.example/{name}"
    spec = SourceSpec(id="oracle", url=url, base_url=ORIGIN)
    reading = asyncio.run(OpenAPISource().read(spec, Wires(fetch=_One(url, body), mcp=_NoLinks()), None))
    if not isinstance(reading, Reading):
        raise TypeError(reading)
    drafts = list(reading.drafts)
    tools = tuple(_tool(draft, reading) for draft in drafts)
    return Described(
        name=name,
        tools=tools,
        site=Site(spec=spec, document_url=url, site=reading.site),
        root=parsed(body),
        traits=frozenset(finding.code.value for finding in reading.findings)
        | {word for word in ("readOnly", "discriminator", "prefixItems") if word.encode() in body},
    )


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _tool(draft: Draft, reading: Reading) -> Tool:
    names: dict[str, None] = {}
    todo = references(draft.args_schema)
    while todo:
        name = todo.pop()
        if name not in names and name in reading.definitions:
            names[name] = None
            todo += references(reading.definitions[name])
    shared = {"$defs": {name: reading.definitions[name] for name in names}} if names else {}
    return Tool(
        source="oracle",
        path=draft.leaf,
        key=draft.key,
        origin=draft.origin,
        args_schema={**draft.args_schema, **shared},
        effect=draft.effect,
        binding=draft.binding,
    )


def parsed(body: bytes) -> dict[str, Any]:
    """JSON by the standard library, YAML 1.2 by a parser in Rust; keys are texts."""
    text = body.decode("utf-8-sig", "replace")
    found = json.loads(text) if text.lstrip().startswith("{") else _texts(yaml12.parse_yaml(text))
    return dict(found)


def _texts(value: Any) -> Any:
    if isinstance(value, dict):
        return {_text(key): _texts(item) for key, item in value.items()}
    return [_texts(item) for item in value] if isinstance(value, list) else value


def _text(key: Any) -> str:
    return key if isinstance(key, str) else json.dumps(key)


def chosen() -> Iterator[tuple[str, bytes]]:
    """The documents that were chosen for what is odd in them."""
    for row in csv.DictReader((_FOLDER / "index.csv").read_text().splitlines()):
        if row["operations"] != "0":
            yield row["file"], (_FOLDER / row["file"]).read_bytes()


def directory() -> Iterator[tuple[str, bytes]]:
    """Three hundred of the public directory."""
    wanted = json.loads((_FOLDER / "directory-sample-300.operations.json").read_text())
    with tarfile.open(_FOLDER / "directory-sample-300.tar.xz") as archive:
        for member in archive:
            file = archive.extractfile(member) if wanted.get(member.name) else None
            if file is not None:
                yield member.name, file.read()


def available() -> bool:
    return Path(_FOLDER).is_dir()
