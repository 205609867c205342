-- Keys that callers show.

-- name: add
INSERT INTO api_key (id, tenant, made_at, revoked_at, used_at, body)
VALUES (:id, :tenant, :made_at, :revoked_at, :used_at, :body)
ON CONFLICT (id) DO NOTHING;

-- name: get
SELECT body, revoked_at, used_at FROM api_key WHERE id = :id;

-- name: list
SELECT body, revoked_at, used_at FROM api_key
WHERE :tenant IS NULL OR tenant = :tenant
ORDER BY made_at, id;

-- name: revoke
UPDATE api_key SET revoked_at = :now WHERE id = :id AND revoked_at = 0;

-- name: use
UPDATE api_key SET used_at = :now WHERE id = :id AND used_at < :now;
