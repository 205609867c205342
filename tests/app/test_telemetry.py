"""Traces, metrics and logs of a gateway, read by OpenTelemetry's own exporters and from stderr."""

from __future__ import annotations

import json
import logging
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractAsyncContextManager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind

from periplus.app import open_gateway
from periplus.app.logs import configure_logs
from periplus.app.telemetry import McpDurations, Telemetry
from periplus.core.gateway import Gateway
from periplus.model import Event, EventFilter, Problem
from periplus.ports import begun, here, traceparent, within
from periplus.settings import LogSettings, load_settings
from periplus.stores.sqlite.ledger import open_ledger

Opener = Callable[..., AbstractAsyncContextManager[Gateway]]
TRACEPARENT = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
CANARY = "c4n4ry-tr0ub4dor"


class Watched:
    """An application that keeps its spans and metrics in memory."""

    def __init__(self) -> None:
        self.spans = InMemorySpanExporter()
        self.tracers = TracerProvider(shutdown_on_exit=False)
        self.reader = InMemoryMetricReader()
        self.meters = MeterProvider([self.reader], shutdown_on_exit=False)
        self.tracers.add_span_processor(McpDurations(self.meters))
        self.tracers.add_span_processor(SimpleSpanProcessor(self.spans))

    def gateway(self, tmp_path: Path, **flags: Any) -> AbstractAsyncContextManager[Gateway]:
        settings = load_settings(None, {}, {"data": str(tmp_path / "data")} | flags)
        return open_gateway(settings, tracing=Telemetry(self.tracers, self.meters))

    def points(self, name: str) -> list[tuple[dict[str, Any], Any]]:
        data = self.reader.get_metrics_data()
        metrics = [m for r in (data.resource_metrics if data else ()) for s in r.scope_metrics for m in s.metrics]
        return [
            (dict(point.attributes or {}), point) for m in metrics if m.name == name for point in m.data.data_points
        ]


@pytest.fixture
def watched() -> Watched:
    return Watched()


async def trail(tmp_path: Path) -> list[Event]:
    async with open_ledger(tmp_path / "data") as ledger:
        return [row.event for row in await ledger.events(EventFilter(), 0, 99)]


async def test_a_verb_is_a_span_in_the_callers_trace_and_its_row_names_it(watched: Watched, tmp_path: Path) -> None:
    """T-41."""
    async with watched.gateway(tmp_path) as gateway:
        with within(begun(TRACEPARENT, "talk-1")):
            await gateway.browse()
    (span,) = watched.spans.get_finished_spans()
    (event,) = await trail(tmp_path)
    assert span.context
    assert span.parent
    assert f"{span.context.trace_id:032x}" == event.trace == TRACEPARENT[3:35]
    assert f"{span.context.span_id:016x}" == event.span
    assert f"{span.parent.span_id:016x}" == event.parent == TRACEPARENT[36:52]
    assert (span.name, span.kind) == ("periplus browse", SpanKind.INTERNAL)
    assert span.attributes
    assert (span.attributes["session.id"], span.attributes["user.id"]) == ("talk-1", "local")


async def test_a_verb_hangs_on_the_span_its_application_is_in(watched: Watched, tmp_path: Path) -> None:
    """T-41: as the MCP SDK's own span of the request is."""
    tracer = watched.tracers.get_tracer("mcp-python-sdk")
    async with watched.gateway(tmp_path) as gateway:
        with tracer.start_as_current_span("tools/list", kind=SpanKind.SERVER) as outer:
            await gateway.browse()
            await gateway.browse()
        place = outer.get_span_context()
    spans = [span for span in watched.spans.get_finished_spans() if span.name == "periplus browse"]
    assert [(span.parent and span.parent.span_id) for span in spans] == [place.span_id] * 2
    assert {event.trace for event in await trail(tmp_path)} == {f"{place.trace_id:032x}"}


async def test_what_goes_out_names_the_span_it_goes_out_from(watched: Watched) -> None:
    """T-11, T-41."""
    span = Telemetry(watched.tracers, watched.meters).start("call", begun(TRACEPARENT))
    with within(span.origin):
        header = traceparent(here())
    span.end(Event(verb="call", at="", trace="", principal="ann", subject="zoo/feed"))
    (made,) = watched.spans.get_finished_spans()
    assert made.context
    assert header == f"00-{TRACEPARENT[3:35]}-{made.context.span_id:016x}-01"
    assert made.name == "execute_tool zoo/feed"
    assert made.attributes
    assert made.attributes["gen_ai.tool.name"] == "zoo/feed"


async def test_durations_and_tokens_are_measured_by_verb_and_error(watched: Watched, tmp_path: Path) -> None:
    """T-41."""
    async with watched.gateway(tmp_path) as gateway:
        await gateway.browse()
        await gateway.browse()
        with pytest.raises(Problem):
            await gateway.describe("nothing of the kind")
    durations = {
        tuple(sorted(said.items())): point.count for said, point in watched.points("periplus.operation.duration")
    }
    assert durations == {
        (("periplus.verb", "browse"),): 2,
        (("error.type", "tool_not_found"), ("periplus.verb", "describe")): 1,
    }
    (tokens,) = watched.points("periplus.tokens.shown")
    assert tokens[1].value == sum(event.tokens for event in await trail(tmp_path))
    failed = watched.spans.get_finished_spans()[-1]
    assert not failed.status.is_ok


