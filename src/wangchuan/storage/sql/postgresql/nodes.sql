-- name: merged_from
-- The memories merged of others that were made of messages, whose ids are given as a list.
SELECT DISTINCT n
FROM nodes, jsonb_array_elements_text(CAST(nodes.sources AS JSONB)) AS source (value)
WHERE kind = 'segment' AND job IS NULL AND source.value $in(:ids);

-- name: made_beside
-- The memories made while one of some, given as a list, was in focus or shown beside it.
SELECT n FROM nodes WHERE job IN (
    SELECT seq FROM jobs WHERE kind = 'remember' AND progress IS NOT NULL AND (EXISTS (
        SELECT 1
        FROM jsonb_array_elements_text(CAST(progress AS JSONB) -> 'focus') AS attended (value)
        WHERE CAST(attended.value AS BIGINT) $in(:nodes)
    ) OR EXISTS (
        SELECT 1
        FROM jsonb_array_elements_text(CAST(progress AS JSONB) -> 'related') AS related (value)
        WHERE CAST(related.value AS BIGINT) $in(:nodes)
    ))
);
