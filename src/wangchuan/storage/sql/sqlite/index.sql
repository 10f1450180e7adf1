-- name: add
-- Put a message into the full text.
INSERT INTO spoken (rowid, terms) VALUES (:spot, :terms);

-- name: clear
-- Empty the full text.
INSERT INTO spoken (spoken) VALUES ('delete-all');

-- name: postings
-- Where a term stands before a spot, newest first.
SELECT rowid FROM spoken WHERE spoken MATCH :match AND rowid < :before
ORDER BY rowid DESC LIMIT :limit;

-- name: tagged
-- Where a term stands after a spot, oldest first.
SELECT rowid FROM spoken WHERE spoken MATCH :match AND rowid > :after ORDER BY rowid LIMIT :limit;

-- name: add_fact
-- Put a fact or an episode into the full text.
INSERT INTO kept (rowid, terms) VALUES (:n, :terms);

-- name: facts_holding
-- The facts and episodes that hold a term, newest first.
SELECT rowid FROM kept WHERE kept MATCH :match ORDER BY rowid DESC LIMIT :limit;

-- name: spots
-- The spots of the full text in a range.
SELECT rowid FROM spoken WHERE rowid BETWEEN :first AND :last;

-- name: drop
-- Take a spot out of the full text.
DELETE FROM spoken WHERE rowid = :spot;

-- name: drop_fact
-- Take a fact out of the full text.
DELETE FROM kept WHERE rowid = :n;

-- name: orphans
-- The facts and episodes in the full text that are not there.
SELECT rowid FROM kept WHERE rowid NOT IN (SELECT n FROM nodes);
