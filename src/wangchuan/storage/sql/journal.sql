-- name: log
-- Append to the journal.
INSERT INTO journal (at, passes, kind, node, detail)
VALUES (:at, (SELECT CAST(value AS INTEGER) FROM meta WHERE key = 'passes'),
    $:entry.kind, :node, $:entry.detail)
RETURNING seq;

-- name: of
-- What happened to a node.
SELECT $entry FROM journal WHERE node = :n ORDER BY seq;

-- name: after
-- What happened after an entry, perhaps of one kind only.
SELECT $entry FROM journal
WHERE seq > :after AND (CAST(:kind AS TEXT) IS NULL OR kind IN (:kind, $:entry.kind)) ORDER BY seq;

-- name: about_nodes
-- What happened to nodes before an entry, newest first.
SELECT $entry FROM journal WHERE node IS NOT NULL AND seq < :before ORDER BY seq DESC LIMIT :limit;

-- name: passes
-- When each pass ended, by the last entry of it.
SELECT passes, max(at) FROM journal GROUP BY passes ORDER BY passes;

-- name: last
-- The number of the newest entry of the journal.
SELECT coalesce(max(seq), 0) FROM journal;

-- name: get
-- One entry of the journal.
SELECT $entry FROM journal WHERE seq = :seq;

-- name: blank_of
-- Leave of what happened to a node only that it happened.
-- What was undone is told of several nodes: each entry is rewritten.
UPDATE journal SET detail = '{}' WHERE node = :n AND detail <> '{}' AND kind <> 'undone';

-- name: rewrite
-- Put another detail in the place of a journal entry's.
UPDATE journal SET detail = $:entry.detail WHERE seq = :seq;

-- name: blank
-- Leave of what happened before a time only that it happened.
UPDATE journal SET detail = '{}' WHERE seq IN (
    SELECT seq FROM journal WHERE at < :before AND detail <> '{}' ORDER BY seq LIMIT :limit
);

-- name: drop_of
-- Drop what happened to a node.
DELETE FROM journal WHERE node = :n;

-- name: beyond
-- Of entries about no memory in particular or about the use of facts, without the newest ones, the
-- last of a few that are the oldest. What was undone is about several nodes.
SELECT $entry FROM journal WHERE seq = (
    SELECT max(seq) FROM (
        SELECT seq FROM journal
        WHERE (node IS NULL AND kind <> 'undone' OR kind IN ('boosted', 'kept', 'undecided'))
            AND seq <= (
                SELECT seq FROM journal
                WHERE node IS NULL AND kind <> 'undone' OR kind IN ('boosted', 'kept', 'undecided')
                ORDER BY seq DESC LIMIT 1 OFFSET :newest
            )
        ORDER BY seq LIMIT :limit
    ) AS oldest
);

-- name: drop_upto
-- Drop such entries up to one.
DELETE FROM journal
WHERE (node IS NULL AND kind <> 'undone' OR kind IN ('boosted', 'kept', 'undecided'))
    AND seq <= :seq;
