-- name: merged_from
-- The memories merged of others that were made of messages, whose ids are given as a list.
SELECT DISTINCT n FROM nodes, json_each($node.sources) AS source
WHERE kind = 'segment' AND job IS NULL
    AND source.value $in(:ids);

-- name: made_beside
-- The memories made while one of some, given as a list, was in focus or shown beside it.
SELECT n FROM nodes WHERE job IN (
    SELECT seq FROM jobs WHERE kind = 'remember' AND progress IS NOT NULL AND (EXISTS (
        SELECT 1 FROM json_each(unfolded(progress), '$.focus') AS attended
        WHERE attended.value $in(:nodes)
    ) OR EXISTS (
        SELECT 1 FROM json_each(unfolded(progress), '$.related') AS related
        WHERE related.value $in(:nodes)
    ))
);

-- name: last_number
-- The highest number that a memory ever had.
SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'nodes';

-- name: raise_number
-- See that memories get higher numbers than this one.
UPDATE sqlite_sequence SET seq = :upto WHERE name = 'nodes' AND seq < :upto;

-- name: first_number
-- The same where there has been no memory yet.
INSERT INTO sqlite_sequence (name, seq)
SELECT 'nodes', :upto WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = 'nodes');
