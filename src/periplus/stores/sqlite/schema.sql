-- The catalog as a new file gets it. Kept equal to the sum of migrations/ by a test.
-- Lists inside a column are JSON. Integer keys join; names are unique where people see them.

CREATE TABLE catalog (
    only INTEGER PRIMARY KEY CHECK (only = 1),
    revision INTEGER NOT NULL
) STRICT;

INSERT INTO catalog (only, revision) VALUES (1, 0);

CREATE TABLE source (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    record BLOB NOT NULL
) STRICT;

-- Narrow, because listing and counting read many: what is read one at a time stands in `packed`.
CREATE TABLE tool (
    id INTEGER PRIMARY KEY,
    source INTEGER NOT NULL REFERENCES source (id),
    key TEXT NOT NULL,
    ref TEXT NOT NULL UNIQUE,
    fingerprint TEXT NOT NULL,
    version TEXT NOT NULL,
    summary TEXT NOT NULL,
    effect INTEGER NOT NULL,
    hidden INTEGER NOT NULL,
    deprecated INTEGER NOT NULL,
    approval INTEGER NOT NULL,
    tags TEXT NOT NULL,
    places TEXT NOT NULL, -- the nodes that list it, in rising order; counting groups by this
    UNIQUE (source, key)
) STRICT;

-- `names` are this tool's rows in `alias`, so that they can be deleted without an index on the tool.
CREATE TABLE packed (
    tool INTEGER PRIMARY KEY REFERENCES tool (id),
    names TEXT NOT NULL,
    definitions TEXT NOT NULL,
    body BLOB NOT NULL
) STRICT;

-- `path` is whole ("source/area"); the root is "". Counts leave hidden tools out.
CREATE TABLE node (
    id INTEGER PRIMARY KEY,
    parent INTEGER REFERENCES node (id),
    path TEXT NOT NULL UNIQUE,
    title TEXT NOT NULL,
    summary TEXT NOT NULL,
    tools INTEGER NOT NULL,
    areas INTEGER NOT NULL,
    place INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE INDEX node_parent ON node (parent, path);

INSERT INTO node (id, parent, path, title, summary, tools, areas) VALUES (0, NULL, '', '', '', 0, 0);

-- The same as `tool.places`, from the other side.
CREATE TABLE placement (
    node INTEGER NOT NULL REFERENCES node (id),
    tool INTEGER NOT NULL REFERENCES tool (id),
    PRIMARY KEY (node, tool)
) STRICT, WITHOUT ROWID;

-- Which tools stand at a node or anywhere below it, once for each place: a subtree is a range of paths, because
-- all that starts with "a/" lies between "a/" and "a0".
CREATE VIEW inside (node, tool) AS
SELECT n.id, p.tool
FROM node AS n CROSS JOIN node AS below CROSS JOIN placement AS p
WHERE below.path >= n.path AND below.path < n.path || '0'
  AND (below.path = n.path OR below.path > n.path || '/')
  AND p.node = below.id;

CREATE TABLE alias (
    name TEXT NOT NULL,
    tool INTEGER NOT NULL REFERENCES tool (id),
    PRIMARY KEY (name, tool)
) STRICT, WITHOUT ROWID;

-- Words of a tool's path (words.py); a migration that changes the splitting must fill this anew.
CREATE TABLE word (
    word TEXT NOT NULL,
    tool INTEGER NOT NULL REFERENCES tool (id),
    PRIMARY KEY (word, tool)
) STRICT, WITHOUT ROWID;

-- Paths given up, by a tool that moved or is gone. By name, because it outlives its source.
CREATE TABLE former (
    source TEXT NOT NULL,
    path TEXT NOT NULL,
    key TEXT NOT NULL,
    at REAL NOT NULL,
    PRIMARY KEY (source, path)
) STRICT, WITHOUT ROWID;

CREATE INDEX former_key ON former (source, key);

CREATE TABLE shape (
    id INTEGER PRIMARY KEY,
    hash TEXT NOT NULL UNIQUE,
    refers TEXT NOT NULL,
    schema BLOB NOT NULL
) STRICT;

CREATE TABLE definition (
    source INTEGER NOT NULL REFERENCES source (id),
    name TEXT NOT NULL,
    shape INTEGER NOT NULL REFERENCES shape (id),
    PRIMARY KEY (source, name)
) STRICT, WITHOUT ROWID;

CREATE INDEX definition_shape ON definition (shape);

CREATE TABLE lease (
    name TEXT PRIMARY KEY,
    holder TEXT NOT NULL,
    until REAL NOT NULL
) STRICT, WITHOUT ROWID;
