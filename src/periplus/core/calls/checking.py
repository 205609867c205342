"""From what was asked to what would be sent: named, validated, prepared and judged. Nothing has left yet."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from periplus.core import names
from periplus.core.audit import Note
from periplus.core.calls.arguments import check_size, settled
from periplus.core.calls.asked import Asked, Bounds, Ready
from periplus.core.calls.limits import Limits
from periplus.core.calls.reading import check_read
from periplus.core.calls.results import Results, references
from periplus.core.calls.secrets import without_secrets
from periplus.core.mending.lenient import Leniency, mended
from periplus.core.policy import Judge
from periplus.core.schema.validation import Validators
from periplus.core.sequence.templates import Template
from periplus.core.sessions import Conversations
from periplus.model import Action, Code, Decision, Prepared, Principal, Problem, SourceRecord, Tool, Verdict
from periplus.ports import Calling, Clock, Site, Store, Transport

_LONGEST_S = 300.0
_SELECT = "_select"


class Checks:
    """Everything that is looked at before a person or a limit is asked."""

    def __init__(  # noqa: PLR0913, PLR0917 - one for each part it looks with
        self,
        store: Store,
        clock: Clock,
        transport: Callable[[str], Transport],
        bounds: Bounds,
        limits: Limits,
        results: Results,
        sessions: Conversations,
    ) -> None:
        self._store = store
        self._clock = clock
        self._transport = transport
        self._bounds = bounds
        self._limits = limits
        self._results = results
        self._sessions = sessions
        self.validators = Validators()

    async def ready(self, asked: Asked, judge: Judge, sources: Sequence[SourceRecord], note: Note) -> Ready:
        """The call as it would be sent, and what the policy says to it; a denied one is refused here."""
        check_size(asked.arguments, self._bounds.rules)
        tool = await names.find(self._store, asked.tool, judge.scope)
        note.about(tool.ref)
        if asked.must_read:
            await check_read(asked.must_read, tool, self._sessions, asked.principal, asked.session)
        given, left_out = _without_selection(tool, settled(tool, asked.arguments))
        given, notes = mended(tool, given, asked.leniency)
        arguments = await self._filled(asked, tool, given)
        note.add(arguments=without_secrets(tool, arguments), effect=tool.effect.word)
        self.validators.check_arguments(tool, arguments)
        site = site_of(tool, sources)
        calling = self._calling(asked, tool, site, note.trace)
        prepared = self._transport(site.spec.kind).prepare(tool, site, arguments, calling)
        decision = judge.decide(Action.CALL, tool, arguments, prepared)
        note.ruled(decision.rule)
        if decision.verdict is Verdict.DENY:
            raise forbidden(tool, decision)
        return Ready(
            tool=tool,
            site=site,
            given=given,
            arguments=arguments,
            calling=calling,
            prepared=prepared,
            decision=decision,
            policy=judge.policy.version,
            notes=(*left_out, *notes),
        )

    def mended(self, tool: Tool, arguments: dict[str, Any], leniency: Leniency) -> Template:
        """Arguments as a call would have them, references in them still open."""
        check_size(Template(arguments).value, self._bounds.rules)
        given, _ = _without_selection(tool, settled(tool, arguments))
        made, _ = mended(tool, given, leniency)
        return Template(made)

    def prepared(
        self, tool: Tool, sources: Sequence[SourceRecord], arguments: dict[str, Any], who: Principal
    ) -> Prepared:
        """The request that these arguments would make; refused where they are not what the tool takes."""
        check_size(arguments, self._bounds.rules)
        arguments, _ = _without_selection(tool, settled(tool, arguments))
        self.validators.check_arguments(tool, arguments)
        site = site_of(tool, sources)
        return self._transport(site.spec.kind).prepare(tool, site, arguments, Calling(principal=who))

    async def _filled(self, asked: Asked, tool: Tool, given: dict[str, Any]) -> dict[str, Any]:
        """The arguments with a selection the upstream takes itself, and kept results filled in."""
        if asked.shape.asked and (name := selects_by(tool)):
            given = {name: _as_given(asked.shape.asked), **given}
        if not references(given):
            return given
        filled = await self._results.filled_in(given, asked.principal)
        check_size(filled, self._bounds.rules)
        return filled

    def _calling(self, asked: Asked, tool: Tool, site: Site, trace: str) -> Calling:
        rules, who = self._bounds.rules, asked.principal
        if asked.timeout_s is not None and not asked.timeout_s > 0:
            raise Problem(Code.BAD_INPUT, f"timeout_s {asked.timeout_s:g} is no time", hints=("give 1 to 300",))
        said = (
            asked.timeout_s,
            tool.metadata.get("timeout"),
            site.spec.timeout_seconds,
            self._limits.timeout_s(who, tool),
        )
        least = min((float(one) for one in said if isinstance(one, int | float) and one > 0), default=None)
        return Calling(
            principal=who,
            trace=trace,
            idempotency_key=asked.idempotency_key or self._clock.token(16).hex(),
            timeout_s=min(rules.timeout_seconds if least is None else least, _LONGEST_S),
            response_bytes=self._limits.response_bytes(who, tool, self._bounds.response_bytes),
            stream_s=self._bounds.stream_s,
            presented=asked.presented,
            dialogue=asked.dialogue,
            progress=asked.progress,
            listener=asked.listener,
        )


def site_of(tool: Tool, sources: Sequence[SourceRecord]) -> Site:
    """What all calls to the tool's source share."""
    record = next((one for one in sources if one.id == tool.source), None)
    if record is None:
        raise Problem(Code.SOURCE_NOT_FOUND, f"the source of {tool.ref} is gone", hints=("search again",))
    return Site(spec=record.spec, document_url=record.document.url if record.document else "", site=record.site)


def selects_by(tool: Tool) -> str:
    """The argument that tells the upstream what to give, so that nothing has to be picked afterwards (S-84)."""
    said = tool.binding.get("select")
    if isinstance(said, str):
        return said
    properties = tool.args_schema.get("properties")
    return _SELECT if isinstance(properties, dict) and _SELECT in properties else ""


def _without_selection(tool: Tool, given: dict[str, Any]) -> tuple[dict[str, Any], tuple[str, ...]]:
    """The arguments without a selection for a tool whose result has nothing to select from (S-84)."""
    if _SELECT not in given or tool.binding.get("select") != "" or _SELECT in tool.args_schema.get("properties", {}):
        return given, ()
    rest = {name: value for name, value in given.items() if name != _SELECT}
    return rest, (f"{_SELECT} is left out: {tool.ref} gives a single value",)


def forbidden(tool: Tool, decision: Decision) -> Problem:
    """The refusal for a tool that may be seen and not used."""
    why = f": {decision.reason}" if decision.reason else ""
    return Problem(
        Code.FORBIDDEN,
        f"{tool.ref} may not be used like this ({decision.rule}{why})",
        hints=(f"periplus policy check {tool.ref} says which rule decides", "another tool may be allowed: search"),
        details={"tool": str(tool.ref), "rule": decision.rule, "reason": decision.reason},
    )


def _as_given(select: str | tuple[str, ...]) -> str | list[str]:
    return select if isinstance(select, str) else list(select)
