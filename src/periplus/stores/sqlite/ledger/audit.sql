-- The audit trail.

-- name: tip
SELECT seq, hash FROM tip WHERE only = 1;

-- name: add
INSERT INTO audit (seq, event, previous, hash) VALUES (?, ?, ?, ?);

-- name: move_tip
UPDATE tip SET seq = ?, hash = ? WHERE only = 1;

-- name: events
SELECT seq, event, previous, hash FROM audit
WHERE seq > :after AND $filter
ORDER BY seq LIMIT :limit;

-- name: latest
SELECT seq, event, previous, hash FROM audit
WHERE seq < :before AND $filter
ORDER BY seq DESC LIMIT :limit;

-- What a filter may ask for. What an event leaves out is its default.
-- name: by_tenant
coalesce(tenant, '') = :tenant

-- name: by_session
session = :session

-- name: by_trace
trace = :trace

-- name: by_subject
subject = :subject

-- name: by_subject_start
subject >= :start AND substr(subject, 1, :length) = :start

-- name: by_principal
principal = :principal

-- name: by_verb
verb = :verb

-- name: by_outcome
outcome = :outcome

-- name: by_ok
outcome IS NULL

-- name: by_nothing
TRUE
