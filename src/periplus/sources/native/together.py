"""Waiting for many things at once, where the first problem is everybody's."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable

import anyio

from periplus.model import Problem


async def together(tasks: Iterable[Callable[[], Awaitable[None]]]) -> None:
    """Run all; a problem ends the others and is raised alone."""
    problems: list[Problem] = []
    async with anyio.create_task_group() as group:

        async def run(task: Callable[[], Awaitable[None]]) -> None:
            try:
                await task()
            except Problem as problem:
                problems.append(problem)
                group.cancel_scope.cancel()

        for task in tasks:
            group.start_soon(run, task)
    if problems:
        raise problems[0]
