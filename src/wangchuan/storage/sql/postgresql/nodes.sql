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

-- name: last_number
-- The highest number that a memory ever had.
SELECT greatest((SELECT last FROM counters WHERE name = 'nodes'), (SELECT max(n) FROM nodes), 0);

-- name: raise_number
-- See that memories get higher numbers than this one.
UPDATE counters SET last = :upto WHERE name = 'nodes' AND last < :upto;

-- name: first_number
-- The same where there has been no memory yet.
INSERT INTO counters (name, last) VALUES ('nodes', :upto) ON CONFLICT DO NOTHING;
