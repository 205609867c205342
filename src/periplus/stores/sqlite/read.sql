-- Tools by name. `$scope` is a condition on `t` (scope.py).

-- name: revision
SELECT revision FROM catalog WHERE only = 1;

-- name: sources
SELECT record FROM source ORDER BY name;

-- name: source
SELECT record FROM source WHERE name = :source;

-- name: places
SELECT id, path FROM node WHERE path = :source OR (path > :source || '/' AND path < :source || '0') OR path >= '~';

-- name: known
SELECT t.key, substr(t.ref, length(:source) + 2), t.fingerprint, t.version, t.places
FROM source AS s CROSS JOIN tool AS t
WHERE s.name = :source AND t.source = s.id;

-- Paths of tools that moved stay theirs while they live; those of removed ones for a while.
-- name: retired
SELECT f.path, f.key
FROM former AS f
WHERE f.source = :source
  AND (f.at > :since OR EXISTS (
    SELECT 1 FROM source AS s CROSS JOIN tool AS t WHERE s.name = f.source AND t.source = s.id AND t.key = f.key
  ));

-- The tool first, then every definition its schemas reach; the second column of the tool's row is its body.
-- name: tool
WITH RECURSIVE
it (id, source, key) AS MATERIALIZED (
    SELECT t.id, t.source, t.key FROM tool AS t WHERE t.ref = :ref AND $scope
),
reached (name) AS (
    SELECT j.value
    FROM it CROSS JOIN packed AS p CROSS JOIN json_each(p.definitions) AS j
    WHERE p.tool = it.id
    UNION
    SELECT j.value
    FROM reached AS r CROSS JOIN it CROSS JOIN definition AS d CROSS JOIN shape AS s
    CROSS JOIN json_each(s.refers) AS j
    WHERE d.source = it.source AND d.name = r.name AND s.id = d.shape
)
SELECT NULL, p.body, (SELECT json_group_array(f.path) FROM former AS f WHERE f.source = :source AND f.key = it.key)
FROM it CROSS JOIN packed AS p
WHERE p.tool = it.id
UNION ALL
SELECT d.name, s.schema, s.refers
FROM reached AS r CROSS JOIN it CROSS JOIN definition AS d CROSS JOIN shape AS s
WHERE d.source = it.source AND d.name = r.name AND s.id = d.shape;

-- name: resolve
SELECT t.ref, p.body, (
    SELECT json_group_array(f.path) FROM source AS s CROSS JOIN former AS f
    WHERE s.id = t.source AND f.source = s.name AND f.key = t.key
)
FROM alias AS a CROSS JOIN tool AS t CROSS JOIN packed AS p
WHERE a.name = :name AND t.id = a.tool AND p.tool = t.id AND $scope
ORDER BY t.ref
LIMIT :limit;

-- Rare words say more. How rare is counted among visible tools only, so that hidden ones cannot be felt.
-- name: near
WITH
hit (word, tool, ref) AS MATERIALIZED (
    SELECT w.word, t.id, t.ref
    FROM json_each(:words) AS asked CROSS JOIN word AS w CROSS JOIN tool AS t
    WHERE w.word = asked.value AND t.id = w.tool AND $scope
),
weight (word, value) AS MATERIALIZED (
    SELECT word, 1.0 / (8 + count(*)) FROM hit GROUP BY word
)
SELECT hit.ref
FROM hit CROSS JOIN weight ON weight.word = hit.word
GROUP BY hit.tool
ORDER BY count(*) DESC, sum(weight.value) DESC, length(hit.ref), hit.ref
LIMIT :limit;

-- name: walk
SELECT t.id, t.ref, p.body
FROM tool AS t CROSS JOIN packed AS p
WHERE t.id > :after AND p.tool = t.id
ORDER BY t.id
LIMIT :limit;

-- name: walk_source
SELECT t.ref, t.ref, p.body
FROM tool AS t CROSS JOIN packed AS p
WHERE t.ref > max(:after, :source || '/') AND t.ref < :source || '0' AND p.tool = t.id
ORDER BY t.ref
LIMIT :limit;
