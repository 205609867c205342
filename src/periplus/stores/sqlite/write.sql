-- Everything that changes the file.

-- name: bump
UPDATE catalog SET revision = revision + 1 WHERE only = 1;

-- name: source_id
SELECT id FROM source WHERE name = :source;

-- name: put_source
INSERT INTO source (name, record) VALUES (:source, :record)
ON CONFLICT (name) DO UPDATE SET record = excluded.record;

-- name: delete_source
DELETE FROM source WHERE name = :source;

-- name: next_tool
SELECT coalesce(max(id), 0) + 1 FROM tool;

-- name: has_tools
SELECT EXISTS (SELECT 1 FROM tool WHERE source = :source);

-- name: stored
SELECT t.id, t.key, t.ref, t.places, p.names
FROM json_each(:keys) AS j CROSS JOIN tool AS t CROSS JOIN packed AS p
WHERE t.source = :source AND t.key = j.value AND p.tool = t.id;

-- name: some_keys
SELECT key FROM tool WHERE source = :source LIMIT :limit;

-- A ref that is wanted while its owner has not moved yet: the owner waits under "?<ref>", which nobody can have.
-- name: park
UPDATE tool SET ref = '?' || ref
WHERE ref IN (SELECT value FROM json_each(:refs));

-- name: parked
SELECT ref FROM tool WHERE ref >= '?' AND ref < '@' LIMIT 1;

-- On a conflict the tool stays where it is (entries.py): path, key and places are the same.
-- name: put_tool
INSERT INTO tool (
    id, source, key, ref, fingerprint, version, summary, effect, hidden, deprecated, approval, tags, places
) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (id) DO UPDATE SET
    fingerprint = excluded.fingerprint, version = excluded.version, summary = excluded.summary,
    effect = excluded.effect, hidden = excluded.hidden, deprecated = excluded.deprecated,
    approval = excluded.approval, tags = excluded.tags;

-- name: put_packed
INSERT INTO packed (tool, names, definitions, body) VALUES (?, ?, ?, ?)
ON CONFLICT (tool) DO UPDATE SET definitions = excluded.definitions, body = excluded.body;

-- name: add_placement
INSERT INTO placement (node, tool) VALUES (?, ?);

-- name: add_alias
INSERT INTO alias (name, tool) VALUES (?, ?);

-- name: add_word
INSERT INTO word (word, tool) VALUES (?, ?);

-- name: delete_placement
DELETE FROM placement WHERE node = ? AND tool = ?;

-- name: delete_packed
DELETE FROM packed WHERE tool = ?;

-- name: delete_tool
DELETE FROM tool WHERE id = ?;

-- name: delete_alias
DELETE FROM alias WHERE name = ? AND tool = ?;

-- name: delete_word
DELETE FROM word WHERE word = ? AND tool = ?;

-- name: has_former
SELECT EXISTS (SELECT 1 FROM former WHERE source = :source);

-- name: add_former
INSERT INTO former (source, path, key, at) VALUES (?, ?, ?, ?)
ON CONFLICT (source, path) DO UPDATE SET key = excluded.key, at = excluded.at
WHERE key <> excluded.key;

-- The names of a tool that is gone rest as long as its last one.
-- name: renew_formers
UPDATE former SET at = :at
WHERE source = :source AND key IN (SELECT value FROM json_each(:keys));

-- name: formers
SELECT f.key, f.path
FROM json_each(:keys) AS j CROSS JOIN former AS f
WHERE f.source = :source AND f.key = j.value;

-- A path that is somebody's again is not given up any more.
-- name: delete_taken
DELETE FROM former
WHERE source = :source AND EXISTS (SELECT 1 FROM tool WHERE ref = former.source || '/' || former.path);

-- name: next_node
SELECT max(id) + 1 FROM node;

-- name: nodes
SELECT id, parent, path, title, summary, place, tools, areas FROM node
WHERE path = :source OR (path > :source || '/' AND path < :source || '0') OR path >= '~';

-- name: add_node
INSERT INTO node (id, parent, path, title, summary, tools, areas) VALUES (:id, :parent, :path, '', '', 0, 0);

-- name: entitle_node
UPDATE node SET title = :title, summary = :summary, place = :place WHERE id = :id;

-- name: delete_bare_node
DELETE FROM node
WHERE id = :id
  AND NOT EXISTS (SELECT 1 FROM placement WHERE node = :id)
  AND NOT EXISTS (SELECT 1 FROM node WHERE parent = :id);

-- name: tally
SELECT places, count(*) FROM tool WHERE source = :source AND hidden = 0 GROUP BY places;

-- Trees of their own belong to all sources together.
-- name: tally_all
SELECT places, count(*) FROM tool WHERE hidden = 0 GROUP BY places;

-- name: parents
SELECT id, parent FROM node WHERE id > 0;

-- name: count_node
UPDATE node SET tools = :tools, areas = :areas WHERE id = :id;

-- name: count_all
UPDATE node SET (tools, areas) = (
    SELECT coalesce(sum(child.tools), 0), count(*) FROM node AS child WHERE child.parent = 0 AND child.tools > 0
)
WHERE id = 0;

-- name: definitions
SELECT d.name, s.hash, s.id
FROM definition AS d CROSS JOIN shape AS s
WHERE d.source = :source AND s.id = d.shape;

-- name: add_shape
INSERT INTO shape (hash, refers, schema) VALUES (:hash, :refers, :schema) ON CONFLICT (hash) DO NOTHING;

-- name: put_definition
INSERT INTO definition (source, name, shape)
SELECT :source, :name, id FROM shape WHERE hash = :hash
ON CONFLICT (source, name) DO UPDATE SET shape = excluded.shape;

-- name: delete_definition
DELETE FROM definition WHERE source = :source AND name = :name;

-- name: delete_shape
DELETE FROM shape WHERE id = :id AND NOT EXISTS (SELECT 1 FROM definition WHERE shape = :id);

-- name: take_lease
INSERT INTO lease (name, holder, until) VALUES (:name, :holder, :until)
ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, until = excluded.until
WHERE lease.holder = excluded.holder OR lease.until <= :now;
