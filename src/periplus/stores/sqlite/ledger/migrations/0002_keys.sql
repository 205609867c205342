-- Keys that callers show: their digest, never the key.

CREATE TABLE api_key (
    id TEXT PRIMARY KEY,
    tenant TEXT NOT NULL,
    made_at REAL NOT NULL,
    revoked_at REAL NOT NULL,
    used_at REAL NOT NULL,
    body BLOB NOT NULL
) STRICT, WITHOUT ROWID;
