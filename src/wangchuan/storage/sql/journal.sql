-- name: log
-- Append to the journal.
INSERT INTO journal (at, passes, kind, node, detail)
VALUES (:at, (SELECT CAST(value AS INTEGER) FROM meta WHERE key = 'passes'), :kind, :node, :detail)
RETURNING seq;

-- name: of
-- What happened to a memory.
SELECT $entry FROM journal WHERE node = :n ORDER BY seq;

-- name: after
-- What happened after an entry, perhaps of one kind only.
SELECT $entry FROM journal
WHERE seq > :after AND (CAST(:kind AS TEXT) IS NULL OR kind = :kind) ORDER BY seq;

-- name: last
-- The number of the newest entry of the journal.
SELECT coalesce(max(seq), 0) FROM journal;

-- name: get
-- One entry of the journal.
SELECT $entry FROM journal WHERE seq = :seq;

-- name: blank_of
-- Leave of what happened to a memory only that it happened.
-- What was undone is told of several memories: each entry is rewritten.
UPDATE journal SET detail = '{}' WHERE node = :n AND detail <> '{}' AND kind <> 'undone';

-- name: rewrite
-- Put another detail in the place of a journal entry's.
UPDATE journal SET detail = :detail WHERE seq = :seq;

-- name: blank
-- Leave of what happened before a time only that it happened.
UPDATE journal SET detail = '{}' WHERE seq IN (
    SELECT seq FROM journal WHERE at < :before AND detail <> '{}' ORDER BY seq LIMIT :limit
);
