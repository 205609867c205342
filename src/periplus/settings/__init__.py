"""What an operator can set: `periplus.toml`, then `PERIPLUS_...`, then flags. An unknown key is an error."""

from periplus.settings.reading import FILE_NAME, PREFIX, find_file, load_settings, read_policy, read_toml, unknown_key
from periplus.settings.tables import (
    AuditSettings,
    CatalogSettings,
    ExpansionSettings,
    FetchSettings,
    HandshakeSettings,
    JwtSettings,
    LimitSettings,
    LogSettings,
    SearchSettings,
    SecretSettings,
    ServeSettings,
    Settings,
    TelemetrySettings,
    WorkflowSettings,
)

__all__ = [
    "FILE_NAME",
    "PREFIX",
    "AuditSettings",
    "CatalogSettings",
    "ExpansionSettings",
    "FetchSettings",
    "HandshakeSettings",
    "JwtSettings",
    "LimitSettings",
    "LogSettings",
    "SearchSettings",
    "SecretSettings",
    "ServeSettings",
    "Settings",
    "TelemetrySettings",
    "WorkflowSettings",
    "find_file",
    "load_settings",
    "read_policy",
    "read_toml",
    "unknown_key",
]
