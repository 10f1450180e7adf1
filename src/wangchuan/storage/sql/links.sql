-- name: to
-- The links that point at a memory: what it points at, and what is listed, may point back.
SELECT $link FROM links WHERE target = :n AND source IN (
    SELECT target FROM links WHERE source = :n UNION SELECT source FROM oneway WHERE target = :n
)
ORDER BY source;

-- name: add_oneway
-- List a link that leads to a memory whose own links do not lead back.
INSERT INTO oneway (target, source) SELECT :target, :source WHERE NOT EXISTS (
    SELECT 1 FROM links WHERE source = :target AND target = :source
)
ON CONFLICT DO NOTHING;

-- name: tidy
-- List no link any more that goes both ways or is gone.
DELETE FROM oneway
WHERE EXISTS (
    SELECT 1 FROM links WHERE links.source = oneway.target AND links.target = oneway.source
) OR NOT EXISTS (
    SELECT 1 FROM links WHERE links.source = oneway.source AND links.target = oneway.target
);

-- name: neighbours
-- The links of a memory, with the memories they lead to.
SELECT $l.link, $t.node
FROM links l LEFT JOIN nodes t ON t.n = l.target
WHERE l.source = :n ORDER BY l.target;

-- name: focus
-- The focus, newest first.
SELECT node FROM focus ORDER BY place;

-- name: clear_focus
-- Empty the focus.
DELETE FROM focus;

-- name: add_focus
-- Put a memory in a place of the focus.
INSERT INTO focus (place, node) VALUES (:place, :node);
