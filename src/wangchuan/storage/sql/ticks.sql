-- name: living_after
-- The living nodes after a number, in order; with :cold only those that are not active.
SELECT n FROM nodes
WHERE n > :after AND forgotten_at IS NULL AND (die_at IS NULL OR die_at > :passes)
    AND (NOT :cold OR EXISTS (SELECT 1 FROM lifecycle WHERE lifecycle.node = nodes.n))
ORDER BY n LIMIT :limit;

-- name: vitals
-- What the activity of living nodes, given as a list, is computed from, in order.
WITH chosen AS (
    SELECT n, kind, created_at,
        $scans(nodes) AS scanned
    FROM nodes
    WHERE n $in(:nodes)
        AND forgotten_at IS NULL AND (die_at IS NULL OR die_at > :passes)
)
SELECT chosen.n, chosen.kind, chosen.created_at,
    $count(inbound),
    (SELECT count(*) FROM links l
     WHERE l.source = chosen.n AND l.strength > 0
        AND l.strength * power(:rate, chosen.scanned - l.at_scan) >= :broken
        AND (:dangling OR EXISTS (
            SELECT 1 FROM nodes t WHERE t.n = l.target AND t.forgotten_at IS NULL
                AND (t.die_at IS NULL OR t.die_at > :passes)))),
    coalesce(b.access_count, 0), coalesce(b.traverse_count, 0),
    b.last_accessed_at, b.last_linked_at,
    EXISTS (SELECT 1 FROM focus WHERE focus.node = chosen.n),
    c.cold_since, c.merge_with, coalesce(c.delete_eligible, 0)
FROM chosen
LEFT JOIN signals b ON b.node = chosen.n
LEFT JOIN lifecycle c ON c.node = chosen.n
ORDER BY chosen.n;

-- name: put
-- Note how a tick left a node.
INSERT INTO lifecycle ($lifecycle) VALUES (:node, :cold_since, :merge_with, :delete_eligible)
ON CONFLICT (node) DO UPDATE SET cold_since = excluded.cold_since,
    merge_with = excluded.merge_with, delete_eligible = excluded.delete_eligible;

-- name: get
-- How the last tick left a node.
SELECT $lifecycle FROM lifecycle WHERE node = :n;

-- name: drop
-- Let a node be active.
DELETE FROM lifecycle WHERE node = :n;

-- name: cold_from
-- Which of the nodes made of messages, given as a list, are cold.
SELECT n FROM nodes
WHERE message $in(:messages)
    AND EXISTS (SELECT 1 FROM lifecycle WHERE lifecycle.node = n LIMIT 1 OFFSET 0)
    AND NOT EXISTS (SELECT 1 FROM focus WHERE focus.node = n);

-- name: cold_among
-- Which of some nodes, given as a list, are cold.
SELECT node FROM lifecycle
WHERE node $in(:nodes)
    AND NOT EXISTS (SELECT 1 FROM focus WHERE focus.node = lifecycle.node);

-- name: merge_marks
-- The nodes for which a merge is suggested.
SELECT $lifecycle FROM lifecycle WHERE merge_with IS NOT NULL ORDER BY node LIMIT :limit;

-- name: counts
-- How many living nodes are cold, and how many of them are marked.
SELECT count(*) AS cold, count(c.merge_with) AS mergeable,
    coalesce(sum(c.delete_eligible), 0) AS deletable
FROM lifecycle c JOIN nodes ON nodes.n = c.node
WHERE nodes.forgotten_at IS NULL AND (nodes.die_at IS NULL OR nodes.die_at > :passes)
    AND NOT EXISTS (SELECT 1 FROM focus WHERE focus.node = c.node);
