"""References to secrets: `env:NAME`, `file:PATH`, `keyring:SERVICE/USER`, looked up when a request needs them."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from periplus.model import Code, Problem

ReadSecret = Callable[[str], str]  # a reference -> its value, or Problem(credentials_missing)


def read_reference(reference: str) -> str:
    """The value behind a reference; a file's without its last line break."""
    kind, _, name = reference.partition(":")
    if kind == "env":
        if name in os.environ:
            return os.environ[name]
        raise missing(reference, "that variable is not set")
    if kind == "file":
        return _of_file(reference, Path(name).expanduser())
    if kind == "keyring":
        return _of_keyring(reference, name)
    raise missing(reference, "only env:, file: and keyring: are known")


def check_private(reference: str, path: Path) -> None:
    """Refuse a file of secrets that others may read or change."""
    try:
        open_to_others = os.name == "posix" and path.stat().st_mode & 0o077
    except OSError as error:
        raise missing(reference, f"that file cannot be read: {error.strerror}") from error
    if open_to_others:
        raise missing(reference, "other users may read or change that file; make it yours alone (chmod 600)")


def missing(reference: str, reason: str) -> Problem:
    """The refusal of a reference that leads nowhere; it names the reference and never a value."""
    return Problem(
        Code.CREDENTIALS_MISSING,
        f"the credential reference {reference} does not resolve: {reason}",
        hints=(f"set {reference.partition(':')[2]} for the gateway, or change the reference",),
    )


def _of_file(reference: str, path: Path) -> str:
    check_private(reference, path)
    try:
        return path.read_text(encoding="utf-8").rstrip("\r\n")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise missing(reference, f"that file cannot be read: {reason}") from error


def _of_keyring(reference: str, name: str) -> str:
    try:
        import keyring  # noqa: PLC0415 - an optional extra
        import keyring.errors  # noqa: PLC0415
    except ImportError as error:
        raise missing(reference, "keyrings need the extra: pip install 'periplus[keyring]'") from error
    service, slash, user = name.rpartition("/")
    if not slash:
        raise missing(reference, "write keyring:SERVICE/USER")
    try:
        value = keyring.get_password(service, user)
    except keyring.errors.KeyringError as error:
        raise missing(reference, f"the keyring of this machine does not answer: {type(error).__name__}") from error
    if value is None:
        raise missing(reference, "the keyring has no such entry")
    return value
