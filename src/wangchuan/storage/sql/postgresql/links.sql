-- name: of
-- The links of a memory.
SELECT $link FROM links WHERE source = :n ORDER BY target;

-- name: of_many
-- The links of nodes, given as a list.
SELECT $link FROM links WHERE source $in(:nodes)
ORDER BY source, target;

-- name: put
-- Make links of one memory, given as JSON, or revive them; the name of a relation never changes.
INSERT INTO links (source, target, strength, at_scan, relation)
SELECT :source, CAST(link ->> 0 AS BIGINT), CAST(link ->> 1 AS DOUBLE PRECISION),
    CAST(link ->> 2 AS BIGINT), link ->> 3
FROM json_array_elements(CAST(:links AS JSON)) AS link
ON CONFLICT (source, target) DO UPDATE
SET strength = excluded.strength, at_scan = excluded.at_scan;

-- name: drop_from
-- Drop the links of a memory, not those that lead to it.
DELETE FROM links WHERE source = :n;

-- name: drop_to
-- Drop the links that lead to a memory.
DELETE FROM links WHERE target = :n AND source IN (
    SELECT target FROM links WHERE source = :n UNION SELECT source FROM oneway WHERE target = :n
);
