"""Real documents: every operation is there, whatever state the document is in."""

from __future__ import annotations

import csv
import json
import tarfile
from pathlib import Path
from typing import Any

import pytest

from periplus.model import Reading
from periplus.ports import Fetched, FetchRequest

INDEX = Path(__file__).resolve().parents[4] / "shared" / "data" / "openapi" / "index.csv"
ROWS = list(csv.DictReader(INDEX.read_text().splitlines())) if INDEX.is_file() else []


class Files:
    """Bodies by address."""

    def __init__(self, files: dict[str, bytes]) -> None:
        self.files = files

    async def send(self, request: FetchRequest) -> Fetched:
        body = self.files.get(request.url)
        return Fetched(url=request.url, status=404 if body is None else 200, body=body or b"")


def counted(connect: Any, url: str, body: bytes) -> tuple[Reading, int]:
    reading = connect(Files({url: body}), url=url)
    drafts = list(reading.drafts)
    assert len({draft.key for draft in drafts}) == len(drafts)
    assert all(set(draft.binding) >= {"method", "path", "accept", "parameters"} for draft in drafts)
    return reading, len(drafts) + sum(finding.count for finding in reading.findings if finding.skipped)


@pytest.mark.skipif(not ROWS, reason="needs the sample data in ../shared, which is not part of the project")
@pytest.mark.parametrize("row", ROWS, ids=[row["file"] for row in ROWS])
def test_a_real_document_has_all_its_operations(row: dict[str, str], connect: Any) -> None:
    """S-11, S-4."""
    url = f"https://api.example.com/{row['file']}"
    reading, operations = counted(connect, url, (INDEX.parent / row["file"]).read_bytes())
    assert operations == int(row["operations"])
    assert reading.document.version.startswith(row["oas_version"][:3])
    if operations == 0:
        assert any("no tools" in finding.message for finding in reading.findings)


@pytest.mark.slow
def test_three_hundred_documents_of_the_directory_have_all_their_operations(shared: Path, connect: Any) -> None:
    """S-11."""
    folder = shared / "data" / "openapi"
    expected: dict[str, int] = json.loads((folder / "directory-sample-300.operations.json").read_text())
    wrong = {}
    with tarfile.open(folder / "directory-sample-300.tar.xz") as archive:
        for member in archive:
            file = archive.extractfile(member) if member.name in expected else None
            if file is not None:
                _, found = counted(connect, f"https://api.example.com/{member.name}", file.read())
                if found != expected.pop(member.name):
                    wrong[member.name] = found
    assert wrong == {}
    assert expected == {}
