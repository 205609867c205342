"""What an operator can set, table by table; the comment beside a setting says what it is for."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from periplus.model import CallRules, CredentialSpec, Policy, SourceSpec


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
    origins: tuple[str, ...] = ()  # web origins whose pages may ask and read answers; pages of this machine may ask
    auth: Literal["none", "keys", "jwt", "keys+jwt"] = "none"  # how callers over HTTP say who they are
    insecure: bool = False  # listen for other machines although nobody has to say who it is
    body_bytes: int = 4 << 20  # the largest request
    url: str = ""  # where others reach it, if that is not where it listens: behind a proxy, `https://tools.example.com`
    sessions: Annotated[int, msgspec.Meta(ge=1)] = 10_000  # MCP sessions that may be open at once, at each endpoint
    session_idle_seconds: Annotated[float, msgspec.Meta(gt=0)] = 1800.0  # how long one lives that nobody uses
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
