"""Real documents: every schema a tool has is valid 2020-12, compiles, and refers to nothing that is not there."""

from __future__ import annotations

import tarfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import jsonschema_rs
import msgspec
import pytest
from schema_desk import DRAFT

_ENGINE = jsonschema_rs.RegexOptions()


def _documents(shared: Path) -> Iterator[tuple[str, bytes]]:
    for path in sorted((shared / "data" / "openapi").iterdir()):
        if path.suffix in {".json", ".yaml", ".yml"} and not path.name.endswith("operations.json"):
            yield path.name, path.read_bytes()


def _check(name: str, result: Any) -> None:
    definitions = result.reading.definitions
    schemas = [one for draft in result.drafts for one in (draft.args_schema, draft.result_schema) if one is not None]
    whole = {"$schema": DRAFT, "anyOf": schemas or [True], "$defs": dict(definitions)}
    whole = msgspec.json.decode(msgspec.json.encode(whole))
    assert jsonschema_rs.meta.is_valid(whole), name
    jsonschema_rs.validator_for(whole, validate_formats=True, pattern_options=_ENGINE)  # every `$ref` leads somewhere
    for draft in result.drafts:
        assert draft.args_schema["additionalProperties"] is False
        arguments = set(draft.args_schema["properties"])
        assert set(draft.args_schema.get("required", ())) <= arguments
        assert _bound(draft.binding) == arguments, (name, draft.key)
        for example in draft.examples:
            assert jsonschema_rs.is_valid(
                {**draft.args_schema, "$defs": whole["$defs"]}, example.input, pattern_options=_ENGINE
            )


def _bound(binding: dict[str, Any]) -> set[str]:
    """The arguments a transport would use."""
    found = {wire.get("arg", wire["name"]) for wire in binding["parameters"] if "const" not in wire}
    body = binding.get("body", {})
    if "choice" in body:
        found.add(body["choice"])
    for media in body.get("media", ()):
        names = media.get("args", {})
        found |= {names.get(name, name) for name in media.get("members", ())}
        found |= {media[key] for key in ("argument", "extra") if key in media}
    return found


def test_every_schema_of_the_shared_documents_is_valid_and_every_argument_is_bound(
    shared: Path, read: Callable[..., Any]
):
    """S-3, S-39, S-41"""
    for name, data in _documents(shared):
        _check(name, read(data))


@pytest.mark.slow
def test_every_schema_of_300_more_documents_is_valid_and_every_argument_is_bound(
    shared: Path, read: Callable[..., Any]
):
    """S-3, S-11, S-39"""
    with tarfile.open(shared / "data" / "openapi" / "directory-sample-300.tar.xz") as archive:
        for member in archive:
            file = archive.extractfile(member) if member.isfile() else None
            if file is not None:
                _check(member.name, read(file.read()))
