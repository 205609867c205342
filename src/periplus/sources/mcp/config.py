"""The `mcpServers` files that desktop clients keep, as source specs (T-7).

`${VAR}` stays as it is written: it is filled in when a server is started, so no secret gets into the catalog.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from periplus.documents import decode
from periplus.model import Code, Finding, FindingCode, Problem, Severity, SourceSpec

GROUPS = ("mcpServers", "servers", "context_servers")
_TRANSPORTS = {
    "": "", "http": "http", "streamable-http": "http", "streamablehttp": "http", "streamable_http": "http",
    "remote": "", "url": "", "sse": "sse",
}  # fmt: skip
_PROGRAMS = frozenset({"", "stdio", "local", "command"})
_UNDERSTOOD = frozenset(
    {
        "command", "args", "env", "cwd", "url", "serverUrl", "httpUrl", "headers", "type", "transport", "disabled",
        "enabled", "timeout", "name", "description",
    }
)  # fmt: skip
# What clients keep for themselves beside a server: who may use it unasked, how it is shown.
_PRIVATE = frozenset({"alwaysAllow", "autoApprove", "trust", "gallery", "version", "icon", "tools", "dev", "source"})
_VARIABLE = re.compile(r"\$\{(?:env:)?([A-Za-z_][A-Za-z0-9_]*)\}")
_FOREIGN = re.compile(r"\$\{(?!(?:env:)?[A-Za-z_][A-Za-z0-9_]*(?::-[^{}]*)?\})[^{}]*\}")
_REFERENCE = re.compile(r"(?:^|\s)(?:env|file|keyring):\S")
_SECRET_NAME = re.compile(r"token|secret|passw|api_?key|credential|authorization|(?:^|[_-])key$", re.IGNORECASE)
_ID_MAX = 40


def servers(
    text: bytes | str,
    environ: Mapping[str, str] | None = None,
    *,
    name: str = "mcpServers",
    findings: list[Finding] | None = None,
) -> list[SourceSpec]:
    """The servers a file names, in its order. What is odd about one goes into `findings` and costs no other."""
    decoded = decode(text.encode() if isinstance(text, str) else text, name=name)
    notes = _Notes(name, findings if findings is not None else [])
    specs: dict[str, SourceSpec] = {}
    for title, entry in _entries(decoded.value, name).items():
        spec = _spec(_free_id(title, specs), title, entry, notes)
        if spec is not None:
            specs[spec.id] = spec
            if environ is not None:
                notes.unset(spec, environ)
    return list(specs.values())


def _entries(value: Any, name: str) -> dict[str, Any]:
    """The table of servers, wherever clients put it."""
    places = [value, value.get("mcp")] if isinstance(value, dict) else []
    for place in places:
        for group in GROUPS:
            if isinstance(place, dict) and isinstance(found := place.get(group), dict):
                return found
    raise Problem(
        Code.PARSE_ERROR,
        f"{name} names no MCP servers",
        hints=('it should hold {"mcpServers": {"name": {"command": "...", "args": []}}}',),
    )


def _spec(id_: str, title: str, entry: Any, notes: _Notes) -> SourceSpec | None:
    if not isinstance(entry, dict):
        notes.skip(title, f"not a server: {entry!r:.80}")
        return None
    for member in entry.keys() - _UNDERSTOOD - _PRIVATE:
        notes.note(title, f"{member!r} is not understood and has no effect")
    kind = _text(entry, "type", "transport").lower()
    url = _text(entry, "url", "httpUrl", "serverUrl")
    command = _text(entry, "command")
    if command and kind in _PROGRAMS:
        where: dict[str, Any] = {
            "command": command,
            "args": tuple(notes.texts(title, "args", entry.get("args"))),
            "env": notes.table(title, "env", entry.get("env")),
            "cwd": _text(entry, "cwd"),
        }
    elif url and kind in _TRANSPORTS:
        transport = "http" if "httpUrl" in entry and not kind else _TRANSPORTS[kind]
        where = {
            "url": url,
            "headers": notes.table(title, "headers", entry.get("headers")),
            "transport": transport,
        }
    elif command or url:
        notes.skip(title, f"no such type {kind!r} of a server with {'a command' if command else 'a url'}")
        return None
    else:
        notes.skip(title, "has neither a command nor a url")
        return None
    notes.foreign(title, entry)
    notes.written_out(title, where.get("env") or where.get("headers") or {})
    enabled = entry.get("disabled") is not True and entry.get("enabled") is not False
    return SourceSpec(id=id_, kind="mcp", name=title if title != id_ else "", enabled=enabled, **where)


def _text(entry: dict[str, Any], *names: str) -> str:
    return next((value for name in names if isinstance(value := entry.get(name), str) and value.strip()), "")


def _free_id(title: str, taken: Mapping[str, SourceSpec]) -> str:
    plain = re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")[:_ID_MAX].strip("-") or "server"
    name, number = plain, 2
    while name in taken:
        name, number = f"{plain[: _ID_MAX - 1 - len(str(number))]}-{number}", number + 1
    return name


class _Notes:
    """What was odd, with the server it was about."""

    def __init__(self, place: str, findings: list[Finding]) -> None:
        self._place = place
        self._findings = findings

    def skip(self, server: str, message: str) -> None:
        self._add(Severity.ERROR, FindingCode.BAD_OPERATION, server, message, skipped=True)

    def note(self, server: str, message: str) -> None:
        self._add(Severity.NOTE, FindingCode.PARSE_LENIENT, server, message)

    def texts(self, server: str, member: str, value: Any) -> list[str]:
        """A list of texts; numbers are taken as they are written."""
        if value is None:
            return []
        if isinstance(value, list) and all(_is_plain(each) for each in value):
            return [_plain(each) for each in value]
        self._add(Severity.WARNING, FindingCode.BAD_PARAMETER, server, f"{member} is no list of texts; it is left out")
        return []

    def table(self, server: str, member: str, value: Any) -> dict[str, str]:
        if value is None:
            return {}
        if not isinstance(value, dict):
            self._add(Severity.WARNING, FindingCode.BAD_PARAMETER, server, f"{member} is no table; it is left out")
            return {}
        for name in [name for name, each in value.items() if each is not None and not _is_plain(each)]:
            self._add(Severity.WARNING, FindingCode.BAD_PARAMETER, server, f"{member} {name!r} is no text; left out")
        return {name: _plain(each) for name, each in value.items() if _is_plain(each)}

    def foreign(self, server: str, value: Any) -> None:
        """Variables only their client knows, such as `${input:token}` or `${workspaceFolder:x}`."""
        for found in dict.fromkeys(_FOREIGN.findall(_all_text(value))):
            self._add(
                Severity.WARNING,
                FindingCode.CREDENTIALS_MISSING,
                server,
                f"{found} is known to its client only and is passed on as it is",
                fix="write the value, or ${NAME} of an environment variable",
            )

    def written_out(self, server: str, table: Mapping[str, str]) -> None:
        """Secrets in plain text: taken, since that is how these files are, but not without a word."""
        for name, value in table.items():
            if value and _SECRET_NAME.search(name) and "${" not in value and not _REFERENCE.search(value):
                self._add(
                    Severity.WARNING,
                    FindingCode.TEXT_FLAGGED,
                    server,
                    f"{name} looks like a secret and is written out; the catalog keeps it as it is",
                    fix=f"write ${{{name}}} and set that variable where the gateway runs",
                )

    def unset(self, spec: SourceSpec, environ: Mapping[str, str]) -> None:
        written = (spec.command, *spec.args, *spec.env.values(), spec.cwd, spec.url, *spec.headers.values())
        for variable in dict.fromkeys(_VARIABLE.findall("\n".join(written))):
            if not environ.get(variable):
                self._add(
                    Severity.WARNING,
                    FindingCode.CREDENTIALS_MISSING,
                    spec.id,
                    f"${{{variable}}} is not set; the server cannot be started until it is",
                    fix=f"set {variable} where the gateway runs, or write ${{{variable}:-default}}",
                )

    def _add(
        self,
        severity: Severity,
        code: FindingCode,
        server: str,
        message: str,
        *,
        fix: str = "",
        skipped: bool = False,
    ) -> None:
        where = f"{self._place}#/mcpServers/{server.replace('~', '~0').replace('/', '~1')}"
        self._findings.append(
            Finding(
                severity=severity,
                code=code,
                where=where,
                operation=server,
                message=message,
                fix=fix,
                skipped=skipped,
            )
        )


def _is_plain(value: Any) -> bool:
    return isinstance(value, (str, int, float))


def _plain(value: Any) -> str:
    """A scalar as a shell would see it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _all_text(value: Any) -> str:
    if isinstance(value, str):
        return value
    members = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return "\n".join(map(_all_text, members))
