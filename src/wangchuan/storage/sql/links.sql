-- name: put
-- Make a link, or revive it; the name of a relation never changes.
INSERT INTO links (source, target, strength, at_scan, relation)
VALUES (:source, :target, :strength, :at_scan, :relation)
ON CONFLICT (source, target) DO UPDATE
SET strength = excluded.strength, at_scan = excluded.at_scan;

-- name: of
-- The links of a memory.
SELECT $link FROM links WHERE source = :n ORDER BY target;

-- name: of_many
-- The links of nodes, given as a list.
SELECT $link FROM links WHERE source $in(:nodes)
ORDER BY source, target;

-- name: to
-- The links that point at a memory.
SELECT $link FROM links WHERE target = :n ORDER BY source;

-- name: neighbours
-- The links of a memory, with the memories they lead to.
SELECT $l.link, $t.node
FROM links l LEFT JOIN nodes t ON t.n = l.target
WHERE l.source = :n ORDER BY l.target;

-- name: supporters
-- The links by which focus memories hold a memory.
SELECT $l.link FROM focus f JOIN links l ON l.source = f.node AND l.target = :n ORDER BY f.place;

-- name: focus
-- The focus, newest first.
SELECT node FROM focus ORDER BY place;

-- name: clear_focus
-- Empty the focus.
DELETE FROM focus;

-- name: add_focus
-- Put a memory in a place of the focus.
INSERT INTO focus (place, node) VALUES (:place, :node);

-- name: drop
-- Drop the links of a memory, both ways.
DELETE FROM links WHERE source = :n OR target = :n;

-- name: drop_from
-- Drop the links of a memory, not those that lead to it.
DELETE FROM links WHERE source = :n;
