"""While sources are taken in, garbage is looked for less often; afterwards all is as it was."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from periplus.core.intake.garbage import collected_rarely


@pytest.fixture(autouse=True)
def usual() -> Iterator[None]:
    before = gc.get_threshold()
    yield
    gc.set_threshold(*before)


def test_reads_side_by_side_leave_the_threshold_as_the_first_one_found_it():
    gc.set_threshold(701, 11, 12)
    one, other = collected_rarely(), collected_rarely()
    one.__enter__()
    other.__enter__()
    assert gc.get_threshold()[0] > 10_000
    one.__exit__(None, None, None)
    assert gc.get_threshold()[0] > 10_000, "the other one still reads"
    other.__exit__(None, None, None)
    assert gc.get_threshold()[0] == 701


def test_a_failed_read_sets_it_back_too():
    gc.set_threshold(701, 11, 12)
    with pytest.raises(ZeroDivisionError), collected_rarely():
        assert 1 // 0
    assert gc.get_threshold()[0] == 701


@pytest.mark.parametrize("own", [0, 90_000])
def test_a_process_that_collects_more_rarely_or_never_is_left_alone(own: int):
    gc.set_threshold(own, 11, 12)
    with collected_rarely():
        assert gc.get_threshold()[0] == own
    assert gc.get_threshold()[0] == own
