"""Traces and metrics by OpenTelemetry, with its conventions for MCP; imported only where somebody listens.

Every verb is a span, and the place in the trace that its audit row carries. The MCP SDK makes the spans of the
protocol itself, outside and inside of ours; from those the two MCP histograms are measured.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

from opentelemetry import context as contexts
from opentelemetry import trace
from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.metrics import Histogram, MeterProvider
from opentelemetry.sdk import metrics as measuring
from opentelemetry.sdk import trace as tracing
from opentelemetry.sdk.metrics.export import MetricReader, PeriodicExportingMetricReader
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.sdk.trace.sampling import AlwaysRecordSampler, ParentBasedTraceIdRatio
from opentelemetry.trace import SpanKind, StatusCode, TracerProvider

from periplus.model import Code, Event
from periplus.ports import Origin, Span
from periplus.settings import TelemetrySettings

_NAME = "periplus"
_SECONDS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0)  # as MCP's conventions say
_MCP_SAYS = (
    "mcp.method.name",
    "mcp.protocol.version",
    "gen_ai.operation.name",
    "gen_ai.tool.name",
    "gen_ai.prompt.name",
    "error.type",
    "network.transport",
)
_CODES = frozenset(code.value for code in Code)


class Telemetry:
    """`Tracing` by the providers of an application, or by our own."""

    def __init__(self, tracers: TracerProvider, meters: MeterProvider) -> None:
        self._tracer = tracers.get_tracer(_NAME)
        meter = meters.get_meter(_NAME)
        self._durations = _histogram(meters, "periplus.operation.duration", "How long verbs take.")
        self._tokens = meter.create_counter(
            "periplus.tokens.shown", unit="{token}", description="What callers were shown, in estimated tokens."
        )

    def start(self, verb: str, origin: Origin) -> Span:
        span = self._tracer.start_span(f"{_NAME} {verb}", _parent(origin), kind=SpanKind.INTERNAL)
        return _Watched(span, origin, self._measure)

    def _measure(self, event: Event) -> None:
        said = {"periplus.verb": event.verb} | _error(event)
        self._durations.record(event.ms / 1000, said)
        if event.tokens:
            self._tokens.add(event.tokens, {"periplus.verb": event.verb})


class McpDurations(tracing.SpanProcessor):
    """The histograms of MCP's conventions, from the spans that its SDK makes of each request."""

    def __init__(self, meters: MeterProvider) -> None:
        self._by_kind = {
            SpanKind.SERVER: _histogram(meters, "mcp.server.operation.duration", "Requests of MCP clients."),
            SpanKind.CLIENT: _histogram(meters, "mcp.client.operation.duration", "Requests to MCP servers."),
        }

    def on_end(self, span: tracing.ReadableSpan) -> None:
        said = span.attributes or {}
        histogram = self._by_kind.get(span.kind)
        if histogram and "mcp.method.name" in said and span.start_time and span.end_time:
            attributes = {name: said[name] for name in _MCP_SAYS if name in said}
            histogram.record((span.end_time - span.start_time) / 1e9, attributes)


class _Watched:
    """A verb's span, current for whatever is done in it."""

    def __init__(self, span: trace.Span, origin: Origin, measure: Callable[[Event], None]) -> None:
        place = span.get_span_context()
        self.origin = Origin(
            session=origin.session,
            trace=trace.format_trace_id(place.trace_id),
            span=trace.format_span_id(place.span_id),
        )
        self._span = span
        self._measure = measure
        self._token = contexts.attach(trace.set_span_in_context(span))

    def end(self, event: Event) -> None:
        contexts.detach(self._token)
        if event.verb == "call":
            self._span.update_name(f"execute_tool {event.subject}")
        self._span.set_attributes(_attributes(event))
        if error := _error(event):
            self._span.set_status(StatusCode.ERROR, error["error.type"])
        self._span.end()
        self._measure(event)


def _parent(origin: Origin) -> contexts.Context | None:
    """The span that is current, unless the request says that it belongs to another trace."""
    current = trace.get_current_span().get_span_context()
    if (
        not origin.trace
        or (origin.begins and current.is_valid)
        or (current.is_valid and trace.format_trace_id(current.trace_id) == origin.trace)
    ):
        return None
    remote = trace.SpanContext(
        int(origin.trace, 16), int(origin.span, 16), is_remote=True, trace_flags=trace.TraceFlags(1)
    )
    return trace.set_span_in_context(trace.NonRecordingSpan(remote))


def _attributes(event: Event) -> dict[str, str | int]:
    said: dict[str, str | int] = {
        "periplus.verb": event.verb,
        "periplus.subject": event.subject,
        "periplus.shown": len(event.shown),
        "periplus.tokens": event.tokens,
        "user.id": event.principal,
        "session.id": event.session,
        "periplus.tenant": event.tenant,
        "periplus.rule": event.rule,
    }
    if event.verb == "call":
        said |= {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": event.subject}
    return {name: value for name, value in said.items() if value != ""} | _error(event)


def _error(event: Event) -> dict[str, str]:
    return {"error.type": event.outcome} if event.outcome in _CODES else {}


def _histogram(meters: MeterProvider, name: str, description: str) -> Histogram:
    return meters.get_meter(_NAME).create_histogram(
        name, unit="s", description=description, explicit_bucket_boundaries_advisory=_SECONDS
    )


@contextmanager
def exporting(settings: TelemetrySettings, headers: Mapping[str, str], version: str) -> Generator[Telemetry]:
    """Telemetry that goes to a collector; what is still on its way when the block ends is sent then."""
    resource = Resource({"service.name": settings.service, "service.version": version})
    sent = dict(headers)
    base = settings.endpoint.rstrip("/")
    reader: MetricReader = PeriodicExportingMetricReader(
        OTLPMetricExporter(f"{base}/v1/metrics", headers=sent, timeout=settings.timeout_seconds),
        export_interval_millis=settings.interval_seconds * 1000,
    )
    meters = measuring.MeterProvider([reader], resource=resource, shutdown_on_exit=False)
    sampler = AlwaysRecordSampler(ParentBasedTraceIdRatio(settings.sample))  # what is not sent is still counted
    tracers = tracing.TracerProvider(sampler, resource, shutdown_on_exit=False)
    tracers.add_span_processor(McpDurations(meters))
    tracers.add_span_processor(
        BatchSpanProcessor(OTLPSpanExporter(f"{base}/v1/traces", headers=sent, timeout=settings.timeout_seconds))
    )
    if isinstance(trace.get_tracer_provider(), trace.ProxyTracerProvider):
        trace.set_tracer_provider(tracers)  # where the MCP SDK finds it
    try:
        yield Telemetry(tracers, meters)
    finally:
        with ThreadPoolExecutor(2) as both:  # a collector that is away holds us up once, not twice
            both.submit(tracers.shutdown)
            both.submit(meters.shutdown)
