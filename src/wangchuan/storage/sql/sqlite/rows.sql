-- name: count_link
-- How many links there are.
SELECT $count(links);

-- name: take_in_link
-- Make a link that comes from elsewhere, unless it is there already.
INSERT INTO bundles (source, ties)
VALUES (:source, tied(NULL, json_array(json_array(:target, :strength, :at_scan, :relation))))
ON CONFLICT (source) DO UPDATE
SET ties = tied(ties, json_array(json_array(:target, :strength, :at_scan, :relation)))
WHERE NOT ties_hold(ties, :target);

-- name: put_link
-- Make a link that is not there.
REPLACE INTO bundles (source, ties) VALUES (:source, tied(
    (SELECT ties FROM bundles WHERE source = :source),
    json_array(json_array(:target, :strength, :at_scan, :relation))));

-- name: drop_link
-- Drop a link.
UPDATE bundles SET ties = untied(ties, :target) WHERE source = :source;
