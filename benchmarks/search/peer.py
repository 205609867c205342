"""FastMCP's BM25 search transform on a catalog and queries from files: run in an environment that has `fastmcp`.

python benchmarks/search/peer.py tools.jsonl queries.jsonl      prints {"ndcg5": ..., "ms": ..., "build_s": ...}
"""

import json
import math
import sys
import time
from pathlib import Path


def main() -> None:
    from fastmcp.server.transforms.search.base import _extract_searchable_text  # noqa: PLC0415, PLC2701 - a peer's own reading
    from fastmcp.server.transforms.search.bm25 import _BM25Index  # noqa: PLC0415, PLC2701
    from fastmcp.tools.base import Tool  # noqa: PLC0415

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
    total = 0.0
    for query in queries:
        relevant = set(query["relevant"])
        found = [tools[place]["ref"] for place in index.query(query["text"], 5)]
        gained = sum(1 / math.log2(place + 2) for place, ref in enumerate(found) if ref in relevant)
        total += gained / sum(1 / math.log2(place + 2) for place in range(min(5, len(relevant))))
    spent = time.perf_counter() - began
    print(json.dumps({"ndcg5": 100 * total / len(queries), "ms": 1000 * spent / len(queries), "build_s": built}))


if __name__ == "__main__":
    main()
