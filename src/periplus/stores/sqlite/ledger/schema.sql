-- The layout of the ledger as it is now; `migrations` lead to the same from any older one.

-- What queries ask for is read out of the event itself, so that no column can say something else than it does.
CREATE TABLE audit (
    seq INTEGER PRIMARY KEY,
    event TEXT NOT NULL,
    previous BLOB NOT NULL,
    hash BLOB NOT NULL,
    tenant TEXT GENERATED ALWAYS AS (event ->> '$.tenant') VIRTUAL,
    session TEXT GENERATED ALWAYS AS (event ->> '$.session') VIRTUAL,
    trace TEXT GENERATED ALWAYS AS (event ->> '$.trace') VIRTUAL,
    subject TEXT GENERATED ALWAYS AS (event ->> '$.subject') VIRTUAL,
    principal TEXT GENERATED ALWAYS AS (event ->> '$.principal') VIRTUAL,
    verb TEXT GENERATED ALWAYS AS (event ->> '$.verb') VIRTUAL,
    outcome TEXT GENERATED ALWAYS AS (event ->> '$.outcome') VIRTUAL
) STRICT;

CREATE INDEX audit_session ON audit (session) WHERE session IS NOT NULL;

CREATE INDEX audit_trace ON audit (trace);

CREATE INDEX audit_subject ON audit (subject) WHERE subject IS NOT NULL;

CREATE INDEX audit_principal ON audit (principal);

-- What went well has no outcome in its text.
CREATE INDEX audit_outcome ON audit (outcome) WHERE outcome IS NOT NULL;

CREATE TRIGGER audit_stays BEFORE DELETE ON audit
BEGIN
    SELECT raise(ABORT, 'rows of the audit trail are only ever added');
END;

CREATE TRIGGER audit_is_final BEFORE UPDATE ON audit
BEGIN
    SELECT raise(ABORT, 'rows of the audit trail are only ever added');
END;

-- The last row, kept apart from it: a trail whose end was cut off does not end here.
CREATE TABLE tip (
    only INTEGER PRIMARY KEY CHECK (only = 1),
    seq INTEGER NOT NULL,
    hash BLOB NOT NULL
) STRICT;

INSERT INTO tip (only, seq, hash) VALUES (1, 0, zeroblob(32));

CREATE TABLE approval (
    id TEXT PRIMARY KEY,
    binding TEXT NOT NULL,
    tenant TEXT NOT NULL,
    state TEXT NOT NULL,
    asked_at REAL NOT NULL,
    expires_at REAL NOT NULL,
    body BLOB NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX approval_binding ON approval (binding);

CREATE INDEX approval_asked ON approval (asked_at, id);

CREATE INDEX approval_open ON approval (expires_at) WHERE state IN ('pending', 'granted');

-- Narrow, because each use writes it: the value lies beside it.
CREATE TABLE kept (
    id TEXT PRIMARY KEY,
    tenant TEXT NOT NULL,
    principal TEXT NOT NULL,
    tool TEXT NOT NULL,
    kept_at REAL NOT NULL,
    used_at REAL NOT NULL,
    ends_at REAL NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE kept_value (
    id TEXT PRIMARY KEY REFERENCES kept (id),
    sealed BLOB NOT NULL
) STRICT;

CREATE TABLE session (
    tenant TEXT NOT NULL,
    principal TEXT NOT NULL,
    id TEXT NOT NULL,
    version INTEGER NOT NULL,
    used_at REAL NOT NULL,
    slots BLOB NOT NULL,
    PRIMARY KEY (tenant, principal, id)
) STRICT, WITHOUT ROWID;

CREATE INDEX session_used ON session (used_at);

-- How full a bucket was, and from when on it is as full as one that nobody has drawn from.
CREATE TABLE bucket (
    name TEXT PRIMARY KEY,
    tokens REAL NOT NULL,
    at REAL NOT NULL,
    full_at REAL NOT NULL
) STRICT, WITHOUT ROWID;

-- Keys that callers show: their digest, never the key.
CREATE TABLE api_key (
    id TEXT PRIMARY KEY,
    tenant TEXT NOT NULL,
    made_at REAL NOT NULL,
    revoked_at REAL NOT NULL,
    used_at REAL NOT NULL,
    body BLOB NOT NULL
) STRICT, WITHOUT ROWID;
