"""What to start or whom to call for one server, with every `${VAR}` and secret reference filled in.

The stored spec keeps the references; only this value, which is never stored, logged or shown, holds secrets.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Mapping
from urllib.parse import urlencode

import msgspec

from periplus.model import Code, Problem, SourceSpec
from periplus.net.credentials import ReadSecret, check_header, read_reference

_VARIABLE = re.compile(r"\$\{(?:env:)?([A-Za-z_][A-Za-z0-9_]*)(?::-([^{}]*))?\}")
_REFERENCE = re.compile(r"(?:(?P<scheme>[A-Za-z][A-Za-z0-9_-]*) +)?(?P<reference>(?:env|file|keyring):.+)")
_SECRET_NAME = re.compile(
    r"token|secret|passw|api_?key|apikey|credential|auth|cookie|private|\bkey\b|_key$|-key$|_pat$", re.IGNORECASE
)
_SECRET_MIN = 5
# What a program needs to run at all; everything else has to be listed.
_INHERITED = (
    ("PATH", "HOME")
    if sys.platform != "win32"
    else ("PATH", "HOME", "USERPROFILE", "SYSTEMROOT", "PATHEXT", "TEMP", "APPDATA", "LOCALAPPDATA")
)


class Launch(msgspec.Struct, frozen=True, kw_only=True):
    """One server as it is reached now."""

    source: str
    command: tuple[str, ...] = ()
    env: dict[str, str] = {}
    cwd: str = ""
    url: str = ""
    headers: dict[str, str] = {}
    transport: str = ""
    secrets: tuple[str, ...] = ()  # longest first; what must not be seen in its output


def launch(spec: SourceSpec, environ: Mapping[str, str], reveal: ReadSecret = read_reference) -> Launch:
    """Fill in what the operator wrote, or say what is missing."""
    filler = _Filler(spec, environ, reveal)
    if spec.command:
        if not spec.trusted:
            raise Problem(
                Code.FORBIDDEN,
                f"source {spec.id!r} asks to run {spec.command!r}; commands come from the operator only",
                hints=("add it on the command line or in the configuration",),
            )
        return _program(spec, environ, filler)
    if not spec.url.lower().startswith(("http://", "https://", "${")):
        raise Problem(
            Code.BAD_SETTING,
            f"source {spec.id!r} has neither a command nor an http address: {spec.url[:100]!r}",
            hints=("set command and args, or url",),
        )
    if spec.transport not in {"", "http", "sse"}:
        raise Problem(
            Code.BAD_SETTING,
            f"source {spec.id!r}: no such transport {spec.transport!r}",
            hints=('use "http" (streamable HTTP) or "sse" (the older form)',),
        )
    url = filler.text(spec.url)
    if query := {name: filler.value(name, text) for name, text in spec.query.items()}:
        url = f"{url}{'&' if '?' in url else '?'}{urlencode(query)}"
    headers = {name: filler.value(name, text) for name, text in spec.headers.items()}
    for name, value in headers.items():
        check_header(name, value)
    return Launch(source=spec.id, url=url, headers=headers, transport=spec.transport, secrets=filler.secrets())


def _program(spec: SourceSpec, environ: Mapping[str, str], filler: _Filler) -> Launch:
    env = {name: environ[name] for name in _INHERITED if name in environ}
    env |= {name: filler.value(name, text) for name, text in spec.env.items()}
    cwd = filler.text(spec.cwd)
    if cwd and not os.path.isdir(cwd):  # noqa: PTH112 - a string goes on to the system as it is
        raise Problem(Code.BAD_SETTING, f"source {spec.id!r}: cwd is not a directory: {spec.cwd!r}")
    program = _find(spec, filler.text(spec.command), env, cwd)
    args = tuple(filler.text(arg) for arg in spec.args)
    return Launch(source=spec.id, command=(program, *args), env=env, cwd=cwd, secrets=filler.secrets())


def _find(spec: SourceSpec, command: str, env: Mapping[str, str], cwd: str) -> str:
    """The program's path; saying here that it is missing reads better than a broken pipe."""
    if os.sep in command:
        path = os.path.join(cwd, command) if cwd else command  # noqa: PTH118
        found = shutil.which(path)
    else:
        found = shutil.which(command, path=env.get("PATH", os.defpath))
    if found is None:
        raise Problem(
            Code.UNAVAILABLE,
            f"source {spec.id!r}: there is no program {spec.command!r}",
            hints=("install it, or write its full path in `command`",),
        )
    return os.path.abspath(found)  # noqa: PTH100 - keeps symbolic links, whose names some programs look at


class _Filler:
    """Replaces references and remembers what they stood for."""

    def __init__(self, spec: SourceSpec, environ: Mapping[str, str], reveal: ReadSecret) -> None:
        self._spec = spec
        self._environ = environ
        self._reveal = reveal
        self._seen: set[str] = set()

    def text(self, text: str) -> str:
        """Text with every `${VAR}` and `${VAR:-default}` replaced."""
        return _VARIABLE.sub(self._variable, text)

    def value(self, name: str, text: str) -> str:
        """A value of `env`, `headers` or `query`, which may also be one whole reference: `Bearer env:TOKEN`."""
        if found := _REFERENCE.fullmatch(text):
            self._check_trust(found["reference"])
            secret = self._secret(found["reference"])
            self._seen.add(secret)
            return f"{found['scheme']} {secret}" if found["scheme"] else secret
        filled = self.text(text)
        if _SECRET_NAME.search(name):
            self._seen.update((filled, filled.rpartition(" ")[2]))  # "Bearer abc": the token alone, too
        return filled

    def secrets(self) -> tuple[str, ...]:
        telling = {text for text in self._seen if len(text) >= _SECRET_MIN}
        return tuple(sorted(telling, key=lambda text: (-len(text), text)))

    def _variable(self, found: re.Match[str]) -> str:
        self._check_trust(found.group())
        name, default = found.group(1), found.group(2)
        if value := self._environ.get(name):
            self._seen.add(value)
            return value
        if default is None:
            raise Problem(
                Code.CREDENTIALS_MISSING,
                f"source {self._spec.id!r}: {found.group()} is not set",
                hints=("set that variable where the gateway runs, or write a default: ${NAME:-default}",),
            )
        return default

    def _secret(self, reference: str) -> str:
        scheme, _, name = reference.partition(":")
        return self._environ[name] if scheme == "env" and name in self._environ else self._reveal(reference)

    def _check_trust(self, reference: str) -> None:
        """Whoever adds a source through a face must not make the gateway send its own secrets to them."""
        if not self._spec.trusted:
            raise Problem(
                Code.CREDENTIALS_MISSING,
                f"source {self._spec.id!r}: {reference} is not read: the operator did not write it",
                hints=("write the source into the configuration",),
            )
