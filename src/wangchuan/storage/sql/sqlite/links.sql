-- name: of
-- The links of a memory, as a bundle, which the engine unties.
SELECT source, ties FROM bundles WHERE source = :n;

-- name: of_many
-- The links of nodes, given as a list, as bundles.
SELECT source, ties FROM bundles WHERE source $in(:nodes) ORDER BY source;

-- name: put
-- Make links of one memory, given as JSON, or revive them; the name of a relation never changes.
REPLACE INTO bundles (source, ties)
VALUES (:source, tied((SELECT ties FROM bundles WHERE source = :source), :links));

-- name: drop_from
-- Drop the links of a memory, not those that lead to it.
DELETE FROM bundles WHERE source = :n;

-- name: drop_to
-- Drop the links that lead to a memory.
UPDATE bundles SET ties = untied(ties, :n) WHERE source IN (
    SELECT target FROM links WHERE source = :n UNION SELECT source FROM oneway WHERE target = :n
);
