-- name: add
-- Keep that a change can be undone.
INSERT INTO undo (seq, first, last) VALUES (:seq, :first, :last) RETURNING op;

-- name: add_row
-- Keep what a row was before a change and after it.
INSERT INTO undo_rows (op, kind, key, former, later) VALUES (:op, :kind, :key, :former, :later);

-- name: of_entry
-- The change that made a journal entry.
SELECT $undo FROM undo WHERE last >= :seq AND first <= :seq ORDER BY last LIMIT 1;

-- name: latest
-- The changes that can be undone, newest first.
SELECT $undo FROM undo ORDER BY op DESC LIMIT :limit;

-- name: rows
-- What a change touched.
SELECT kind, key, former, later FROM undo_rows WHERE op = :op ORDER BY kind, key;

-- name: drop_rows
-- Drop what some changes touched.
DELETE FROM undo_rows WHERE op $in(:ops);

-- name: drop
-- Drop some changes from those that can be undone.
DELETE FROM undo WHERE op $in(:ops);

-- name: drop_old_rows
-- Drop what old changes touched.
DELETE FROM undo_rows WHERE op <= :upto;

-- name: drop_old
-- Drop old changes from those that can be undone.
DELETE FROM undo WHERE op <= :upto;

-- name: former
-- A memory before and after the changes that touched it.
SELECT former, later FROM undo_rows WHERE kind = 'node' AND key = :key;
