from __future__ import annotations

import logging

import anyio
import pytest

from periplus.core.jobs import Jobs
from periplus.model import Code, Problem


@pytest.mark.parametrize(("fails", "told"), [(ZeroDivisionError("by nothing"), 1), (Problem(Code.TIMEOUT, "late"), 0)])
async def test_a_fault_of_work_that_nobody_asks_about_is_logged_and_a_refusal_is_not(
    fails: Exception, told: int, caplog: pytest.LogCaptureFixture
) -> None:
    async def work(_: object) -> None:
        raise fails

    with caplog.at_level(logging.WARNING, "periplus"):
        async with anyio.create_task_group() as tasks:
            job = Jobs(tasks.start_soon).of("it", work)
    assert len(caplog.records) == told
    with pytest.raises(type(fails)):  # and whoever asks afterwards gets it all the same
        await job.result(1)
