"""What servers log during a call is heard by the caller that made it, and by nobody else."""

# What a server was asked is read from a file, and it writes down a start there: it tells it nowhere else.
# ruff: noqa: ASYNC110, ASYNC240

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import anyio
import pytest

from periplus.core.gateway import Gateway
from periplus.model import Principal, Problem
from periplus.ports import Listener, Logged

Harbour = Callable[..., Awaitable[Gateway]]
ANN, BEN = Principal(id="ann"), Principal(id="ben")


class Ear:
    """Writes down what it hears."""

    def __init__(self, woken: Callable[[], object] = int) -> None:
        self.heard: list[str] = []
        self._woken = woken

    async def tell(self, logged: Logged) -> None:
        self.heard.append(str(logged.data))
        self._woken()

    def from_(self, level: str) -> Listener:
        return Listener(tell=self.tell, level=level)


async def call(gateway: Gateway, who: Principal, ear: Ear, wanted: int, level: str = "debug") -> None:
    given = {"name": who.id, "wanted": wanted}
    await gateway.call("lively/meet", given, principal=who, listener=ear.from_(level))


@pytest.mark.parametrize("way", ["stdio", "both", "old", "sse"])
async def test_a_caller_hears_what_is_logged_from_its_level_on(harbour: Harbour, way: str) -> None:
    """T-7: before its answer, in order."""
    gateway, all_of_it, some = await harbour(way), Ear(), Ear()
    await call(gateway, ANN, all_of_it, 1)
    await call(gateway, ANN, some, 1, "warning")
    await gateway.call("lively/meet", {"name": "deaf"})
    assert all_of_it.heard == ["ann comes", "ann counts", "ann goes"]
    assert some.heard == ["ann goes"]


@pytest.mark.parametrize("way", ["stdio", "both", "old", "sse"])
async def test_two_callers_at_once_never_hear_each_other(harbour: Harbour, way: str) -> None:
    """T-22: where a wire does not say whose a message is, neither is shown it."""
    gateway, ann, ben = await harbour(way), Ear(), Ear()
    apart = way in {"both", "old"}
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(call, gateway, ANN, ann, 2)
        tasks.start_soon(call, gateway, BEN, ben, 2)
    assert set(ann.heard) <= {"ann comes", "ann counts", "ann goes"}
    assert set(ben.heard) <= {"ben comes", "ben counts", "ben goes"}
    assert (len(ann.heard + ben.heard) == 6) is apart
    assert ("ben comes" in ben.heard) is apart


@pytest.mark.parametrize(("way", "apart"), [("old", True), ("sse", False)])
async def test_what_a_server_asks_one_caller_is_not_told_to_another(harbour: Harbour, way: str, apart: Any) -> None:
    """T-22: where it may be either of them, a refusal says that it asked, and not what."""
    gateway, caught = await harbour(way), list[Problem]()

    async def fail() -> None:
        try:
            given = {"name": "ben", "wanted": 2, "fails": True}
            await gateway.call("lively/meet", given, principal=BEN, listener=Ear(begun.set).from_("debug"))
        except Problem as problem:
            caught.append(problem)

    begun = anyio.Event()
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(fail)
        await begun.wait()
        with pytest.raises(Problem) as asked:
            await gateway.call("lively/ask", principal=ANN)
        await gateway.call("lively/meet", {"name": "ann", "wanted": 2}, principal=ANN)
    assert ("Tow her?" in asked.value.message) is apart
    assert "Tow her?" not in str(caught[0].to_json())
    assert ("a person's answer" in caught[0].message) is not apart


async def test_who_comes_after_a_call_that_was_given_up_hears_nothing_of_it(harbour: Harbour, told: Path) -> None:
    """T-22: its work may go on at the server, over a wire that all share."""
    gateway, ben = await harbour("stdio"), Ear()
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(lambda: gateway.call("lively/slow", principal=ANN))
        while "started" not in told.read_text():
            await anyio.sleep(0.01)
        tasks.cancel_scope.cancel()
    await call(gateway, BEN, ben, 1)
    assert ben.heard == []


async def test_a_server_is_asked_to_log_as_finely_as_anybody_wants(harbour: Harbour, told: Path) -> None:
    """T-7: once, and by nobody who did not ask for it."""
    gateway = await harbour("old")
    for level in ("", "error", "info", "debug", "warning"):
        await call(gateway, ANN, Ear(), 1, level)
    assert told.read_text().split("\n")[:-1] == ["level info", "level debug"]


async def test_secrets_in_a_log_are_not_passed_on(harbour: Harbour, monkeypatch: pytest.MonkeyPatch) -> None:
    """S-79, T-23."""
    monkeypatch.setenv("TIDE_SECRET", "spring-tide-0451")
    gateway, ear = await harbour(env={"TIDE_TOKEN": "env:TIDE_SECRET"}), Ear()
    await gateway.call("lively/meet", {"name": "spring-tide-0451"}, listener=ear.from_("debug"))
    assert ear.heard == ["*** comes", "*** counts", "*** goes"]