def test_the_two_histograms_of_mcp_come_from_the_spans_of_its_sdk(watched: Watched) -> None:
    """T-41: names, unit and attributes are those of the conventions."""
    tracer = watched.tracers.get_tracer("mcp-python-sdk")
    for kind, tool in ((SpanKind.SERVER, "search"), (SpanKind.CLIENT, ""), (SpanKind.INTERNAL, "")):
        attributes = {"mcp.method.name": "tools/call", "jsonrpc.request.id": "7"} | (
            {"gen_ai.tool.name": tool} if tool else {}
        )
        tracer.start_span("tools/call", kind=kind, attributes=attributes).end()
    tracer.start_span("something else", kind=SpanKind.SERVER).end()
    (server,) = watched.points("mcp.server.operation.duration")
    (client,) = watched.points("mcp.client.operation.duration")
    assert server[0] == {"mcp.method.name": "tools/call", "gen_ai.tool.name": "search"}
    assert client[0] == {"mcp.method.name": "tools/call"}
    assert (server[1].count, server[1].explicit_bounds[:2], server[1].explicit_bounds[-1]) == (1, (0.01, 0.02), 300.0)


class Collector(ThreadingHTTPServer):
    """Takes what is sent to it, as a collector does."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Taking)
        self.taken: list[tuple[str, str, bytes]] = []


class _Taking(BaseHTTPRequestHandler):
    server: Collector

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        self.server.taken.append((self.path, self.headers.get("x-key", ""), body))
        self.send_response(200)
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the library's word
        pass


@pytest.fixture
def collector() -> Iterator[Collector]:
    with Collector() as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


async def test_a_collector_gets_everything_before_the_gateway_is_closed(
    opened: Opener, collector: Collector, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """T-41: over OTLP, with a header whose value comes from the environment."""
    monkeypatch.setenv("COLLECTOR_KEY", "k3y")
    file = tmp_path / "periplus.toml"
    port = collector.server_address[1]
    file.write_text(
        f'[telemetry]\nendpoint = "http://127.0.0.1:{port}/"\nservice = "quay"\nheaders = {{ x-key = "env:COLLECTOR_KEY" }}\n'
    )
    async with opened(file) as gateway:
        await gateway.search(f"log in with password={CANARY}")
    paths = {path for path, _, _ in collector.taken}
    assert paths == {"/v1/traces", "/v1/metrics"}
    assert {key for _, key, _ in collector.taken} == {"k3y"}
    request = ExportTraceServiceRequest()
    request.ParseFromString(next(body for path, _, body in collector.taken if path == "/v1/traces"))
    (resource,) = request.resource_spans
    assert "quay" in str(resource.resource)
    assert "periplus search" in {span.name for scope in resource.scope_spans for span in scope.spans}
    assert all(CANARY.encode() not in body for _, _, body in collector.taken)


async def test_an_endpoint_without_the_extra_says_what_to_install(
    opened: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "opentelemetry.sdk", None)
    monkeypatch.delitem(sys.modules, "periplus.app.telemetry")
    with pytest.raises(Problem, match=r"telemetry\.endpoint is set and opentelemetry\.sdk is not installed") as caught:
        await opened(telemetry__endpoint="http://127.0.0.1:1").__aenter__()
    assert "periplus[telemetry]" in caught.value.hints[0]


def test_where_nobody_listens_nothing_of_it_is_imported(tmp_path: Path) -> None:
    """T-41: no cost when off."""
    code = (
        "import anyio, sys, periplus\n"
        "async def main():\n"
        f"    async with periplus.open('sqlite:////{tmp_path}/data') as gateway: await gateway.browse()\n"
        "anyio.run(main)\n"
        "print([name for name in sys.modules if name.startswith('opentelemetry.sdk') or name == 'periplus.app.telemetry'])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


@pytest.fixture
def stderr() -> Iterator[StringIO]:
    """What logs are written to, put back afterwards."""
    root = logging.getLogger()
    before, level = root.handlers[:], root.level
    yield StringIO()
    root.handlers[:] = before
    root.setLevel(level)
    logging.captureWarnings(capture=False)


async def test_a_log_for_programs_has_one_object_for_each_verb(opened: Opener, stderr: StringIO) -> None:
    """T-41."""
    configure_logs(LogSettings(level="info", format="json"), stderr)
    async with opened() as gateway:
        with within(begun(TRACEPARENT, "talk-1")):
            await gateway.search(f"log in with password={CANARY}")
    (line,) = [line for line in map(json.loads, stderr.getvalue().splitlines()) if line["logger"] == "periplus.events"]
    assert (line["level"], line["verb"], line["outcome"]) == ("info", "search", "ok")
    assert (line["trace"], line["session"]) == (TRACEPARENT[3:35], "talk-1")
    assert CANARY not in stderr.getvalue()


def test_a_fault_is_logged_with_its_traceback_and_without_secrets(stderr: StringIO) -> None:
    """T-23, T-41."""
    configure_logs(LogSettings(format="json"), stderr)
    try:
        int(f"password={CANARY}")
    except ValueError:
        logging.getLogger("periplus.hosts").exception("it broke at https://ann:%s@example.com", CANARY)
    (line,) = map(json.loads, stderr.getvalue().splitlines())
    assert line["message"] == "it broke at https://[redacted]@example.com"
    assert "password=[redacted]" in line["traceback"]
    configure_logs(LogSettings(level="info"), stderr)
    logging.getLogger("periplus.hosts").info("password=%s", CANARY)
    assert stderr.getvalue().endswith("INFO    periplus.hosts: password=[redacted]\n")


def test_logs_leave_stdout_to_the_answer(tmp_path: Path) -> None:
    """T-41: never on the wire of stdio."""
    (tmp_path / "periplus.toml").write_text('[log]\nlevel = "info"\nformat = "json"\n')
    command = [sys.executable, "-c", "from periplus.cli.main import run; run()", "--data", "d", "browse", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=tmp_path)
    assert json.loads(done.stdout)["node"]["path"] == ""
    assert json.loads(done.stderr.splitlines()[-1])["verb"] == "browse"
