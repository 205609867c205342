"""Real peers in environments of their own: made when a test first needs one, as `make peers` does."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

_ROOT = Path(__file__).resolve().parents[1]
_HOME = _ROOT / ".peers"
_MOST_S = 300


def python_of(peer: str) -> Path:
    """The interpreter that has the peer; the test is skipped, with the reason, where it cannot be had."""
    home, pinned = _HOME / peer, _ROOT / "requirements" / f"{peer}.txt"
    python = home / "bin" / "python"
    with _alone(peer):
        if not _is_ready(home, pinned):
            made = _make(home, python, pinned)
            if made.returncode:
                last = (made.stderr.strip() or made.stdout.strip()).splitlines()[-1:] or ["no reason given"]
                pytest.skip(f"{peer} cannot be installed from PyPI here: {last[0][:200]}")
            (home / ".ready").touch()
    return python


def _is_ready(home: Path, pinned: Path) -> bool:
    ready = home / ".ready"
    return ready.exists() and ready.stat().st_mtime >= pinned.stat().st_mtime


def _make(home: Path, python: Path, pinned: Path) -> subprocess.CompletedProcess[str]:
    """With uv where it is, else with what every Python brings; both check the hashes."""
    own = _ROOT / ".tools" / "bin" / "uv"
    uv = str(own) if own.exists() else shutil.which("uv")
    if uv:
        steps = [[uv, "venv", "--quiet", "--allow-existing", "--python", sys.executable, str(home)]]
        steps.append([uv, "pip", "sync", "--quiet", "--python", str(python), str(pinned)])
    else:
        steps = [[sys.executable, "-m", "venv", str(home)]]
        steps.append([str(python), "-m", "pip", "install", "--quiet", "--require-hashes", "-r", str(pinned)])
    done = _run(steps[0])
    return done if done.returncode else _run(steps[1])


def _run(command: list[str]) -> subprocess.CompletedProcess[str]:
    environment = {name: text for name, text in os.environ.items() if name not in {"PYTHONPATH", "VIRTUAL_ENV"}}
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=_MOST_S, check=False, env=environment)
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(command, 1, "", f"not done within {_MOST_S} s")


@contextmanager
def _alone(peer: str) -> Iterator[None]:
    """One process at a time makes it."""
    _HOME.mkdir(exist_ok=True)
    with (_HOME / f".{peer}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


@contextmanager
def serving(peer: str, script: Path, *arguments: str) -> Iterator[str]:
    """A script of the peer's that prints its port, until the block ends; its base address."""
    environment = {name: text for name, text in os.environ.items() if name != "PYTHONPATH"}
    command = [str(python_of(peer)), str(script), *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
        try:
            assert process.stdout is not None
            port = process.stdout.readline().strip()
            assert port.isdecimal(), f"{script.name} did not start"
            yield f"http://127.0.0.1:{port}"
        finally:
            process.kill()
