-- Kept results, conversations and token buckets.

-- name: keep
INSERT INTO kept (id, tenant, principal, tool, kept_at, used_at, ends_at)
VALUES (:id, :tenant, :principal, :tool, :kept_at, :used_at, :ends_at)
ON CONFLICT (id) DO UPDATE SET
    tenant = excluded.tenant, principal = excluded.principal, tool = excluded.tool,
    kept_at = excluded.kept_at, used_at = excluded.used_at, ends_at = excluded.ends_at;

-- name: keep_value
INSERT INTO kept_value (id, sealed) VALUES (:id, :sealed)
ON CONFLICT (id) DO UPDATE SET sealed = excluded.sealed;

-- name: kept
SELECT k.tenant, k.principal, k.tool, v.sealed, k.kept_at, k.ends_at
FROM kept AS k CROSS JOIN kept_value AS v
WHERE k.id = :id AND v.id = k.id AND k.ends_at > :now;

-- name: use_kept
UPDATE kept SET used_at = :now WHERE id = :id AND used_at < :now;

-- name: drop_value
DELETE FROM kept_value WHERE id = :id;

-- name: drop_one
DELETE FROM kept WHERE id = :id;

-- name: drop_values
DELETE FROM kept_value WHERE id IN (SELECT id FROM kept WHERE ends_at <= :now OR used_at <= :idle_since);

-- name: drop_kept
DELETE FROM kept WHERE ends_at <= :now OR used_at <= :idle_since;

-- name: session
SELECT version, used_at, slots FROM session
WHERE tenant = :tenant AND principal = :principal AND id = :id;

-- name: use_session
UPDATE session SET used_at = :now
WHERE tenant = :tenant AND principal = :principal AND id = :id AND used_at < :now;

-- name: put_session
INSERT INTO session (tenant, principal, id, version, used_at, slots)
VALUES (:tenant, :principal, :id, :version, :now, :slots)
ON CONFLICT (tenant, principal, id) DO UPDATE SET
    version = excluded.version, used_at = excluded.used_at, slots = excluded.slots;

-- name: session_owner
SELECT tenant, principal FROM session WHERE id = :id LIMIT 1;

-- name: recent_sessions
SELECT tenant, principal, id, version, slots FROM session INDEXED BY session_used
WHERE (:principal IS NULL OR (tenant = :tenant AND principal = :principal)) AND substr(id, 1, :length) = :prefix
ORDER BY used_at DESC, id LIMIT :limit;

-- name: end_session
DELETE FROM session WHERE tenant = :tenant AND principal = :principal AND id = :id;

-- name: drop_sessions
DELETE FROM session WHERE used_at <= :idle_since;

-- name: bucket
SELECT tokens, at FROM bucket WHERE name = :name;

-- name: put_bucket
INSERT INTO bucket (name, tokens, at, full_at) VALUES (:name, :tokens, :at, :full_at)
ON CONFLICT (name) DO UPDATE SET tokens = excluded.tokens, at = excluded.at, full_at = excluded.full_at;

-- name: drop_buckets
DELETE FROM bucket WHERE full_at <= :now;
