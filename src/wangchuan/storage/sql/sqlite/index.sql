-- name: add
-- Put a message into the full text.
INSERT INTO spoken (rowid, terms) VALUES (:spot, :terms);

-- name: clear
-- Empty the full text.
INSERT INTO spoken (spoken) VALUES ('delete-all');

-- name: postings
-- For each of a list: where its terms stand before a spot, newest first, as JSON.
SELECT (
    SELECT json_group_array(rowid) FROM (
        SELECT rowid FROM spoken WHERE spoken MATCH asked.value AND rowid < :before
        ORDER BY rowid DESC LIMIT :limit
    )
) FROM json_each(:matches) AS asked ORDER BY asked.key;

-- name: fold
-- Merge the parts of the full text of messages.
INSERT INTO spoken (spoken) VALUES ('optimize');

-- name: fold_facts
-- Merge the parts of the full text of facts and episodes.
INSERT INTO kept (kept) VALUES ('optimize');

-- name: tagged
-- Where a term stands after a spot, oldest first.
SELECT rowid FROM spoken WHERE spoken MATCH :match AND rowid > :after ORDER BY rowid LIMIT :limit;

-- name: add_fact
-- Put a fact or an episode into the full text.
INSERT INTO kept (rowid, terms) VALUES (:n, :terms);

-- name: facts_holding
-- For each of a list: the facts and episodes that hold its terms, newest first, as JSON.
SELECT (
    SELECT json_group_array(rowid) FROM (
        SELECT rowid FROM kept WHERE kept MATCH asked.value ORDER BY rowid DESC LIMIT :limit
    )
) FROM json_each(:matches) AS asked ORDER BY asked.key;

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
