"""The key ring on disk: one for all processes, 0600, whole or not there, rotated without breaking what is open."""

from __future__ import annotations

import os
import stat
import threading
from pathlib import Path

import msgspec
import pytest

from periplus.app.clock import SystemClock
from periplus.app.keyring import load_ring, rotate
from periplus.core.seal import Seal
from periplus.model import Code, Problem

CLOCK = SystemClock()


def test_the_first_load_makes_a_ring_for_its_owner_alone(tmp_path: Path) -> None:
    ring = load_ring(tmp_path, CLOCK)
    file = tmp_path / "keys.json"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert [each.name for each in tmp_path.iterdir()] == ["keys.json"], "no draft stays behind"
    assert load_ring(tmp_path, CLOCK) == ring
    assert len(ring.keys[0].secret) == 32


def test_an_open_umask_opens_nothing(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        load_ring(tmp_path, CLOCK)
        rotate(tmp_path, CLOCK)
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "keys.json").stat().st_mode) == 0o600


def test_processes_that_start_at_once_agree_on_one_ring(tmp_path: Path) -> None:
    rings = []
    start = threading.Barrier(8)

    def load() -> None:
        start.wait()
        rings.append(load_ring(tmp_path, CLOCK))

    threads = [threading.Thread(target=load) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(rings) == 8
    assert all(ring == rings[0] for ring in rings)


def test_what_was_sealed_before_a_rotation_opens_after_it(tmp_path: Path) -> None:
    token = Seal(load_ring(tmp_path, CLOCK), CLOCK).seal("cursor", [1, "a"])
    rotated = rotate(tmp_path, CLOCK)
    assert len(rotated.keys) == 2
    assert load_ring(tmp_path, CLOCK) == rotated
    later = Seal(rotated, CLOCK)
    assert later.open("cursor", token) == [1, "a"]
    fresh = later.seal("cursor", 2)
    rotate(tmp_path, CLOCK)
    newest = Seal(rotate(tmp_path, CLOCK), CLOCK)
    assert newest.open("cursor", fresh) == 2
    with pytest.raises(Problem) as forgotten:
        newest.open("cursor", token)
    assert forgotten.value.code is Code.INVALID_TOKEN


@pytest.mark.parametrize(
    "content", [b"", b"junk", b"{}", b'{"keys": []}', b'{"keys": [{"id": "YQ==", "secret": "c2hvcnQ="}]}', b"\xff\xfe"]
)
def test_a_damaged_ring_is_refused_with_what_to_do(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "keys.json").write_bytes(content)
    with pytest.raises(Problem) as refused:
        load_ring(tmp_path, CLOCK)
    assert refused.value.code is Code.STORE_ERROR
    assert str(tmp_path / "keys.json") in refused.value.message
    assert "restore the file, or remove it" in refused.value.hints[0]


def test_no_secret_is_in_what_a_fault_says(tmp_path: Path) -> None:
    ring = load_ring(tmp_path, CLOCK)
    file = tmp_path / "keys.json"
    secret = msgspec.json.decode(file.read_bytes())["keys"][0]["secret"]
    file.write_bytes(file.read_bytes()[:-3])
    with pytest.raises(Problem) as refused:
        load_ring(tmp_path, CLOCK)
    assert secret not in str(refused.value.to_json())
    assert repr(ring.keys[0].secret) not in str(refused.value.to_json())
