from __future__ import annotations

from periplus.ports import Clock
from periplus.testing.clock import SettableClock


def test_time_stands_still_until_it_is_moved() -> None:
    clock = SettableClock(at=100.0)
    assert (clock.now(), clock.now()) == (100.0, 100.0)
    clock.advance(2.5)
    assert clock.now() == 102.5


def test_tokens_differ_and_are_the_same_in_every_run() -> None:
    one: Clock = SettableClock()
    other: Clock = SettableClock()
    tokens = [one.token(16) for _ in range(100)]
    assert len(set(tokens)) == 100
    assert tokens == [other.token(16) for _ in range(100)]
    assert len(one.token(33)) == 33
