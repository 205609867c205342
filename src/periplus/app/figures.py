"""What a serving gateway has done and what it holds, as Prometheus reads it (T-10)."""

from __future__ import annotations

import time
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from importlib.metadata import version

import msgspec

from periplus.core.gateway import Gateway
from periplus.model import ApprovalState, Event, SourceState
from periplus.ports import Origin, Span, Tracing

_BOUNDS = (0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
_SOURCES_MAX = 1000  # more values of one label make a scrape slow
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
Labels = tuple[tuple[str, str], ...]


class _Histogram(msgspec.Struct):
    counts: list[int] = msgspec.field(default_factory=lambda: [0] * (len(_BOUNDS) + 1))
    total: float = 0.0

    def observe(self, seconds: float) -> None:
        self.counts[bisect_left(_BOUNDS, seconds)] += 1
        self.total += seconds

    def lines(self, name: str, labels: Labels) -> Iterable[str]:
        below = 0
        for bound, count in zip((*map(str, _BOUNDS), "+Inf"), self.counts, strict=True):
            below += count
            yield f"{name}_bucket{_shown((*labels, ('le', bound)))} {below}"
        yield f"{name}_sum{_shown(labels)} {self.total:.6f}"
        yield f"{name}_count{_shown(labels)} {below}"


class Figures:
    """Counts while the gateway works: it watches the verbs, and the door tells it of requests."""

    def __init__(self) -> None:
        self._began = time.time()
        self._verbs: dict[Labels, _Histogram] = {}
        self._requests: dict[Labels, _Histogram] = {}
        self._tokens: Counter[Labels] = Counter()
        self._calls: Counter[Labels] = Counter()
        self.in_flight = 0

    def over(self, tracing: Tracing) -> Tracing:
        """The same watcher, counted."""
        return _Counting(tracing, self)

    def answered(self, method: str, status: int, seconds: float) -> None:
        """An HTTP request has its answer."""
        labels = (("method", method if method in _METHODS else "other"), ("status", str(status)))
        self._requests.setdefault(labels, _Histogram()).observe(seconds)

    def happened(self, event: Event) -> None:
        """A verb is over."""
        self._verbs.setdefault((("outcome", event.outcome), ("verb", event.verb)), _Histogram()).observe(
            event.ms / 1000
        )
        self._tokens[(("verb", event.verb),)] += event.tokens
        source, slash, _ = event.subject.partition("/")
        if event.verb == "call" and slash:
            self._calls[(("outcome", event.outcome), ("source", source))] += 1

    async def text(self, gateway: Gateway) -> str:
        """Everything, in Prometheus' text format."""
        lines = [*self._counted(), *_process(self._began), *await _held(gateway)]
        return "\n".join(lines) + "\n"

    def _counted(self) -> Iterable[str]:
        yield from _histograms("periplus_operation_duration_seconds", "How long verbs take.", self._verbs)
        yield from _histograms("periplus_http_request_duration_seconds", "How long answers take.", self._requests)
        yield from _family("periplus_http_requests_in_flight", "gauge", "Not answered yet.", {(): self.in_flight})
        yield from _family("periplus_tokens_shown_total", "counter", "Estimated tokens callers got.", self._tokens)
        yield from _family("periplus_calls_total", "counter", "Calls by source and outcome.", self._calls)


class _Counting:
    def __init__(self, tracing: Tracing, figures: Figures) -> None:
        self._tracing = tracing
        self._figures = figures

    def start(self, verb: str, origin: Origin) -> Span:
        return _Counted(self._tracing.start(verb, origin), self._figures)


class _Counted(msgspec.Struct, frozen=True):
    span: Span
    figures: Figures

    @property
    def origin(self) -> Origin:
        return self.span.origin

    def end(self, event: Event) -> None:
        self.span.end(event)
        self.figures.happened(event)


async def _held(gateway: Gateway) -> Sequence[str]:
    """The catalog as it is now."""
    records = (await gateway.sources())[:_SOURCES_MAX]
    tools: dict[Labels, int] = {(("source", record.id),): record.tools for record in records}
    sound: dict[Labels, int] = {
        (("source", record.id), ("state", record.state.value)): int(record.state is SourceState.OK)
        for record in records
    }
    waiting = await gateway.approvals(state=ApprovalState.PENDING, limit=10_000)
    revision, indexed = await gateway.revision(), await gateway.indexed()
    return [
        *_family("periplus_catalog_revision", "gauge", "Grows with every change.", {(): revision}),
        *_family("periplus_index_revision", "gauge", "The revision searches see.", {(): indexed}),
        *_family("periplus_source_tools", "gauge", "Tools by source.", tools),
        *_family("periplus_source_ok", "gauge", "1 where the last read went well.", sound),
        *_family("periplus_approvals_pending", "gauge", "Questions that wait for a person.", {(): len(waiting)}),
        *_family(
            "periplus_results_drifted_total",
            "counter",
            "Results unlike what their tools declare.",
            {(): sum(gateway.drift().values())},
        ),
    ]


def _process(began: float) -> Iterable[str]:
    yield from _family("periplus_build_info", "gauge", "The version.", {(("version", version("periplus")),): 1})
    yield from _family("process_start_time_seconds", "gauge", "When it began.", {(): began})
    yield from _family("process_cpu_seconds_total", "counter", "CPU time.", {(): time.process_time()})


def _histograms(name: str, words: str, found: Mapping[Labels, _Histogram]) -> Iterable[str]:
    yield f"# HELP {name} {words}"
    yield f"# TYPE {name} histogram"
    for labels, histogram in sorted(found.items()):
        yield from histogram.lines(name, labels)


def _family(name: str, kind: str, words: str, values: Mapping[Labels, float]) -> Iterable[str]:
    yield f"# HELP {name} {words}"
    yield f"# TYPE {name} {kind}"
    for labels, value in sorted(values.items()):
        yield f"{name}{_shown(labels)} {value:.6f}" if isinstance(value, float) else f"{name}{_shown(labels)} {value}"


def _shown(labels: Labels) -> str:
    said = (f'{name}="{_escaped(text)}"' for name, text in labels)
    return f"{{{','.join(said)}}}" if labels else ""


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
