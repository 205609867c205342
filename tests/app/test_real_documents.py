"""Real documents of every kind in one catalog: all their operations are there and can be read."""

from __future__ import annotations

import csv
import random
from pathlib import Path

import jsonschema
import pytest

from periplus.core.gateway import Gateway
from periplus.core.schema.signature import one_line, signature
from periplus.model import SourceSpec


@pytest.mark.slow
async def test_real_documents_fill_one_catalog_with_all_they_have(gateway: Gateway, shared: Path) -> None:
    """S-4, S-11, S-81, S-89: operations equal the independent count, and nothing is lost between reading and store."""
    draw = random.Random(3)
    folder, tools = shared / "data" / "openapi", 0
    with (folder / "index.csv").open() as file:
        expected = {row["file"]: int(row["operations"]) for row in csv.DictReader(file)}
    for number, (name, operations) in enumerate(sorted(expected.items())):
        report = await gateway.connect(SourceSpec(id=f"o{number}", url=str(folder / name)))
        assert report.kind == "openapi", name
        assert report.counts.operations == operations, name
        assert report.counts.tools + report.counts.skipped == operations, name
        tools += report.counts.tools
        if report.counts.tools:
            await some_can_be_read(gateway, f"o{number}", draw)
    for number, document in enumerate(sorted((shared / "data" / "graphql").iterdir())):
        spec = SourceSpec(id=f"g{number}", url=str(document), endpoint="https://api.example.com/graphql")
        report = await gateway.connect(spec)
        assert (report.kind, report.counts.skipped) == ("graphql", 0), document.name
        tools += report.counts.tools
        await some_can_be_read(gateway, f"g{number}", draw)
    assert (await gateway.browse()).node.tools == tools
    assert await gateway.revision() == len(await gateway.sources())


async def some_can_be_read(gateway: Gateway, source: str, draw: random.Random) -> None:
    """Tools of a source as a reader meets them: a schema that is one, a signature, a summary."""
    page = await gateway.browse(source, deep=True, limit=1000)
    for line in draw.sample(page.tools, min(5, len(page.tools))):
        tool = await gateway.describe(str(line.ref))
        assert tool.ref == line.ref
        jsonschema.Draft202012Validator.check_schema(tool.args_schema)
        assert tool.args_schema["type"] == "object"
        assert 0 < len(tool.summary) <= 120
        assert tool.ref.leaf in one_line(tool)
        assert "function" in signature(tool)
