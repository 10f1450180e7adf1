-- name: touching
-- The changes that touched memories, given as a list, or links with them, or named them.
SELECT op FROM undo_rows, json_each(undo_rows.key) AS named
WHERE kind <> 'focus' AND named.value $in(:nodes)
UNION
SELECT op FROM undo_rows, json_each(former) AS named
WHERE kind = 'focus' AND named.value $in(:nodes)
UNION
SELECT op FROM undo_rows, json_each(later) AS named
WHERE kind = 'focus' AND named.value $in(:nodes);

-- name: undone_from
-- The keys of memories made of messages, given as a list, among what changes touched.
SELECT DISTINCT key FROM undo_rows
WHERE kind = 'node' AND json_extract(coalesce(former, later), '$.message')
        $in(:messages)
    OR kind = 'evidence' AND EXISTS (
        SELECT 1 FROM json_each(coalesce(former, later)) AS source
        WHERE source.value $in(:messages));
