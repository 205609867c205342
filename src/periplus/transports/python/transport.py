"""The transport of Python functions: found, given Python values, run within the deadline, told as JSON."""

from __future__ import annotations

import threading
import time
from functools import partial
from typing import Any, ClassVar

import anyio
import anyio.from_thread
import anyio.to_thread
from anyio.lowlevel import current_token

from periplus.model import Answer, Code, Prepared, Problem, Tool
from periplus.ports import Calling, CallWires, Site, no_progress
from periplus.provider import CallContext
from periplus.provider.foreign import Fault
from periplus.provider.loading import Place
from periplus.provider.work import Work
from periplus.transports.python.found import work_at
from periplus.transports.python.isolated import isolated
from periplus.transports.python.running import run
from periplus.transports.python.telling import answer_of, called, refusal

_REPORTS = 64


class PythonTransport:
    """Calls functions of modules that the operator named."""

    kind: ClassVar[str] = "python"

    def prepare(self, tool: Tool, site: Site, arguments: dict[str, Any], calling: Calling) -> Prepared:  # noqa: ARG002 - the port's
        """The call as it will be made."""
        if not site.spec.trusted:
            raise Problem(
                Code.FORBIDDEN,
                f"{site.spec.location} is Python code, which only the operator may add",
                hints=("add it on the command line or in periplus.toml",),
            )
        # A function is an upstream of its own: one that hangs is nothing to its neighbours.
        origin = f"python:{place_of(tool, site).module}:{_name(tool)}"
        return Prepared(method="python", origin=origin, wire=arguments)

    async def send(self, prepared: Prepared, tool: Tool, site: Site, calling: Calling, wires: CallWires) -> Answer:  # noqa: ARG002 - it goes nowhere
        """Call it once; what it raises is its refusal."""
        name = _name(tool)
        place = place_of(tool, site)
        ended = threading.Event()
        with anyio.move_on_after(calling.timeout_s):
            if site.spec.isolate:
                return answer_of(await isolated(place, name, prepared.wire, calling), calling.response_bytes)
            work = await anyio.to_thread.run_sync(work_at, place, name, abandon_on_cancel=True)
            try:
                found = await _reported(work, prepared.wire, calling, ended.is_set)
            finally:
                ended.set()  # for a function that runs on: its caller is gone, or its time is up
            if isinstance(found, Fault):
                raise refusal(name, found) from found.error
            return answer_of(found, calling.response_bytes)
        raise _too_long(name, site, calling, stopped=site.spec.isolate)


def _name(tool: Tool) -> str:
    return str(tool.binding.get("tool", tool.key))


def place_of(tool: Tool, site: Site) -> Place:
    """Where the function lies, by what was read of it."""
    binding = tool.binding
    return Place(
        str(binding.get("module", "")), str(binding.get("target", "")), str(site.site.get("directory") or site.spec.cwd)
    )


async def _reported(work: Work, arguments: dict[str, Any], calling: Calling, ended: Any) -> Any:
    """Run it, and tell its caller how far it is where somebody listens."""
    context = partial(
        CallContext,
        principal=calling.principal,
        deadline=time.time() + calling.timeout_s,
        idempotency_key=calling.idempotency_key,
        ended=ended,
    )
    if calling.progress is no_progress:
        return await run(work, called(work, arguments, context()))
    sends, reports = anyio.create_memory_object_stream[tuple[float, str]](_REPORTS)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_forwarded, reports, calling)
        async with sends:
            return await run(work, called(work, arguments, context(listener=_listener(sends))))


def _listener(sends: Any) -> Any:
    """Takes reports from any thread; one that nobody could read in time is left out."""
    home, token = threading.get_ident(), current_token()

    def put(percent: float, message: str) -> None:
        if sends.statistics().current_buffer_used < _REPORTS and sends.statistics().open_send_streams:
            sends.send_nowait((percent, message))

    def listen(percent: float, message: str) -> None:
        if threading.get_ident() == home:
            put(percent, message)
        else:
            anyio.from_thread.run_sync(put, percent, message, token=token)

    return listen


async def _forwarded(reports: Any, calling: Calling) -> None:
    async with reports:
        async for percent, message in reports:
            await calling.progress(percent, 100.0, message)


def _too_long(name: str, site: Site, calling: Calling, *, stopped: bool) -> Problem:
    """The refusal of a call whose time is up; a thread cannot be stopped, so a function in one may run on."""
    if stopped:
        hints: tuple[str, ...] = ("its process was ended", "give it a longer timeout_s (300 at most)")
    else:
        hints = (
            "unless it is asynchronous it runs on, and nobody gets its result",
            f"isolate = true in [sources.{site.spec.id}] ends such calls",
        )
    limit = calling.timeout_s  # what was left of the call's time, a little less than was given
    within = f"{limit:.0f}" if limit >= 10 else f"{limit:.2g}"
    return Problem(Code.TIMEOUT, f"{name} did not finish within {within} s", hints=hints, details={"stopped": stopped})
