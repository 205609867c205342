"""Every shared document in one process: does all of it become tools, and in what time?

python -m benchmarks.samples openapi | directory | graphql
"""

from __future__ import annotations

import csv
import json
import sys
import tarfile
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import anyio
import graphql
import msgspec

import periplus
from benchmarks.processes import SHARED
from periplus.model import Problem, SourceSpec

_ROOTS = {"query": "Query", "mutation": "Mutation"}
_LARGE = 10_000_000


class Sample(NamedTuple):
    """A document, how many tools it should give, and how long that may take."""

    spec: SourceSpec
    expected: int
    limit_s: float = 5.0


def documents() -> Iterator[Sample]:
    """The chosen ones, counted in `index.csv`."""
    folder = SHARED / "openapi"
    for row in csv.DictReader((folder / "index.csv").read_text().splitlines()):
        path = folder / row["file"]
        limit_s = 2.0 if path.stat().st_size > _LARGE else 5.0
        yield Sample(SourceSpec(url=str(path)), int(row["operations"]), limit_s)


def directory(scratch: Path) -> Iterator[Sample]:
    """The three hundred of the public directory, counted beside their archive."""
    folder = SHARED / "openapi"
    expected: dict[str, int] = json.loads((folder / "directory-sample-300.operations.json").read_text())
    with tarfile.open(folder / "directory-sample-300.tar.xz") as archive:
        archive.extractall(scratch, filter="data")
    for name, operations in expected.items():
        yield Sample(SourceSpec(url=str(scratch / name)), operations)


def schemas() -> Iterator[Sample]:
    """GraphQL schemas; their fields are counted by `graphql-core`, not by our reader."""
    for path in sorted((SHARED / "graphql").iterdir()):
        text = path.read_text()
        fields = introspected(json.loads(text)) if path.suffix == ".json" else written(text)
        yield Sample(SourceSpec(url=str(path), kind="graphql", endpoint="https://api.example/graphql"), fields)


def introspected(answer: dict[str, Any]) -> int:
    """The query and mutation fields of an introspection result."""
    schema = answer.get("data", answer)["__schema"]
    roots = {(schema[f"{kind}Type"] or {}).get("name") for kind in _ROOTS}
    return sum(len(one["fields"]) for one in schema["types"] if one["name"] in roots)


def written(text: str) -> int:
    """The query and mutation fields of a schema as its authors write it, extensions included."""
    parsed = graphql.parse(text, no_location=True).definitions
    roots = dict(_ROOTS)
    for definition in parsed:
        if isinstance(definition, graphql.SchemaDefinitionNode):
            roots = {one.operation.value: one.type.name.value for one in definition.operation_types}
    names = {roots.get(kind) for kind in _ROOTS}
    kinds = (graphql.ObjectTypeDefinitionNode, graphql.ObjectTypeExtensionNode)
    return sum(len(one.fields or ()) for one in parsed if isinstance(one, kinds) and one.name.value in names)


async def judged(samples: Iterator[Sample], data: Path) -> dict[str, Any]:
    """Load them one after the other into one catalog; what went wrong, by document."""
    wrong: dict[str, str] = {}
    count, total, slowest = 0, 0.0, (0.0, "")
    async with periplus.open(f"sqlite:///{data}") as gateway:
        for number, sample in enumerate(samples):
            spec, name = sample.spec, Path(sample.spec.url).name
            began = time.process_time()
            try:
                report = await gateway.connect(msgspec.structs.replace(spec, id=f"sample-{number}"))
            except Problem as problem:
                wrong[spec.url] = str(problem)
                continue
            took = time.process_time() - began
            count, total, slowest = count + 1, total + took, max(slowest, (took, name))
            if report.counts.operations != sample.expected:
                wrong[spec.url] = f"{report.counts.operations} operations, not {sample.expected}"
            elif took > sample.limit_s:
                wrong[spec.url] = f"{took:.1f} s, more than {sample.limit_s:g}"
    return {"documents": count, "cpu_s": total, "slowest_s": slowest[0], "slowest": slowest[1], "wrong": wrong}


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder)
        samples = {"openapi": documents, "directory": lambda: directory(scratch), "graphql": schemas}[sys.argv[1]]()
        print(json.dumps(anyio.run(judged, samples, scratch / "data")))


if __name__ == "__main__":
    main()
