"""What an operator can set: `periplus.toml`, then `PERIPLUS_...`, then flags. An unknown key is an error."""

from __future__ import annotations

import difflib
import re
import tomllib
import typing
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec

from periplus.model import CallRules, Code, CredentialSpec, Policy, Problem, SourceSpec, check_source_id

PREFIX = "PERIPLUS_"
FILE_NAME = "periplus.toml"


class FetchSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`[fetch]`: where the gateway may go on its own."""

    allow: tuple[str, ...] = ()  # networks, hosts, host:port beyond the public internet
    deny: tuple[str, ...] = ()  # beats allow
    ref_hosts: tuple[str, ...] = ()  # further hosts that documents may refer to
    file_roots: tuple[str, ...] = ()  # further directories that local documents may refer to
    proxy: str = ""  # an HTTP proxy for everything that goes out; the one of the environment is ignored
    ca: str = ""  # a PEM file of further roots
    timeout_seconds: float = 60.0  # how long one request for a description may take


class LimitSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`[limits]`: how large what comes from outside may be."""

    document_bytes: int = 128 << 20  # one document, after decompression
    documents_bytes: int = 512 << 20  # all documents of a source together
    documents: int = 5000  # how many files a source may be read from
    operations: int = 250_000  # how many operations a source may have
    nesting: int = 200  # how deep a document may be nested
    nodes: int = 20_000_000  # values in a document after YAML aliases are expanded
    schema_bytes: int = 1 << 20  # one tool's schemas; over it deep branches become anything
    response_bytes: int = 32 << 20  # one answer of a call
    stream_seconds: float = 20.0  # how long a streamed answer is read


class SecretSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`[secrets]`: how secrets may be written."""

    allow_literals: bool = False  # whether the secrets of `[[credentials]]` may stand in the file itself


class JwtSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`[serve.jwt]`: whose tokens callers may show, where `[serve] auth` says "jwt"."""

    issuer: str = ""  # exactly as it stands in the tokens: `https://login.example.com`
    audience: tuple[str, ...] = ()  # what tokens for this gateway are made out to; one of them has to be there
    jwks_url: str = ""  # where the issuer's keys are; empty: its metadata says so
    principal: str = "sub"  # the claim with the caller's name
    tenant: str = ""  # the claim with the caller's tenant; empty: there is only one
    scopes: str = ""  # the claim with the caller's scopes; empty: `scope`, else `scp`


class ServeSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`[serve]`: how others reach the gateway."""

    face: str = "handshake"  # the protocol at `/mcp`, and over stdio
    http: str = "127.0.0.1:8750"  # where `periplus serve` listens
    hosts: tuple[str, ...] = ()  # names it answers to beside localhost, when it listens on loopback
    origins: tuple[str, ...] = ()  # web origins whose pages may reach it, beside those of this machine
    auth: Literal["none", "keys", "jwt", "keys+jwt"] = "none"  # how callers over HTTP say who they are
    insecure: bool = False  # listen for other machines although nobody has to say who it is
    body_bytes: int = 4 << 20  # the largest request
    url: str = ""  # where others reach it, if that is not where it listens: behind a proxy, `https://tools.example.com`
    stateless: bool = False  # keep no MCP sessions in the process: for several replicas behind a balancer
    jwt: JwtSettings = JwtSettings()


class HandshakeSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`[handshake]`: the face of five phases and nine tools."""

    connect: Literal["", "any", "known", "off"] = ""  # what agents may connect; empty: any on this machine, else known
    direct_calls: Literal["refuse", "run"] = "refuse"  # an action called as if it were a tool
    unknown_parameters: Literal["drop", "refuse"] = "drop"  # parameters that the action does not define
    repair: Literal["lossless", "off"] = "lossless"  # whether "5" counts as 5 where a number is wanted
    placeholders: tuple[str, ...] = ("UNKNOWN", "PLACEHOLDER", "UNKNOWN_TOKEN")  # values that nobody filled in
    structured: Literal["compact", "full", "off"] = "compact"  # what stands in `structuredContent` over MCP
    auto_manifest: bool = False  # whether connect always shows the manifest too
    manifest_chars: int = 6000  # how long a page of the manifest or of landmarks is
    inspect_chars: int = 10_000  # how long a page of signatures is
    search_chars: int = 8000  # how long a page of matches is
    result_chars: int = 16_000  # how long one result is
    sequence_chars: int = 24_000  # how long the results of a sequence are together
    search_limit: int = 10  # how many matches a search shows where nobody says
    connect_wait_seconds: float = 25.0  # how long connecting keeps its caller waiting before it goes on by itself
    max_steps: int = 50  # steps of a sequence
    max_calls: int = 1000  # calls of a sequence, loops and retries included
    sequence_seconds: float = 300.0  # how long a sequence may take
    session_idle_hours: float = 24.0  # how long a conversation is remembered after its last use
    native: bool = True  # whether the gateway is a native site for other gateways
    native_dumps: bool = False  # whether it also answers the old unbounded lists of native sites
    site_links: bool = False  # whether addresses with a sealed token in them can be made for one principal
    debug_echo: bool = False  # whether results show the request that was sent


class CatalogSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`[catalog]`: how the tree of tools is made."""

    max_fanout: int = 60  # tools that stand in one area before it is divided by what they are about; 0: never
    taxonomy: str = ""  # a TOML file of areas for `[expansion] root = "capability"`; empty: the general one


class ExpansionSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`[expansion]`: the protocol in which a schema is read before its tool is called."""

    root: Literal["source", "capability"] = "source"  # what the tree begins with: sources, or areas of work
    floor: float = 0.15  # what is less likely to serve a goal is not shown
    ledger: Literal["enforce", "warn", "off"] = "enforce"  # a call of a tool whose schema was not read
    ledger_ttl_seconds: float = 1800.0  # how long a schema counts as read
    cursor_ttl_seconds: float = 3600.0  # how long a next page can be asked for
    max_schema_tokens: int = 8000  # a larger schema is complete too, and comes with a warning


class SearchSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`[search]`: how tools are found."""

    memory: bool = True  # what was called after which goal moves up for similar goals
    quality: bool = False  # meaning by a small neural network too; needs `periplus[quality]`


class AuditSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`[audit]`: what is written down of what happens."""

    enabled: bool = True  # whether anything is
    goals: Literal["recorded", "hashed", "none"] = "recorded"  # goals of searches: their words, a hash, or nothing


class TelemetrySettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`[telemetry]`: traces and metrics by OpenTelemetry; needs `periplus[telemetry]`."""

    endpoint: str = ""  # of a collector that takes OTLP over HTTP, as `http://127.0.0.1:4318`; empty: none is made
    headers: dict[str, str] = {}  # sent to it; a value `env:NAME` or `file:PATH` stands for a secret
    service: str = "periplus"  # what this gateway is called there
    sample: float = 1.0  # which share of traces is sent; metrics count everything
    interval_seconds: float = 30.0  # how often metrics are sent
    timeout_seconds: float = 3.0  # how long the collector may take, also when the gateway ends


class LogSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`[log]`: what is written to stderr."""

    level: Literal["debug", "info", "warning", "error"] = "warning"  # from `info` on, every verb is a line
    format: Literal["text", "json"] = "text"  # lines for people or for programs


class WorkflowSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`[workflow]`: definitions that agents walk through, and how strictly."""

    dir: tuple[str, ...] = ()  # directories of definitions; of two with one id the first counts
    examples: bool | Literal["auto", "true", "false"] = "auto"  # list the shipped example; "auto": while no dir is set
    server_name: str = "periplus"  # what the face calls itself
    server_version: str = ""  # and which version; empty: that of the package
    gate: Literal["activity", "all"] = "activity"  # what open checkpoints close: other activities, or every tool
    min_response_seconds: Annotated[float, msgspec.Meta(ge=0)] = 3  # how long an answer takes at least; 0: no time
    verify_conditions: Literal["refuse", "warn", "off"] = (
        "refuse"  # a dismissal although its condition is known to hold
    )
    terminal_targets: tuple[str, ...] = ("__terminal__", "workflow-end")  # names of the end
    session_ttl_days: Annotated[float, msgspec.Meta(ge=0)] = 90  # idle days until a session expires; 0: never
    restore: bool = True  # whether a lost record is made again from a valid token
    bind: Literal["principal", "none"] = "principal"  # whose a token is: who started its session, or anybody who has it
    token_form: Literal["full", "short"] = "full"  # noqa: S105 - "short": handles, for models that spoil long texts
    interop_key: str = ""  # a file of 32 bytes, the key shared with a server whose tokens are good here too
    step_tools: Literal["auto", "on", "off"] = "auto"  # list `run_step`; "auto": when a definition binds a tool


class Settings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Everything that can be set, with the defaults that hold where nothing is."""

    data: str = ""  # the data directory; empty: the platform's own place
    store: str = ""  # where the catalog lies, as `sqlite:///PATH`; empty: SQLite in the data directory
    fetch: FetchSettings = FetchSettings()
    limits: LimitSettings = LimitSettings()
    secrets: SecretSettings = SecretSettings()
    catalog: CatalogSettings = CatalogSettings()
    search: SearchSettings = SearchSettings()
    serve: ServeSettings = ServeSettings()
    handshake: HandshakeSettings = HandshakeSettings()
    expansion: ExpansionSettings = ExpansionSettings()
    audit: AuditSettings = AuditSettings()
    workflow: WorkflowSettings = WorkflowSettings()
    calls: CallRules = CallRules()
    policy: Policy = Policy()
    telemetry: TelemetrySettings = TelemetrySettings()
    log: LogSettings = LogSettings()
    sources: dict[str, SourceSpec] = {}
    credentials: tuple[CredentialSpec, ...] = ()


