"""The proof: every operation, several argument sets, each request judged by those who share no code with us."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Protocol

import msgspec

from benchmarks.oracle.controls import spoiled
from benchmarks.oracle.documents import Described, Operation
from benchmarks.oracle.faults import Case, Fault, known
from benchmarks.oracle.samples import argument_sets
from periplus.model import Principal, Problem, Tool
from periplus.ports import Calling, HttpRequest
from periplus.transports.openapi import OpenAPITransport

_CALLING = Calling(principal=Principal(id="oracle"), idempotency_key="11111111-1111-4111-8111-111111111111")


class Judge(Protocol):
    """Says what is wrong with a request of an operation."""

    known_faults: tuple[Fault, ...]

    def faults(self, tool: Tool, request: HttpRequest) -> list[str]: ...


@dataclass
class Tally:
    """What came out for one document or for all."""

    operations: int = 0
    requests: int = 0
    accepted: int = 0  # by one judge at least, and refused by none outside its faults
    excused: Counter[str] = field(default_factory=Counter[str])
    wrong: list[str] = field(default_factory=list[str])
    refused: list[str] = field(default_factory=list[str])  # the schema takes them, the transport does not
    without: list[str] = field(default_factory=list[str])  # no argument set could be made
    unverified: list[str] = field(default_factory=list[str])

    def add(self, other: Tally) -> None:
        """Count another one in."""
        self.operations += other.operations
        self.requests += other.requests
        self.accepted += other.accepted
        self.excused += other.excused
        for name in ("wrong", "refused", "without", "unverified"):
            getattr(self, name).extend(getattr(other, name))


def prove(document: Described, judges: Iterable[Judge], keep: Callable[[Tool], bool] = lambda _: True) -> Tally:
    """Judge the requests of the operations that are kept."""
    tally, listed = Tally(), list(judges)
    for tool in filter(keep, document.tools):
        tally.add(_proved(document, tool, listed))
    return tally


def _proved(document: Described, tool: Tool, judges: list[Judge]) -> Tally:
    tally = Tally(operations=1)
    operation = document.operation(tool)
    name = f"{document.name} {tool.origin}"
    captured = list(_captured(document, tool, operation, name, tally))
    if not captured:
        tally.without.append(name)
        return tally
    believed: set[int] = set()
    for style, request in captured:
        tally.requests += 1
        verdicts = [_verdict(judge, tool, Case("", request, operation, document.traits)) for judge in judges]
        said = [text for texts, _ in verdicts for text in texts]
        believed.update(at for at, (_, excuse) in enumerate(verdicts) if not excuse)
        if said:
            tally.wrong.append(f"{name} ({style}): {request.target[:160]} {request.body[:160]!r}: {said[0]}")
        elif all(excuse for _, excuse in verdicts):
            tally.excused[verdicts[0][1]] += 1
        else:
            tally.accepted += 1
    if not any(_notices(judges[at], tool, operation, captured) for at in believed):
        tally.unverified.append(name)
    return tally


def _captured(
    document: Described, tool: Tool, operation: Operation, name: str, tally: Tally
) -> Iterator[tuple[str, HttpRequest]]:
    transport = OpenAPITransport()
    for given in argument_sets(tool.args_schema):
        try:
            prepared = transport.prepare(tool, document.site, given.arguments, _CALLING)
        except Problem as problem:
            tally.refused.append(f"{name} ({given.style}): {problem.message}")
            continue
        yield given.style, _keyed(document, operation, prepared.wire)


def _verdict(judge: Judge, tool: Tool, case: Case) -> tuple[list[str], str]:
    """What is wrong, without what the judge is known to get wrong; and the excuse, where one was needed."""
    left: list[str] = []
    excuse = ""
    for said in judge.faults(tool, case.request):
        found = known(judge.known_faults, case._replace(said=said))
        excuse = found or excuse
        if not found:
            left.append(said)
    return left, excuse


def _notices(judge: Judge, tool: Tool, operation: Operation, captured: list[tuple[str, HttpRequest]]) -> bool:
    """Whether the judge refuses a request that was made wrong where it matters: in its body, if it ever has one."""
    with_body = [request for _, request in captured if request.body]
    request = with_body[0] if with_body else captured[-1][1]
    wanted = {"body"} if with_body else {"query", "header", "path"}
    return any(place in wanted and judge.faults(tool, wrong) for place, wrong in spoiled(request, operation))


def _keyed(document: Described, operation: Operation, request: HttpRequest) -> HttpRequest:
    """The request with the keys that credentials would put in, where the document also declares them as parameters."""
    keys = {(one.get("in"), one.get("name")) for one in document.site.site["schemes"].values()}
    for one in operation.parameters:
        place, name = str(one.get("in")), str(one.get("name"))
        if (place, name) not in keys or f"{name}=" in request.target:
            continue
        if place == "query":
            sign = "&" if "?" in request.target else "?"
            request = msgspec.structs.replace(request, target=f"{request.target}{sign}{name}=text")
        elif place == "header" and all(key.lower() != name.lower() for key, _ in request.headers):
            request = msgspec.structs.replace(request, headers=(*request.headers, (name, "text")))
    return request
