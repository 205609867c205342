-- Questions put to a person.

-- name: same
SELECT body FROM approval
WHERE binding = :binding AND state IN ('pending', 'granted') AND expires_at > :now
ORDER BY asked_at DESC, id DESC LIMIT 1;

-- name: get
SELECT body FROM approval WHERE id = :id;

-- name: list
SELECT body FROM approval
WHERE (:tenant IS NULL OR tenant = :tenant) AND (:state IS NULL OR state = :state)
  AND (:after = '' OR (asked_at, id) > (SELECT asked_at, id FROM approval WHERE id = :after))
ORDER BY asked_at, id LIMIT :limit;

-- name: add
INSERT INTO approval (id, binding, tenant, state, asked_at, expires_at, body)
VALUES (:id, :binding, :tenant, :state, :asked_at, :expires_at, :body)
ON CONFLICT (id) DO NOTHING;

-- name: change
UPDATE approval SET state = :state, body = :body WHERE id = :id;

-- name: overdue
SELECT body FROM approval WHERE state IN ('pending', 'granted') AND expires_at <= :now;
