"""The process of one isolated call: an order on stdin, a report on stdout, and its end when stdin closes."""

from __future__ import annotations

import os
import sys
import threading
from typing import BinaryIO

import msgspec

from periplus.documents import canonical
from periplus.model import Problem
from periplus.provider import CallContext
from periplus.provider.foreign import Fault
from periplus.provider.giving import Given
from periplus.transports.python.found import work_at
from periplus.transports.python.isolated import Order, Refusal, Report
from periplus.transports.python.running import run_alone
from periplus.transports.python.telling import called, refusal


def main() -> None:
    """Take one order, carry it out, report."""
    inwards, outwards = sys.stdin.buffer, os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # what the function prints is no report
    size = int.from_bytes(inwards.read(8), "big")
    order = msgspec.msgpack.decode(inwards.read(size), type=Order)
    threading.Thread(target=_end_with, args=(inwards,), daemon=True).start()
    outwards.write(msgspec.msgpack.encode(_report(order)))
    outwards.close()
    os._exit(0)  # threads that the function left behind are nobody's


def _report(order: Order) -> Report:
    try:
        given = _done(order)
    except Problem as problem:
        said = Refusal(
            code=problem.code,
            message=problem.message,
            hints=problem.hints,
            retryable=problem.retryable,
            details=problem.details,
        )
        return Report(refusal=said)
    return Report(given=msgspec.structs.replace(given, value=None), value=_json(given))


def _done(order: Order) -> Given:
    work = work_at(order.place, order.name)
    context = CallContext(principal=order.principal, deadline=order.deadline, idempotency_key=order.idempotency_key)
    found = run_alone(work, called(work, msgspec.json.decode(order.arguments), context))
    if isinstance(found, Fault):
        raise refusal(order.name, found) from found.error
    return found


def _json(given: Given) -> bytes:
    try:
        return msgspec.json.encode(given.value)
    except OverflowError:  # an integer beyond 64 bits
        return canonical(given.value)


def _end_with(inwards: BinaryIO) -> None:
    inwards.read()
    os._exit(1)


if __name__ == "__main__":
    main()
