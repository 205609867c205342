"""Small catalogs for tests: rows and changes with everything in them that a test did not say."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec

from periplus.model import Node, SourceRecord, SourceSpec, Tool, fold
from periplus.ports import Change, Row, Shape, pack_tool

_REFERENCE = re.compile(rb'"\$ref":"#/\$defs/([^"]+)"')


def make_tool(path: str, **members: Any) -> Tool:
    """A tool of no source yet; it stands in the area its path names."""
    chosen: dict[str, Any] = {"key": path, "origin": f"GET /{path}", "summary": f"Use {path}"}
    chosen |= {"paths": (path.rpartition("/")[0],)} | members
    return Tool(source="", path="", **chosen)


def make_row(path: str, *, former: tuple[str, ...] = (), **members: Any) -> Row:
    """One tool ready to be stored; `members` are those of `Tool`."""
    tool = make_tool(path, **members)
    body = pack_tool(tool)
    spellings = (path, path.rpartition("/")[2], *tool.aliases)
    return Row(
        path=path,
        key=tool.key,
        fingerprint=tool.fingerprint or hashlib.sha256(body).hexdigest(),
        version=tool.version,
        summary=tool.summary,
        effect=tool.effect,
        hidden=tool.hidden,
        deprecated=bool(tool.deprecated),
        requires_approval=tool.requires_approval,
        tags=tool.tags,
        paths=tool.paths,
        names=tuple(sorted({fold(spelling) for spelling in spellings})),
        definitions=references([tool.args_schema, tool.result_schema]),
        body=body,
        former=former,
    )


def make_record(source: str, **members: Any) -> SourceRecord:
    return SourceRecord(spec=SourceSpec(id=source, url=f"https://{source}.example.com"), **members)


def make_change(
    source: str,
    rows: Iterable[Row] = (),
    *,
    removed: Sequence[str] = (),
    nodes: Sequence[Node] | None = None,
    shapes: Mapping[str, Shape] | None = None,
) -> Change:
    return Change(record=make_record(source), rows=rows, removed=removed, nodes=nodes, shapes=shapes)


def make_shapes(**definitions: Any) -> dict[str, Shape]:
    """Definitions by name. The hash is over the text alone, which is enough where names do not change meaning."""
    texts = {name: msgspec.json.encode(schema) for name, schema in definitions.items()}
    return {
        name: Shape(hashlib.sha256(text).hexdigest(), references(definitions[name]), text)
        for name, text in texts.items()
    }


def references(schema: Any) -> tuple[str, ...]:
    """The definitions a schema names itself."""
    return tuple(sorted({name.decode() for name in _REFERENCE.findall(msgspec.json.encode(schema))}))
