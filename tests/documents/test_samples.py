"""Every sample document loads, with the values an independent YAML 1.2 parser finds (S-10, S-11, S-112)."""

from __future__ import annotations

import re
import tarfile
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import msgspec
import pytest

from periplus.documents import decode, members

_CONTROLS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x80-\x9f]")
_METHODS = {"get", "put", "post", "delete", "options", "head", "patch", "trace"}


def _documents(shared: Path) -> Iterator[tuple[str, bytes]]:
    folder = shared / "data" / "openapi"
    for path in sorted(folder.glob("*.[jy]*")):
        if not path.name.endswith(".operations.json"):
            yield path.name, path.read_bytes()
    yield from _directory(shared)


def _directory(shared: Path) -> Iterator[tuple[str, bytes]]:
    with tarfile.open(shared / "data" / "openapi" / "directory-sample-300.tar.xz") as archive:
        for member in archive:
            content = archive.extractfile(member)
            if content is not None:
                yield member.name, content.read()


def test_every_directory_sample_loads_with_its_number_of_operations(shared: Path):
    """S-11: counted as the lister counted, over the lazy way and the whole one."""
    counts = msgspec.json.decode((shared / "data" / "openapi" / "directory-sample-300.operations.json").read_bytes())
    for name, data in _directory(shared):
        paths = decode(data, name=name).value.get("paths") or {}
        operations = sum(len(_METHODS & set(item)) for item in paths.values() if isinstance(item, dict))
        assert operations == counts[name], name


def test_json_documents_are_the_same_lazily_and_whole(shared: Path):
    for name, data in _documents(shared):
        if name.endswith(".json"):
            assert dict(members(data, name=name).items()) == decode(data, name=name).value


@pytest.mark.slow
def test_values_are_those_of_an_independent_parser(shared: Path):
    """saphyr, a YAML 1.2 parser in Rust, reads every YAML sample to the same value."""
    yaml12 = pytest.importorskip("yaml12", reason="needs the py-yaml12 package")
    compared = 0
    for name, data in _documents(shared):
        if name.endswith(".json"):
            continue
        theirs = yaml12.parse_yaml(_CONTROLS.sub("\ufffd", data.decode("utf-8", "replace")))
        assert _rounded(decode(data, name=name).value) == _plain(theirs, yaml12.Yaml), name
        compared += 1
    assert compared > 300


def _plain(value: Any, tagged: type) -> Any:
    """Their value with tags taken off and with our keys: those that are not text are numbers and booleans here."""
    if isinstance(value, tagged):
        return _plain(value.value, tagged)
    if isinstance(value, dict):
        return {_key(key): _plain(item, tagged) for key, item in value.items()}
    if isinstance(value, list):
        return [_plain(item, tagged) for item in value]
    return value


def _rounded(value: Any) -> Any:
    """Our value with the digits they lose lost: integers beyond 64 bits and decimals are floats to them."""
    if isinstance(value, dict):
        return {key: _rounded(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_rounded(item) for item in value]
    return float(value) if isinstance(value, Decimal) or (isinstance(value, int) and value >= 2**63) else value


def _key(key: Any) -> str:
    return key if isinstance(key, str) else msgspec.json.encode(key).decode()
