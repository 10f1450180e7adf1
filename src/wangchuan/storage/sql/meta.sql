-- name: get
-- The value of a key of the store's own notes.
SELECT value FROM meta WHERE key = :key;

-- name: set
-- Note a value under a key.
INSERT INTO meta (key, value) VALUES (:key, :value)
ON CONFLICT (key) DO UPDATE SET value = excluded.value;

-- name: passes
-- How many passes have been made.
SELECT CAST(value AS INTEGER) FROM meta WHERE key = 'passes';

-- name: advance
-- Make one pass: the unit of time of the network.
UPDATE meta SET value = CAST(CAST(value AS INTEGER) + 1 AS TEXT) WHERE key = 'passes';

-- name: counts
-- The figures of the store.
SELECT
    (SELECT count(*) FROM nodes
     WHERE forgotten_at IS NULL AND (die_at IS NULL OR die_at > :passes)) AS nodes,
    (SELECT count(*) FROM focus) AS focus,
    $count(links) AS links,
    (SELECT count(*) FROM nodes
     WHERE forgotten_at IS NULL AND fade_at <= :passes
        AND (die_at IS NULL OR die_at > :passes)) AS fading,
    (SELECT count(*) FROM nodes
     WHERE forgotten_at IS NOT NULL OR die_at <= :passes) AS forgotten,
    (SELECT count(*) FROM messages) AS messages,
    (SELECT count(*) FROM jobs WHERE state = 'pending' AND kind = 'remember')
    + (SELECT count(*) FROM jobs WHERE state = 'pending' AND kind <> 'remember') AS pending,
    (SELECT count(*) FROM jobs WHERE state = 'failed') AS failed;
