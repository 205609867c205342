"""An input schema as its server wrote it, for clients that are shown the server's own tools."""

from __future__ import annotations

from typing import Any

import jsonschema_rs
import msgspec

from periplus.model import Schema

_BYTES = 1 << 20
_DIALECTS = frozenset(
    {
        "http://json-schema.org/draft-04/schema",
        "http://json-schema.org/draft-06/schema",
        "http://json-schema.org/draft-07/schema",
        "http://json-schema.org/draft/2019-09/schema",
        "http://json-schema.org/draft/2020-12/schema",
    }
)


def as_written(schema: Any, normal: Schema, *, mended: bool) -> Schema | None:
    """The schema, where its form is another than ours and is sound; one that had to be mended is shown mended."""
    if mended or not isinstance(schema, dict) or schema.get("type") != "object" or schema == normal:
        return None
    dialect = schema.get("$schema")
    if dialect is not None and not (isinstance(dialect, str) and _plain(dialect) in _DIALECTS):
        return None  # and nobody fetches it
    if not jsonschema_rs.meta.is_valid(schema) or len(msgspec.json.encode(schema)) > _BYTES:
        return None
    return schema


def _plain(dialect: str) -> str:
    return dialect.rstrip("#").replace("https://", "http://", 1)
