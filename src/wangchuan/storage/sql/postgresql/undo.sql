-- name: touching
-- The changes that touched memories, given as a list, or links with them, or named them.
SELECT op FROM undo_rows, jsonb_array_elements_text(CAST(key AS JSONB)) AS named (value)
WHERE kind <> 'focus' AND CAST(named.value AS BIGINT) $in(:nodes)
UNION
SELECT op FROM undo_rows, jsonb_array_elements_text(CAST(former AS JSONB)) AS named (value)
WHERE kind = 'focus' AND CAST(named.value AS BIGINT) $in(:nodes)
UNION
SELECT op FROM undo_rows, jsonb_array_elements_text(CAST(later AS JSONB)) AS named (value)
WHERE kind = 'focus' AND CAST(named.value AS BIGINT) $in(:nodes);

-- name: undone_from
-- The keys of memories made of messages, given as a list, among what changes touched.
SELECT DISTINCT key FROM undo_rows
WHERE kind = 'node'
        AND CAST(CAST(coalesce(former, later) AS JSONB) ->> 'message' AS BIGINT) $in(:messages)
    OR kind = 'evidence' AND EXISTS (
        SELECT 1
        FROM jsonb_array_elements_text(CAST(coalesce(former, later) AS JSONB)) AS source (value)
        WHERE CAST(source.value AS BIGINT) $in(:messages));
