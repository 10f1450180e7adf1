-- name: add
-- Keep that a change can be undone, and what it replaced.
INSERT INTO undo (seq, first, last, rows) VALUES (:seq, :first, :last, :rows) RETURNING op;

-- name: add_node
-- Keep that a change touched or named a node.
INSERT INTO undo_nodes (node, op) VALUES (:node, :op);

-- name: of_entry
-- The change that made a journal entry.
SELECT $undo FROM undo WHERE last >= :seq AND first <= :seq ORDER BY last LIMIT 1;

-- name: latest
-- The changes that can be undone and are known by entries before one, newest first.
SELECT $undo FROM undo WHERE seq < :before ORDER BY op DESC LIMIT :limit;

-- name: packed
-- What a change replaced, as it is kept.
SELECT rows FROM undo WHERE op = :op;

-- name: all_packed
-- What all changes replaced, as it is kept.
SELECT op, rows FROM undo ORDER BY op;

-- name: touching
-- The changes that touched nodes, given as a list, or links with them, or named them.
SELECT DISTINCT undo.op FROM undo_nodes JOIN undo ON undo.op = undo_nodes.op
WHERE node $in(:nodes) ORDER BY undo.op;

-- name: drop
-- Drop some changes from those that can be undone.
DELETE FROM undo WHERE op $in(:ops);

-- name: drop_old
-- Drop old changes from those that can be undone.
DELETE FROM undo WHERE op <= :upto;

-- name: drop_before
-- Drop changes that are known by entries of the journal which are gone.
DELETE FROM undo WHERE first <= :seq;

-- name: tidy
-- Drop which nodes were touched by changes that cannot be undone any more.
DELETE FROM undo_nodes WHERE op NOT IN (SELECT op FROM undo);
