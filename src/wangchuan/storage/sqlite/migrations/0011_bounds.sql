-- What a change replaced is kept packed, in one piece (see `drawers/undo.py`), with the numbers of
-- the memories it touched or named beside it. `packed` is a function of ours.

ALTER TABLE undo ADD COLUMN rows BLOB NOT NULL DEFAULT '';
UPDATE undo SET rows = (
    SELECT packed(json_group_array(json_array(kind, json(key), json(former), json(later))))
    FROM (SELECT * FROM undo_rows WHERE undo_rows.op = undo.op ORDER BY kind, key)
);

CREATE TABLE undo_nodes (
    node INTEGER NOT NULL,
    op INTEGER NOT NULL,
    PRIMARY KEY (node, op)
) WITHOUT ROWID;
INSERT OR IGNORE INTO undo_nodes
SELECT named.value, op FROM undo_rows, json_each(undo_rows.key) AS named WHERE kind <> 'focus'
UNION SELECT named.value, op FROM undo_rows, json_each(former) AS named WHERE kind = 'focus'
UNION SELECT named.value, op FROM undo_rows, json_each(later) AS named WHERE kind = 'focus';

DROP TABLE undo_rows;

-- A strength of 1 takes no room as a whole number. What leads to a memory is found by its own links,
-- as nearly all go both ways; those that do not are listed apart.
CREATE TABLE lean (
    source INTEGER NOT NULL,
    target INTEGER NOT NULL,
    strength NUMERIC NOT NULL,
    at_scan INTEGER NOT NULL,
    relation TEXT,
    PRIMARY KEY (source, target)
) WITHOUT ROWID;
INSERT INTO lean SELECT source, target, strength, at_scan, relation FROM links;
DROP TABLE links;
ALTER TABLE lean RENAME TO links;

CREATE TABLE oneway (
    target INTEGER NOT NULL,
    source INTEGER NOT NULL,
    PRIMARY KEY (target, source)
) WITHOUT ROWID;
INSERT INTO oneway SELECT target, source FROM links WHERE NOT EXISTS (
    SELECT 1 FROM links AS back WHERE back.source = links.target AND back.target = links.source
);
