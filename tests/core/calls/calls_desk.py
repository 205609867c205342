"""Tools of a harbour, and a transport that a test watches and directs."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, NoReturn

import msgspec

from periplus.core.calls.asked import Bounds
from periplus.core.gateway import Gateway, Parts
from periplus.core.standing import Always
from periplus.model import (
    Answer,
    CallRules,
    Code,
    Document,
    Effect,
    Policy,
    Prepared,
    Principal,
    Problem,
    SourceRecord,
    SourceSpec,
    SourceState,
    Tool,
)
from periplus.ports import Calling, CallWires, Change, Site
from periplus.testing.catalogs import make_row

Reply = Callable[[Prepared, Calling], Awaitable[Answer]]
AGENT = Principal(id="agent-1", tenant="acme")
OTHER = Principal(id="agent-2", tenant="acme")
BOSS = Principal(id="boss", tenant="acme", scopes=frozenset({"admin"}))


class Watched:
    """A transport of kind "watched": it keeps what was sent and answers as it is told, at first with the arguments."""

    kind = "watched"

    def __init__(self) -> None:
        self.sent: list[dict[str, Any]] = []
        self.callings: list[Calling] = []
        self.reply: Reply = self.echo

    async def echo(self, prepared: Prepared, calling: Calling) -> Answer:
        return Answer(value=prepared.wire, meta={"http_status": 200})

    def prepare(self, tool: Tool, site: Site, arguments: dict[str, Any], calling: Calling) -> Prepared:
        path = f"/{tool.path}/{arguments.get('berth', '')}"
        origin = site.spec.url
        return Prepared(method="POST", origin=origin, template=f"/{tool.path}", path=path, wire=arguments)

    async def send(self, prepared: Prepared, tool: Tool, site: Site, calling: Calling, wires: CallWires) -> Answer:
        self.sent.append(prepared.wire)
        self.callings.append(calling)
        return await self.reply(prepared, calling)

    def answer(self, value: Any, **members: Any) -> None:
        async def reply(prepared: Prepared, calling: Calling) -> Answer:
            return Answer(value=value, **members)

        self.reply = reply

    def refuse(self, *problems: Problem | Any) -> None:
        """Answer with these one after the other; a problem is raised, anything else is the value."""
        left = list(problems)

        async def reply(prepared: Prepared, calling: Calling) -> Answer:
            one = left.pop(0)
            if isinstance(one, Problem):
                raise Problem(one.code, one.message, details=dict(one.details), retryable=one.retryable)
            return Answer(value=one)

        self.reply = reply


ARGS: dict[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["berth"],
    "properties": {
        "berth": {"type": "string", "enum": ["A1", "B4", "C2"]},
        "nights": {"type": "integer", "minimum": 1, "maximum": 30},
        "note": {"type": ["string", "null"]},
        "ship": {"type": "object", "properties": {"length_m": {"type": "number"}}},
        "X-Trace": {"type": "string"},
    },
}
ROWS = (
    make_row("berths/list", effect=Effect.READ, args_schema={"type": "object", "properties": {"q": {}}}),
    make_row("berths/reserve", effect=Effect.WRITE, args_schema=ARGS, schema_hash="s1", fingerprint="f1"),
    make_row("berths/cancel", effect=Effect.DESTROY, args_schema=ARGS, schema_hash="s2", tags=("danger",)),
    make_row("pilots/assign", effect=Effect.WRITE, requires_approval=True, args_schema=ARGS, schema_hash="s3"),
    make_row("secret/door", effect=Effect.READ, hidden=True),
)


def nowhere(*_: Any) -> NoReturn:
    raise Problem(Code.UNSUPPORTED, "nothing goes out in this test")


async def fill(parts: Parts, *, spec: SourceSpec | None = None, rows: Any = ROWS) -> None:
    """Put the harbour's tools into the store."""
    spec = spec or SourceSpec(id="harbour", kind="watched", url="https://harbour.example.com")
    record = SourceRecord(spec=spec, state=SourceState.OK, document=Document(url=spec.url, kind="watched"))
    await parts.store.apply(Change(record=record, rows=rows), 1.0)


def governed(parts: Parts, policy: Policy | None = None, **rules: Any) -> Gateway:
    """A gateway over the same data under another policy or other rules for calls."""
    policies = Always(policy) if policy else parts.policies
    return Gateway(msgspec.structs.replace(parts, policies=policies, bounds=Bounds(rules=CallRules(**rules))))
