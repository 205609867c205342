-- The tree. With the scope of everything the stored counts are the answer; with any other, `$scope` decides.

-- name: node_stored
SELECT path, title, summary, place, tools, areas FROM node WHERE path = :path AND tools > 0;

-- name: children_stored
SELECT n.path, n.title, n.summary, n.place, n.tools, n.areas
FROM node AS parent CROSS JOIN node AS n
WHERE parent.path = :path AND n.parent = parent.id AND n.path > :after AND n.tools > 0
ORDER BY n.path
LIMIT :limit;

-- name: nodes_stored
SELECT path, title, summary, place, tools, areas FROM node
WHERE (path = :path OR (path > :path || '/' AND path < :path || '0')) AND tools > 0
ORDER BY path;

-- name: nodes
SELECT id, path, title, summary, place FROM node
WHERE path = :path OR (path > :path || '/' AND path < :path || '0')
ORDER BY path;

-- name: refs_here
SELECT t.ref
FROM node AS n CROSS JOIN placement AS p CROSS JOIN tool AS t
WHERE n.path = :path AND p.node = n.id AND t.id = p.tool AND $scope
ORDER BY t.ref;
-- All below a node: between the texts that enclose its subtree, with no more slashes than the deepest level has.
-- name: below_stored
SELECT n.path, n.title, n.summary, n.place, n.tools, n.areas
FROM node AS n
WHERE n.path > max(:after, :first) AND n.path < :last AND n.tools > 0
  AND (:slashes = 0 OR length(n.path) - length(replace(n.path, '/', '')) <= :slashes)
ORDER BY n.path
LIMIT :limit;

-- name: below
SELECT n.id, n.path, n.title, n.summary, n.place
FROM node AS n
WHERE n.path > max(:after, :first) AND n.path < :last
  AND (:slashes = 0 OR length(n.path) - length(replace(n.path, '/', '')) <= :slashes)
ORDER BY n.path;

-- name: tags
WITH some AS MATERIALIZED (
    SELECT t.tags
    FROM node AS n CROSS JOIN placement AS p CROSS JOIN tool AS t
    WHERE (n.path = :path OR (n.path > :first AND n.path < :last)) AND p.node = n.id AND t.id = p.tool AND $scope
    LIMIT :sample
)
SELECT j.value
FROM some CROSS JOIN json_each(some.tags) AS j
WHERE (SELECT count(*) FROM some) < :sample -- the first of more say nothing of the rest
GROUP BY j.value
ORDER BY count(*) DESC, j.value
LIMIT :limit;

-- name: placed
SELECT t.ref, t.summary, t.effect, t.tags, t.deprecated, t.approval, (
    SELECT json_group_array(n.path) FROM json_each(t.places) AS place CROSS JOIN node AS n WHERE n.id = place.value
)
FROM json_each(:refs) AS asked CROSS JOIN tool AS t
WHERE t.ref = asked.value AND $scope;

-- name: standing
SELECT n.path, count(*)
FROM node AS n CROSS JOIN placement AS p CROSS JOIN tool AS t
WHERE (n.path = :path OR (n.path > :path || '/' AND n.path < :path || '0'))
  AND p.node = n.id AND t.id = p.tool AND $scope
GROUP BY n.id;

-- How many visible tools stand at each set of nodes: from this all counts of a scope follow.
-- name: tally
SELECT t.places, count(*) FROM tool AS t WHERE $scope GROUP BY t.places;

-- name: parents
SELECT id, parent FROM node WHERE id > 0;

-- name: node
SELECT id, path, title, summary, place FROM node WHERE path = :path;

-- name: children
SELECT n.id, n.path, n.title, n.summary, n.place
FROM node AS parent CROSS JOIN node AS n
WHERE parent.path = :path AND n.parent = parent.id AND n.path > :after
ORDER BY n.path;

-- name: tools_here
SELECT t.ref, t.summary, t.effect, t.tags, t.deprecated, t.approval
FROM node AS n CROSS JOIN placement AS p CROSS JOIN tool AS t
WHERE n.path = :path AND p.node = n.id AND t.id = p.tool AND t.ref > :after AND $scope
ORDER BY t.ref
LIMIT :limit;

-- name: tools_inside
SELECT DISTINCT t.ref, t.summary, t.effect, t.tags, t.deprecated, t.approval
FROM node AS n CROSS JOIN inside AS i CROSS JOIN tool AS t
WHERE n.path = :path AND i.node = n.id AND t.id = i.tool AND t.ref > :after AND $scope
ORDER BY t.ref
LIMIT :limit;

-- The whole catalog, or a whole source: their tools stand together in the index of refs.
-- name: tools_between
SELECT t.ref, t.summary, t.effect, t.tags, t.deprecated, t.approval
FROM tool AS t
WHERE t.ref > max(:after, :first) AND t.ref < :last AND $scope
ORDER BY t.ref
LIMIT :limit;

-- A large area of a source: passing its neighbours over is cheaper than sorting all that is in it.
-- name: tools_among
SELECT t.ref, t.summary, t.effect, t.tags, t.deprecated, t.approval
FROM tool AS t
WHERE t.ref > max(:after, :first) AND t.ref < :last AND EXISTS (
    SELECT 1 FROM json_each(t.places) AS j CROSS JOIN node AS n
    WHERE n.id = j.value AND (n.path = :path OR (n.path > :path || '/' AND n.path < :path || '0'))
) AND $scope
ORDER BY t.ref
LIMIT :limit;
