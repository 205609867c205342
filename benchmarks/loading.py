"""Loading, storing and opening again: what is measured, beside which peer, against which target."""

from __future__ import annotations

import shutil
import sys
import sysconfig
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from benchmarks import catalogs
from benchmarks.processes import DATA, PEER, ROOT, SHARED, Cost, interleaved, measure
from benchmarks.rows import Row, Target

_GITHUB = SHARED / "openapi" / "github-api.github.com-full-3.0.json"
_PERIPLUS = Path(sysconfig.get_path("scripts")) / "periplus"
_FASTMCP = ROOT / "benchmarks" / "peers" / "fastmcp_load.py"
_LARGE = 100_000


def load() -> Iterator[Row]:
    """From a file to a stored catalog that can be browsed, against FastMCP's server of the same document."""
    github = Target(cpu_s=0.6, times=2)
    work = "load GitHub's document: 1,223 operations, 13 MB"
    yield _loaded(work, _GITHUB, github, times=5, peer=3) if _GITHUB.is_file() else _absent(work, github)
    ten = Target(cpu_s=1.5, peak_mb=150, times=6)
    yield _loaded("load 10,000 operations", _document(10_000), ten, times=3, peer=1)
    yield _loaded("load 100,000 operations", _document(_LARGE), Target(cpu_s=15, peak_mb=400), times=1)


def reconnect() -> Iterator[Row]:
    """What it costs to find that nothing has changed, and to open what is stored."""
    stored = _stored()
    again = _job("load", str(_document(_LARGE)), str(stored))
    cost = interleaved({"ours": lambda: again}, 5)["ours"]
    failure = "" if cost.answer["unchanged"] else "the source was read again"
    yield Row(work="reconnect an unchanged source of 100,000", target=Target(cpu_s=0.1), ours=cost, failure=failure)
    one = str(cost.answer["ref"])
    described = interleaved({"ours": lambda: _job("describe", str(stored), one)}, 5)["ours"]
    opened = Target(cpu_s=0.3, peak_mb=120)
    yield Row(work="open a data directory of 100,000 tools, describe one", target=opened, ours=described)
    inspect = [str(_PERIPLUS), "--data", str(stored), "inspect", one]
    yield Row(work="`periplus inspect` on it, start-up included", target=Target(), ours=_command(inspect))


def start() -> Iterator[Row]:
    yield Row(work="`periplus --help`", target=Target(wall_s=0.25), ours=_command([str(_PERIPLUS), "--help"], 7))


def samples() -> Iterator[Row]:
    """Real documents: all of each becomes tools, and none takes long."""
    yield _sampled("34 OpenAPI documents, real ones", "openapi", "all operations, each < 5 s (13 MB: 2 s)")
    yield _sampled("300 OpenAPI documents of the public directory", "directory", "all operations, each < 5 s")
    yield _sampled("5 GraphQL schemas, real ones", "graphql", "all query and mutation fields, each < 5 s")


def _loaded(work: str, document: Path, target: Target, *, times: int, peer: int = 0) -> Row:
    with _empty() as directory:

        def ours() -> Sequence[str]:
            shutil.rmtree(directory, ignore_errors=True)
            return _job("load", str(document), str(directory))

        commands: dict[str, Callable[[], Sequence[str]]] = {"ours": ours}
        costs = interleaved(commands | ({"peer": lambda: _fastmcp(document)} if peer else {}), peer or times)
        if peer and times > peer:
            costs["ours"] = interleaved(commands, times)["ours"]
    found, peers = costs["ours"], costs.get("peer")
    failure = ""
    if peers and peers.answer["tools"] != found.answer["tools"]:
        failure = f"the peer has {peers.answer['tools']} tools, we {found.answer['tools']}"
    return Row(work=work, target=target, ours=found, peer=peers, failure=failure)


def _sampled(work: str, kind: str, says: str) -> Row:
    target = Target(says=says)
    if not SHARED.is_dir():
        return _absent(work, target)
    cost = measure([sys.executable, "-m", "benchmarks.samples", kind])
    answer = cost.answer
    told = f"{answer['cpu_s']:.1f} s cpu in all; slowest {answer['slowest']}: {answer['slowest_s']:.2f} s"
    failure = "; ".join(f"{name}: {why}" for name, why in answer["wrong"].items())
    return Row(work=work, target=target, ours=cost, told=told, failure=failure)


def _absent(work: str, target: Target) -> Row:
    return Row(work=work, target=target, told="../shared is absent", skipped=True)


def _stored() -> Path:
    """A data directory with the large catalog, written anew for each run."""
    directory = DATA / "stored"
    shutil.rmtree(directory, ignore_errors=True)
    measure(_job("load", str(_document(_LARGE)), str(directory)))
    return directory


def _document(operations: int) -> Path:
    path = DATA / f"{operations}.json"
    if not path.is_file():
        catalogs.write(path, operations)
    return path


@contextmanager
def _empty() -> Iterator[Path]:
    directory = DATA / "empty"
    yield directory
    shutil.rmtree(directory, ignore_errors=True)


def _job(*work: str) -> Sequence[str]:
    return [sys.executable, "-m", "benchmarks.jobs", *work]


def _fastmcp(document: Path) -> Sequence[str]:
    return [str(PEER), str(_FASTMCP), str(document)]


def _command(command: Sequence[str], times: int = 5) -> Cost:
    return interleaved({"ours": lambda: command}, times)["ours"]
