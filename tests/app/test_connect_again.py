"""Connecting what has not changed, and what has."""

from __future__ import annotations

import hashlib
import sqlite3
from pathlib import Path
from typing import Any

import msgspec
import pytest

from periplus.core.gateway import Gateway
from periplus.model import Effect, SourceSpec
from sites import Site, api, text


def written(directory: Path) -> dict[str, str]:
    """What the database files hold, byte for byte."""
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(directory.glob("periplus.db*"))}


class Watch:
    """Whether anybody wrote between two moments, as the files and SQLite itself tell it."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._connection = sqlite3.connect(directory / "periplus.db")
        self._before = self._look()

    def _look(self) -> tuple[Any, dict[str, str]]:
        version = self._connection.execute("PRAGMA data_version").fetchone()
        return version, {name: of for name, of in written(self._directory).items() if not name.endswith("-shm")}

    def check_silence(self) -> None:
        assert self._look() == self._before
        self._connection.close()


@pytest.mark.parametrize(
    ("validator", "status"), [("etag", 304), ("last-modified", 304), ("", 200)], ids=["etag", "last-modified", "none"]
)
async def test_connecting_an_unchanged_page_again_is_one_request_and_no_write(
    gateway: Gateway, site: Site, tmp_path: Path, validator: str, status: int
) -> None:
    """S-106: conditional where the server allows it; without validators the hash decides."""
    site.write("/api.json", text(api("a", "b")), validator=validator)
    first = await gateway.connect(site.url("/api.json"))
    assert first.counts.added == 2
    revision = await gateway.revision()
    site.asked()
    watch = Watch(tmp_path / "data")
    again = await gateway.connect(site.url("/api.json"))
    assert site.asked() == [("GET", "/api.json", status)]
    watch.check_silence()
    assert await gateway.revision() == revision
    assert again.unchanged
    assert (again.counts.tools, again.counts.added, again.counts.changed, again.counts.removed) == (2, 0, 0, 0)


async def test_connecting_an_unchanged_file_again_writes_nothing(gateway: Gateway, tmp_path: Path) -> None:
    """S-106."""
    file = tmp_path / "api.json"
    file.write_text(text(api("a", "b")))
    await gateway.connect(str(file))
    watch = Watch(tmp_path / "data")
    assert (await gateway.connect(str(file))).unchanged
    assert (await gateway.sync("api")).unchanged
    watch.check_silence()


async def test_external_documents_are_asked_for_conditionally_too(gateway: Gateway, site: Site, tmp_path: Path) -> None:
    """S-106: root and external documents; a change in one of them is seen."""
    document = api("a")
    document["paths"]["/a"]["get"]["parameters"][0]["schema"] = {"$ref": "shapes.json#/Size"}
    site.write("/api.json", text(document), validator="etag")
    site.write("/shapes.json", text({"Size": {"type": "integer"}}), validator="etag")
    await gateway.connect(site.url("/api.json"))
    site.asked()
    watch = Watch(tmp_path / "data")
    assert (await gateway.connect(site.url("/api.json"))).unchanged
    assert sorted(site.asked()) == [("GET", "/api.json", 304), ("GET", "/shapes.json", 304)]
    watch.check_silence()
    site.write("/shapes.json", text({"Size": {"type": "string"}}), validator="etag")
    changed = await gateway.connect(site.url("/api.json"))
    assert (changed.counts.changed, changed.changes) == (1, {"breaking": 1})


async def test_white_space_in_a_document_changes_no_tool(gateway: Gateway, tmp_path: Path) -> None:
    """S-107: another text of the same content writes no tool."""
    file = tmp_path / "api.json"
    file.write_text(text(api("a", "b")))
    await gateway.connect(str(file))
    file.write_text(text(api("a", "b")) + "\n\n")
    report = await gateway.connect(str(file))
    assert (report.counts.added, report.counts.changed, report.counts.removed) == (0, 0, 0)
    assert (await gateway.connect(str(file))).unchanged


async def test_a_change_writes_its_difference_as_one_revision(gateway: Gateway, site: Site, tmp_path: Path) -> None:
    """S-107, M-27: added, removed, and changed in text, additively or so that callers may break."""
    old = api("same", "worded", "wider", "narrower", "gone", "result")
    result = {"200": {"description": "", "content": {"application/json": {"schema": {"type": "object"}}}}}
    old["paths"]["/result"]["get"]["responses"] = result
    site.write("/api.json", text(old), validator="etag")
    await gateway.connect(site.url("/api.json"))
    before = {line.ref: await gateway.describe(str(line.ref)) for line in (await gateway.browse(deep=True)).tools}
    rows = stored(tmp_path / "data")
    new = api("same", "worded", "wider", "narrower", "new", "result")
    new["paths"]["/result"]["get"]["responses"] = result
    new["paths"]["/worded"]["get"]["summary"] = "Do it in other words."
    new["paths"]["/wider"]["get"]["parameters"].append({"name": "y", "in": "query", "schema": {"type": "string"}})
    new["paths"]["/narrower"]["get"]["parameters"][0]["required"] = True
    site.write("/api.json", text(new), validator="etag")
    revision = await gateway.revision()
    report = await gateway.connect(site.url("/api.json"))
    assert await gateway.revision() == revision + 1
    assert (report.counts.added, report.counts.changed, report.counts.removed) == (1, 3, 1)
    assert report.changes == {"text": 1, "additive": 1, "breaking": 1}
    after = {line.ref.leaf: await gateway.describe(str(line.ref)) for line in (await gateway.browse(deep=True)).tools}
    versions = {leaf: tool.version for leaf, tool in after.items()}
    assert versions == {
        "same": "1.0.0", "worded": "1.0.1", "wider": "1.1.0", "narrower": "2.0.0", "new": "1.0.0", "result": "1.0.0",
    }  # fmt: skip
    untouched = {"same", "result"}
    assert {tool.path.rpartition("/")[2] for tool in before.values()} > untouched
    assert all(after[tool.ref.leaf] == tool for tool in before.values() if tool.ref.leaf in untouched)
    kept = stored(tmp_path / "data")
    assert {key for key in rows if rows[key] == kept.get(key)} == untouched


def stored(directory: Path) -> dict[str, Any]:
    """The row of each tool, with the place in the table that shows whether it was written again."""
    connection = sqlite3.connect(directory / "periplus.db")
    rows = connection.execute("SELECT rowid, * FROM tool").fetchall()
    connection.close()
    return {key: row for row in rows for key in [next(cell for cell in row if cell in _KEYS)]}


_KEYS = frozenset({"same", "worded", "wider", "narrower", "gone", "new", "result"})


async def test_another_spec_reads_an_unchanged_page_again(gateway: Gateway, site: Site) -> None:
    """S-29: what the operator says of effects counts although the document is the same."""
    site.write("/api.json", text(api("a", "b")), validator="etag")
    spec = SourceSpec(id="quay", url=site.url("/api.json"))
    await gateway.connect(spec)
    assert (await gateway.describe("a")).effect is Effect.READ
    report = await gateway.connect(msgspec.structs.replace(spec, effects={"a": "destroy"}))
    assert (report.unchanged, report.counts.changed) == (False, 1)
    assert (await gateway.describe("a")).effect is Effect.DESTROY
    assert (await gateway.describe("b")).effect is Effect.READ


async def test_an_address_alone_keeps_what_was_said_of_its_source(gateway: Gateway, site: Site) -> None:
    """Connecting by address again is a refresh; it forgets no setting of the source."""
    site.write("/api.json", text(api("a")), validator="etag")
    await gateway.connect(SourceSpec(id="quay", url=site.url("/api.json"), effects={"a": "destroy"}))
    assert (await gateway.connect(site.url("/api.json"))).unchanged
    assert (await gateway.source("quay")).spec.effects == {"a": "destroy"}


async def test_refresh_reads_the_whole_page_and_still_writes_nothing_new(gateway: Gateway, site: Site) -> None:
    site.write("/api.json", text(api("a")), validator="etag")
    await gateway.connect(site.url("/api.json"))
    revision = await gateway.revision()
    site.asked()
    report = await gateway.connect(site.url("/api.json"), refresh=True)
    assert site.asked() == [("GET", "/api.json", 200)]
    assert not report.unchanged
    assert await gateway.revision() == revision


async def test_a_new_title_of_an_area_is_written_although_no_tool_changed(gateway: Gateway, site: Site) -> None:
    """S-107: different nodes are written too."""
    site.write("/api.json", text(api("a", tags=True)))
    await gateway.connect(site.url("/api.json"))
    tagged = api("a") | {"tags": [{"name": "things", "description": "All the things there are."}]}
    site.write("/api.json", text(tagged))
    revision = await gateway.revision()
    await gateway.connect(site.url("/api.json"))
    assert await gateway.revision() == revision + 1
    (source,) = (await gateway.browse()).nodes
    (area,) = (await gateway.browse(source.path)).nodes
    assert area.summary == "All the things there are."
