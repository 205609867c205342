"""Whether what a gateway stands on is sound, and what to do where it is not."""

from __future__ import annotations

import os
import platform
import stat
import sys
from pathlib import Path

import msgspec

from periplus.app.clock import SystemClock
from periplus.app.keyring import FILE_NAME, load_ring
from periplus.app.places import data_directory
from periplus.model import CredentialSpec, Problem, SourceRecord, SourceState
from periplus.net.credentials import read_reference
from periplus.settings import Settings
from periplus.stores.sqlite import open_store
from periplus.stores.sqlite.ledger import open_ledger


class Check(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that was looked at: ok, warning or failed."""

    name: str
    state: str
    message: str
    remedy: str = ""


async def examine(settings: Settings, file: Path | None) -> list[Check]:
    """Everything, in the order in which it would be mended."""
    directory = data_directory(settings)
    checks = [
        Check(name="python", state="ok", message=f"{platform.python_version()} on {sys.platform}"),
        Check(name="settings", state="ok", message=str(file) if file else "defaults; no periplus.toml here"),
        _directory(directory),
    ]
    if checks[-1].state == "failed":
        return checks
    checks.append(_key_ring(directory))
    try:
        async with open_store(directory) as store:
            revision, records = await store.revision(), await store.sources()
    except Problem as problem:
        remedy = problem.hints[0] if problem.hints else ""
        return [*checks, Check(name="store", state="failed", message=problem.message, remedy=remedy)]
    tools = sum(record.tools for record in records)
    message = f"revision {revision}, {_several(tools, 'tool')} from {_several(len(records), 'source')}"
    checks.append(Check(name="store", state="ok", message=message))
    checks.append(await _ledger(directory))
    checks += [_credential(credential) for credential in settings.credentials]
    checks += [_source(record, settings) for record in records]
    missing = settings.sources.keys() - {record.id for record in records}
    checks += [
        Check(name=name, state="warning", message="configured, not read yet", remedy=f"periplus sync {name}")
        for name in sorted(missing)
    ]
    return checks


async def _ledger(directory: Path) -> Check:
    try:
        async with open_ledger(directory) as ledger:
            rows, _ = await ledger.tip()
    except Problem as problem:
        remedy = problem.hints[0] if problem.hints else ""
        return Check(name="ledger", state="failed", message=problem.message, remedy=remedy)
    return Check(name="ledger", state="ok", message=f"{rows:,} events; `periplus audit verify` follows their chain")


def _directory(directory: Path) -> Check:
    remedy = "choose another with --data or PERIPLUS_DATA"
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        return Check(name="data", state="failed", message=f"{directory}: {error.strerror}", remedy=remedy)
    if not os.access(directory, os.W_OK):
        return Check(name="data", state="failed", message=f"{directory} cannot be written to", remedy=remedy)
    return Check(name="data", state="ok", message=str(directory))


def _key_ring(directory: Path) -> Check:
    try:
        ring = load_ring(directory, SystemClock())
    except Problem as problem:
        remedy = problem.hints[0] if problem.hints else ""
        return Check(name="key ring", state="failed", message=problem.message, remedy=remedy)
    mode = stat.S_IMODE((directory / FILE_NAME).stat().st_mode)
    if os.name == "posix" and mode & 0o077:
        remedy = f"chmod 600 {directory / FILE_NAME}"
        return Check(name="key ring", state="warning", message=f"readable by others ({mode:o})", remedy=remedy)
    return Check(name="key ring", state="ok", message=_several(len(ring.keys), "key"))


def _credential(credential: CredentialSpec) -> Check:
    """Whether the references of a credential lead somewhere; nothing of what is there is shown."""
    name = f"credential {credential.title}"
    try:
        for reference in credential.references:
            read_reference(reference)
    except Problem as problem:
        return Check(name=name, state="warning", message=problem.message, remedy=problem.hints[0])
    return Check(name=name, state="ok", message="its references resolve")


def _source(record: SourceRecord, settings: Settings) -> Check:
    if record.state is not SourceState.OK:
        return Check(
            name=record.id,
            state="warning",
            message=f"{record.state.value}: {record.reason}",
            remedy=f"periplus sync {record.id}; periplus sources show {record.id}",
        )
    skipped = record.report.counts.skipped if record.report else 0
    origin = "" if record.id in settings.sources or not settings.sources else ", not in the settings file"
    message = f"{record.tools:,} tools, {skipped:,} operations skipped{origin}"
    return Check(name=record.id, state="ok", message=message)


def _several(count: int, thing: str) -> str:
    return f"{count:,} {thing}{'s' if count != 1 else ''}"
