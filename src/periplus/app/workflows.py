"""Workflows as the settings want them served."""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path

from periplus.app.shelves import directories, shipped
from periplus.core.wired import WorkflowParts
from periplus.core.workflows.call import Rules
from periplus.core.workflows.library import Library
from periplus.model import Code, Problem
from periplus.settings import WorkflowSettings

_KEY_BYTES = 32
_DAY_S = 86_400


def workflow_parts(settings: WorkflowSettings) -> WorkflowParts:
    """Directories, rules and keys; a directory or a key that is not there stops the start."""
    return WorkflowParts(
        library=Library(
            directories(settings.dir),
            shipped(),
            examples=_lists_examples(settings),
            terminal=settings.terminal_targets,
        ),
        rules=Rules(
            server_name=settings.server_name,
            server_version=settings.server_version or version("periplus"),
            gate=settings.gate,
            min_response_ms=settings.min_response_seconds * 1000,
            verify=settings.verify_conditions,
            terminal=settings.terminal_targets,
            ttl_s=settings.session_ttl_days * _DAY_S,
            restore=settings.restore,
            bound=settings.bind == "principal",
            short=settings.token_form == "short",  # noqa: S105 - a form, no secret
            step_tools=settings.step_tools,
        ),
        interop_key=_interop_key(settings.interop_key),
    )


def _lists_examples(settings: WorkflowSettings) -> bool:
    if settings.examples == "auto":
        return not settings.dir
    return settings.examples in (True, "true")


def _interop_key(path: str) -> bytes | None:
    if not path:
        return None
    try:
        key = Path(path).expanduser().read_bytes()
    except OSError as error:
        said = f"the key {path} cannot be read: {error.strerror}"
        raise Problem(Code.BAD_SETTING, said, hints=("check [workflow] interop_key",), where=path) from error
    if len(key) != _KEY_BYTES:
        said = f"the key {path} has {len(key)} bytes, not {_KEY_BYTES}"
        raise Problem(Code.BAD_SETTING, said, hints=("the file holds the raw key and nothing else",), where=path)
    return key
