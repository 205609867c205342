"""Who watches the verbs of a gateway: a collector, the log, both, or nobody."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import ExitStack, asynccontextmanager
from importlib.metadata import version

import anyio.to_thread

from periplus.app.logs import Logged
from periplus.core.audit import Untraced
from periplus.model import Code, Problem
from periplus.net.credentials import read_reference
from periplus.ports import Clock, Tracing
from periplus.settings import Settings, TelemetrySettings


@asynccontextmanager
async def watched(settings: Settings, clock: Clock, given: Tracing | None) -> AsyncGenerator[Tracing]:
    """What was given, else what is set; nothing of OpenTelemetry is imported where nobody asked for it."""
    with ExitStack() as closing:
        tracing: Tracing = given or Untraced(clock)
        if settings.telemetry.endpoint and given is None:
            tracing = _exporting(settings.telemetry, closing)
        try:
            yield Logged(tracing) if Logged.wanted() else tracing
        finally:
            with anyio.CancelScope(shield=True):
                await anyio.to_thread.run_sync(closing.close)


def _exporting(settings: TelemetrySettings, closing: ExitStack) -> Tracing:
    try:
        from periplus.app.telemetry import exporting  # noqa: PLC0415 - an optional extra
    except ImportError as error:
        raise Problem(
            Code.BAD_SETTING,
            f"telemetry.endpoint is set and {error.name} is not installed",
            hints=("pip install 'periplus[telemetry]'", "remove telemetry.endpoint"),
        ) from error
    headers = {
        name: read_reference(value) if value.startswith(("env:", "file:")) else value
        for name, value in settings.headers.items()
    }
    return closing.enter_context(exporting(settings, headers, version("periplus")))
