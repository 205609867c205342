"""FastMCP's BM25 search transform on a catalog and queries from files: run in an environment that has `fastmcp`.

python benchmarks/search/peer.py TOOLS.jsonl QUERIES.jsonl      prints {"found": [[ref, ...], ...], "ms": ..., ...}
"""

import json
import sys
import time
from pathlib import Path

import fastmcp
from fastmcp.server.transforms.search.base import _extract_searchable_text
from fastmcp.server.transforms.search.bm25 import _BM25Index
from fastmcp.tools.base import Tool


def main() -> None:
    tools = [json.loads(line) for line in Path(sys.argv[1]).read_text(encoding="utf-8").splitlines()]
    queries = [json.loads(line) for line in Path(sys.argv[2]).read_text(encoding="utf-8").splitlines()]
    began = time.perf_counter()
    index = _BM25Index()
    index.build(
        [
            _extract_searchable_text(
                Tool(name=tool["name"], description=tool["description"], parameters=tool["parameters"])
            )
            for tool in tools
        ]
    )
    built = time.perf_counter() - began
    began = time.perf_counter()
    found = [[tools[place]["ref"] for place in index.query(query, 10)] for query in queries]
    spent = time.perf_counter() - began
    answer = {
        "found": found,
        "ms": 1000 * spent / len(queries),
        "build_s": built,
        "version": fastmcp.__version__,
    }
    print(json.dumps(answer))


if __name__ == "__main__":
    main()
