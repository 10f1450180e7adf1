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

-- name: touching
-- The changes that touched memories, given as a JSON list, or links with them, or named them.
SELECT op FROM undo_rows, json_each(undo_rows.key) AS named
WHERE kind <> 'focus' AND named.value IN (SELECT value FROM json_each(:nodes))
UNION
SELECT op FROM undo_rows, json_each(former) AS named
WHERE kind = 'focus' AND named.value IN (SELECT value FROM json_each(:nodes))
UNION
SELECT op FROM undo_rows, json_each(later) AS named
WHERE kind = 'focus' AND named.value IN (SELECT value FROM json_each(:nodes));

-- name: drop_rows
-- Drop what some changes touched.
DELETE FROM undo_rows WHERE op IN (SELECT value FROM json_each(:ops));

-- name: drop
-- Drop some changes from those that can be undone.
DELETE FROM undo WHERE op IN (SELECT value FROM json_each(:ops));

-- name: drop_old_rows
-- Drop what old changes touched.
DELETE FROM undo_rows WHERE op <= :upto;

-- name: drop_old
-- Drop old changes from those that can be undone.
DELETE FROM undo WHERE op <= :upto;

-- name: undone_from
-- The keys of memories made of messages, given as a JSON list, among what changes touched.
SELECT DISTINCT key FROM undo_rows
WHERE kind = 'node' AND json_extract(coalesce(former, later), '$.message')
        IN (SELECT value FROM json_each(:messages))
    OR kind = 'evidence' AND EXISTS (
        SELECT 1 FROM json_each(coalesce(former, later)) AS source
        WHERE source.value IN (SELECT value FROM json_each(:messages)));

-- name: former
-- A memory before and after the changes that touched it.
SELECT former, later FROM undo_rows WHERE kind = 'node' AND key = :key;
