-- name: accessed
-- A node was returned.
INSERT INTO signals (node, access_count, last_accessed_at) VALUES (:node, 1, :at)
ON CONFLICT (node) DO UPDATE
SET access_count = signals.access_count + 1, last_accessed_at = excluded.last_accessed_at;

-- name: traversed
-- A node was passed on the way to another.
INSERT INTO signals (node, traverse_count, last_linked_at) VALUES (:node, 1, :at)
ON CONFLICT (node) DO UPDATE
SET traverse_count = signals.traverse_count + 1, last_linked_at = excluded.last_linked_at;

-- name: get
-- The behaviour recorded of a node.
SELECT $signals FROM signals WHERE node = :n;

-- name: unnoted
-- The behaviour that the journal has not been told of.
SELECT $signals FROM signals WHERE access_count + traverse_count <> noted ORDER BY node;

-- name: note
-- The journal has been told of so much behaviour.
UPDATE signals SET noted = CAST(:access_count AS INTEGER) + CAST(:traverse_count AS INTEGER)
WHERE node = :node;

-- name: put
-- Put recorded behaviour in place of what is there.
INSERT INTO signals ($signals) VALUES ($:signals)
ON CONFLICT (node) DO UPDATE SET
    access_count = excluded.access_count, traverse_count = excluded.traverse_count,
    last_accessed_at = excluded.last_accessed_at, last_linked_at = excluded.last_linked_at;

-- name: drop
-- Drop the behaviour recorded of a node.
DELETE FROM signals WHERE node = :n;
