-- name: nodes
-- The forgotten nodes, the last one in front.
SELECT $node FROM nodes
WHERE forgotten_at IS NOT NULL OR die_at <= :passes
ORDER BY coalesce(forgotten_at, 1e300) DESC, n DESC LIMIT :limit;

-- name: before
-- Nodes that were forgotten before a time.
SELECT n FROM nodes WHERE forgotten_at < :before ORDER BY n LIMIT :limit;

-- name: size
-- How many nodes are in the trash.
SELECT count(*) FROM nodes WHERE forgotten_at IS NOT NULL;

-- name: oldest
-- The nodes that were forgotten first.
SELECT $node FROM nodes WHERE forgotten_at IS NOT NULL ORDER BY forgotten_at, n LIMIT :limit;
