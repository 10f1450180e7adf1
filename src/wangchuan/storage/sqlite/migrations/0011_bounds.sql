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
