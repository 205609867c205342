"""A call in a process of its own, which ends with the call, with its deadline and with the gateway (S-103)."""

from __future__ import annotations

import os
import signal
import sys
import time
from contextlib import suppress
from typing import Any

import anyio
import msgspec
from anyio.abc import Process

from periplus.model import Code, Principal, Problem
from periplus.ports import Calling
from periplus.provider.giving import Given
from periplus.provider.loading import Place


class Order(msgspec.Struct, frozen=True, kw_only=True):
    """What the process is to do."""

    place: Place
    name: str
    arguments: bytes  # JSON, which has integers of any size
    principal: Principal
    deadline: float
    idempotency_key: str


class Refusal(msgspec.Struct, frozen=True, kw_only=True):
    """A `Problem` on its way between processes."""

    code: Code
    message: str
    hints: tuple[str, ...] = ()
    retryable: bool = False
    details: dict[str, Any] = {}


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """What came of it: a result whose value is JSON, or a refusal."""

    given: Given | None = None
    value: bytes = b"null"
    refusal: Refusal | None = None


async def isolated(place: Place, name: str, arguments: dict[str, Any], calling: Calling) -> Given:
    """What the function gives in a process of its own."""
    order = Order(
        place=place,
        name=name,
        arguments=msgspec.json.encode(arguments),
        principal=calling.principal,
        deadline=time.time() + calling.timeout_s,
        idempotency_key=calling.idempotency_key,
    )
    command = [sys.executable, "-m", "periplus.transports.python.child"]
    async with await anyio.open_process(command, stderr=None, start_new_session=True) as process:
        try:
            return _read(await _exchanged(process, order, calling), name)
        finally:
            _end(process)


async def _exchanged(process: Process, order: Order, calling: Calling) -> bytes:
    """Send the order and take the report. The way in stays open: when it closes, the process ends."""
    pipe, answers = process.stdin, process.stdout
    if pipe is None or answers is None:
        raise Problem(Code.INTERNAL, "a process without pipes was started")
    text = msgspec.msgpack.encode(order)
    with suppress(anyio.BrokenResourceError):  # it ended before it read: what it says is nothing, told below
        await pipe.send(len(text).to_bytes(8, "big") + text)
    taken = bytearray()
    with suppress(anyio.EndOfStream):
        while True:
            taken += await answers.receive()
            if len(taken) > calling.response_bytes + (1 << 20):
                raise Problem(
                    Code.TOO_LARGE,
                    f"{order.name} gives more than {calling.response_bytes:,} bytes, [limits] response_bytes",
                    hints=("ask for less: a page, a filter",),
                )
    return bytes(taken)


def _read(taken: bytes, name: str) -> Given:
    try:
        report = msgspec.msgpack.decode(taken, type=Report)
    except msgspec.DecodeError as error:
        raise Problem(
            Code.UPSTREAM_ERROR,
            f"{name} failed: its process ended without a result",
            hints=("the log of the gateway may say why",),
        ) from error
    if report.refusal is not None:
        said = report.refusal
        raise Problem(said.code, said.message, hints=said.hints, retryable=said.retryable, details=said.details)
    if report.given is None:
        raise Problem(Code.UPSTREAM_ERROR, f"{name} failed: its process reported nothing")
    return msgspec.structs.replace(report.given, value=msgspec.json.decode(report.value))


def _end(process: Process) -> None:
    """End it and all it started."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
