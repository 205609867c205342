"""The record of a session: the truth of which a token is only the pointer and the proof (W-45)."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from periplus.core.workflows.tokens import Token

SLOT = "workflow"
RUNS = 2000
Mode = Literal["option_id", "auto_advance", "condition_not_met"]


class Pending(msgspec.Struct, frozen=True, kw_only=True):
    """A checkpoint that waits for its answer."""

    id: str
    issued: int  # ms
    presented: int = 0  # ms; 0 = never


class Answer(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How a checkpoint was resolved."""

    visit: int
    activity: str
    checkpoint: str
    mode: Mode
    option: str = ""  # empty when it was dismissed
    effect: dict[str, Any] | None = None  # as authored
    remaining: tuple[str, ...] = ()
    optional: bool = False
    at: int = 0  # ms


class Value(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a variable is, and from where."""

    value: Any
    source: Literal["effect", "tool"]
    at: int  # ms
    resolved: bool = True  # a text with a placeholder that nothing filled is no value anybody knows


class Visit(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A stay in an activity."""

    number: int
    activity: str
    came_from: int  # the number of the visit it was entered from
    first_seq: int
    at: int  # ms
    condition: str = ""
    request: str = ""  # what was asked for to get here, so that the same can be asked again
    issued: tuple[str, ...] = ()
    requested: str = ""  # where the last answer with a target leads
    steps: tuple[str, ...] = ()  # reported when it was left


class Run(msgspec.Struct, frozen=True, array_like=True):
    """From which number on tokens were issued to an agent in a visit."""

    seq: int
    visit: int
    agent: str


class StepCall(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A tool that a step ran."""

    visit: int
    step: str
    tool: str
    call: str  # the trace it can be read under
    at: int = 0


class Record(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Everything about one session."""

    sid: str
    workflow: str
    version: str
    digest: str = ""
    started: int  # ms
    status: Literal["running", "completed"] = "running"
    act: str = ""
    cond: str = ""
    skill: str = ""
    visit: int = 0
    seq: int = -1  # the last number issued
    pending: tuple[Pending, ...] = ()
    answers: tuple[Answer, ...] = ()
    variables: dict[str, Value] = {}
    skipped: tuple[str, ...] = ()
    visits: tuple[Visit, ...] = ()
    agents: tuple[str, ...] = ()
    calls: tuple[StepCall, ...] = ()
    runs: tuple[Run, ...] = ()  # only where handles are issued
    traced: int = 0  # how many events trace tokens have told
    traced_row: int = 0  # the last row of the trail that was read for them
    traced_span: str = ""  # the event that brought the last trace token
    trace_token: str = ""  # that token
    approvals: dict[str, str] = {}  # by checkpoint: the question put to a person

    @property
    def stay(self) -> Visit | None:
        """The present visit."""
        return self.visits[-1] if self.visits and self.visits[-1].number == self.visit else None

    def pending_ids(self) -> tuple[str, ...]:
        """The checkpoints that wait, in order."""
        return tuple(one.id for one in self.pending)

    def waiting(self, checkpoint: str) -> Pending | None:
        """A checkpoint while it waits."""
        return next((one for one in self.pending if one.id == checkpoint), None)

    def answer(self, checkpoint: str, visit: int | None = None) -> Answer | None:
        """The answer it got in a visit, the present one unless another is named."""
        wanted = self.visit if visit is None else visit
        return next((one for one in self.answers if one.visit == wanted and one.checkpoint == checkpoint), None)

    def is_current(self, token: Token) -> bool:
        """Whether a token is of the present visit (W-46)."""
        if token.vis is not msgspec.UNSET:
            return token.vis == self.visit
        first = self.stay.first_seq if self.stay else 0
        return token.act == self.act and token.seq >= first


def restored(token: Token, workflow: str, now: int, before: Record | None) -> Record:
    """A record made again from what a token proves (W-47); what else was known of the session is kept."""
    visit = token.vis if token.vis is not msgspec.UNSET else (before.visit + 1 if before else 1)
    record = before or Record(sid=token.sid, workflow=workflow, version=token.v, started=now)
    issued = token.pcpt * 1000 + 999
    visits = tuple(one for one in record.visits if one.number < visit)
    if token.act:
        stay = Visit(
            number=visit, activity=token.act, came_from=visit - 1, first_seq=0, at=now, condition=token.cond,
            issued=token.pcp,
        )  # fmt: skip
        visits = (*visits, stay)
    return msgspec.structs.replace(
        record,
        act=token.act,
        cond=token.cond,
        skill=token.skill,
        visit=visit if token.act else 0,
        seq=token.seq,
        pending=tuple(Pending(id=id_, issued=issued) for id_ in token.pcp),
        answers=tuple(one for one in record.answers if one.visit <= visit),
        visits=visits,
        agents=tuple(dict.fromkeys((*record.agents, token.aid))),
        trace_token="",
    )