def load_settings(file: Path | None, environ: Mapping[str, str], flags: Mapping[str, Any] | None = None) -> Settings:
    """The settings of one run. `flags` uses dotted keys: `{"fetch.proxy": "..."}`."""
    tree = read_toml(file) if file else {}
    if file:
        _anchor(tree, file.parent)
    for dotted, value, origin in (*_environment(environ), *_flags(flags or {})):
        _place(tree, dotted, value, origin)
    origin = str(file) if file else "the settings"
    _check_keys(tree, Settings, origin, ())
    sources = tree.get("sources", {})
    if not isinstance(sources, dict):
        raise Problem(
            Code.BAD_SETTING, f"{origin}: sources is {sources!r}", hints=('write [sources.NAME] with url = "..."',)
        )
    tree["sources"] = {name: _source(name, table, origin) for name, table in sources.items()}
    for name, kind in (("policy", Policy), ("calls", CallRules), ("workflow", WorkflowSettings)):
        if name in tree:
            tree[name] = _listed(tree[name], kind)
    try:
        settings = msgspec.convert(tree, Settings, strict=False)
    except msgspec.ValidationError as error:
        raise Problem(Code.BAD_SETTING, f"{origin}: {error}", hints=("periplus config shows every key",)) from error
    _check_credentials(settings, origin)
    return settings


def _check_credentials(settings: Settings, origin: str) -> None:
    for number, credential in enumerate(settings.credentials, 1):
        faults = credential.faults(allow_literals=settings.secrets.allow_literals)
        if faults:
            title = f"credentials[{number}] ({credential.title})"
            raise Problem(Code.BAD_SETTING, f"{origin}: {title}: {faults[0]}", hints=tuple(faults[1:]))


def find_file(flag: str | None, environ: Mapping[str, str], directory: Path) -> Path | None:
    """The settings file: as named, else `periplus.toml` in the current directory, else none."""
    named = flag or environ.get(f"{PREFIX}CONFIG")
    if named:
        path = Path(named)
        if not path.is_file():
            raise Problem(Code.BAD_SETTING, f"there is no settings file {named!r}", hints=("check --config",))
        return path
    here = directory / FILE_NAME
    return here if here.is_file() else None


def read_policy(tree: Mapping[str, Any], origin: str) -> Policy:
    """A `[policy]` table, or a policy file of its own; a text counts where a list of texts is wanted."""
    tree = dict(tree)
    _check_keys(tree, Policy, origin, ("policy",))
    try:
        return msgspec.convert(_listed(tree, Policy), Policy, strict=False)
    except msgspec.ValidationError as error:
        raise Problem(
            Code.BAD_SETTING, f"{origin}: policy: {error}", hints=("docs/guides/policy.md shows every key",)
        ) from error


def _listed(value: Any, kind: Any) -> Any:
    """The same with a text put into a list where its type wants one: `principal = "ops"`."""
    if _is_table(kind) and isinstance(value, dict):
        hints = typing.get_type_hints(kind)
        return {name: _listed(item, hints.get(name)) for name, item in value.items()}
    if typing.get_origin(kind) is not tuple:
        return value
    if isinstance(value, list):
        return [_listed(item, typing.get_args(kind)[0]) for item in value]
    return [value] if isinstance(value, str) else value


def read_toml(file: Path) -> dict[str, Any]:
    """A TOML file, or what is wrong with it."""
    try:
        return tomllib.loads(file.read_text("utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise Problem(
            Code.BAD_SETTING, f"{file}: not valid TOML: {error}", hints=("mend the file there",), where=str(file)
        ) from error
    except (OSError, UnicodeDecodeError) as error:
        raise Problem(Code.BAD_SETTING, f"{file} cannot be read: {error}", where=str(file)) from error


_NOT_SETTINGS = frozenset({f"{PREFIX}CONFIG"})


_OTHER_NAMES = {"WORKFLOW_DIR": "PERIPLUS_WORKFLOW__DIR"}  # what clients of another server set


def _environment(environ: Mapping[str, str]) -> list[tuple[str, Any, str]]:
    """`PERIPLUS_FETCH__ALLOW=a,b` as ("fetch.allow", "a,b", its name)."""
    said = {own: environ[name] for name, own in _OTHER_NAMES.items() if environ.get(name)}
    environ = said | dict(environ)
    return [
        (name.removeprefix(PREFIX).lower().replace("__", "."), value, name)
        for name, value in sorted(environ.items())
        if name.startswith(PREFIX) and name not in _NOT_SETTINGS
    ]


_PATHS = (("workflow", "dir"), ("workflow", "interop_key"))


def _anchor(tree: dict[str, Any], directory: Path) -> None:
    """Relative paths in a file mean what lies beside it, wherever the command runs."""

    def placed(path: Any) -> Any:
        return str(directory / Path(path).expanduser()) if isinstance(path, str) and path else path

    for table, key in _PATHS:
        values = tree.get(table)
        if isinstance(values, dict) and key in values:
            value = values[key]
            values[key] = [placed(one) for one in value] if isinstance(value, list) else placed(value)


def _flags(flags: Mapping[str, Any]) -> list[tuple[str, Any, str]]:
    return [(dotted, value, f"--{dotted.replace('.', '-')}") for dotted, value in flags.items() if value is not None]


def _place(tree: dict[str, Any], dotted: str, value: Any, origin: str) -> None:
    *tables, key = dotted.split(".")
    kind: Any = Settings
    here = tree
    for name in tables:
        kind = _field(kind, name, origin)
        here = here.setdefault(name, {})
        if not isinstance(here, dict):
            raise Problem(Code.BAD_SETTING, f"{origin}: {name!r} is not a table")
    wanted = _field(kind, key, origin)
    if isinstance(value, str) and typing.get_origin(wanted) is tuple:
        value = [item.strip() for item in value.split(",") if item.strip()]
    here[key] = value


def _field(kind: Any, name: str, origin: str) -> Any:
    """The type of a member, or the refusal that names the nearest one."""
    if typing.get_origin(kind) is dict:
        return typing.get_args(kind)[1]
    if not (isinstance(kind, type) and issubclass(kind, msgspec.Struct)):
        raise Problem(Code.BAD_SETTING, f"{origin}: no setting lies below this one")
    hints = typing.get_type_hints(kind)
    if name not in hints:
        raise unknown_key(name, tuple(hints), origin)
    return hints[name]


def _check_keys(tree: Mapping[str, Any], kind: Any, origin: str, path: tuple[str, ...]) -> None:
    hints = typing.get_type_hints(kind)
    for name, value in tree.items():
        if name not in hints:
            raise unknown_key(".".join((*path, name)), tuple(".".join((*path, key)) for key in hints), origin)
        wanted = hints[name]
        if isinstance(value, dict) and _is_table(wanted):
            _check_keys(value, wanted, origin, (*path, name))
        elif isinstance(value, list) and (rows := typing.get_args(wanted)) and _is_table(rows[0]):
            for number, row in enumerate(value, 1):
                if isinstance(row, dict):
                    _check_keys(row, rows[0], origin, (*path, f"{name}[{number}]"))


def _is_table(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, msgspec.Struct)


def unknown_key(name: str, known: tuple[str, ...], origin: str) -> Problem:
    near = difflib.get_close_matches(name, known, n=1, cutoff=0.5)
    hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(sorted(known))}"
    return Problem(Code.BAD_SETTING, f"{origin}: unknown setting {name!r}", hints=(hint,))


_WITH_USER = re.compile(r"\w+://[^/?#]*@")
_REDIRECTS = ("", "any", "none")


def _source(name: str, table: Any, origin: str) -> dict[str, Any]:
    """One `[sources.<id>]` table with its name in it."""
    check_source_id(name)
    if isinstance(table, str):
        table = {"url": table}
    if not isinstance(table, dict):
        raise Problem(Code.BAD_SETTING, f"{origin}: sources.{name} is neither a table nor an address")
    if isinstance(table.get("expose"), str):
        table = table | {"expose": [table["expose"]]}
    for key in ("url", "endpoint", "base_url"):
        if _WITH_USER.match(str(table.get(key, ""))):
            said = f"{origin}: sources.{name}.{key} holds a user name or password"
            raise Problem(Code.BAD_SETTING, said, hints=("give them as a header, or under [[credentials]]",))
    _check_keys(table, SourceSpec, origin, ("sources", name))
    if not table.get("url") and not table.get("command"):
        raise Problem(
            Code.BAD_SETTING, f"{origin}: sources.{name} says neither url nor command", hints=('add url = "..."',)
        )
    if table.get("redirects", "") not in _REDIRECTS:
        said = f"{origin}: sources.{name}.redirects is {table['redirects']!r}"
        raise Problem(Code.BAD_SETTING, said, hints=('it is "any", "none" or left out',))
    made: dict[str, Any] = {"id": name, "trusted": True} | table
    return made
