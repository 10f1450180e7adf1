-- name: add
-- Keep one message word for word.
INSERT INTO messages (id, role, name, content, timestamp, talk, place, said_at, session, metadata)
VALUES (:id, :role, :name, :content, :timestamp, :talk, :place, :said_at, :session, :metadata)
RETURNING seq;

-- name: add_speaker
-- Keep the name of someone who spoke.
INSERT INTO speakers (name) VALUES (:name) ON CONFLICT DO NOTHING;

-- name: speakers
-- Everyone who spoke, as far as a question can name them.
SELECT name FROM speakers LIMIT 1000;

-- name: last
-- The message accepted last.
SELECT $message FROM messages ORDER BY seq DESC LIMIT 1;

-- name: newest
-- The number of the message accepted last.
SELECT coalesce(max(seq), 0) FROM messages;

-- name: of
-- Messages by their numbers, given as a list.
SELECT $message FROM messages WHERE seq $in(:numbers) ORDER BY seq;

-- name: behind
-- The messages from which a node was learned.
SELECT $message FROM messages
WHERE seq IN (SELECT message FROM evidence WHERE node = :n) ORDER BY seq;

-- name: heads
-- What ranking needs of messages, by their numbers, given as a list; erased ones are none.
SELECT seq, place, name, said_at, substr(content, length(content), 1) FROM messages
WHERE seq $in(:numbers) AND role <> '';

-- name: heads_in_mind
-- The same, without those of which all that was made is forgotten, or cold, unless :cold.
SELECT seq, place, name, said_at, substr(content, length(content), 1) FROM messages
WHERE seq $in(:numbers) AND role <> '' AND (
    EXISTS (
        SELECT 1 FROM nodes WHERE message = seq
            AND forgotten_at IS NULL AND (die_at IS NULL OR die_at > :passes)
            AND (:cold OR n NOT IN (SELECT node FROM lifecycle) OR n IN (SELECT node FROM focus))
    ) OR NOT EXISTS (SELECT 1 FROM nodes WHERE message = seq)
);

-- name: answering
-- Those of some messages, by their numbers, that answer the one before: by another speaker, or at
-- most half as long as the question it ends with.
SELECT seq FROM messages AS here
WHERE seq $in(:numbers) AND place > 0 AND role <> '' AND EXISTS (
    SELECT 1 FROM messages AS before WHERE before.seq = here.seq - 1 AND before.role <> '' AND (
        here.role <> before.role OR COALESCE(here.name, '') <> COALESCE(before.name, '')
        OR (
            substr(before.content, length(before.content), 1) IN ('?', '？')
            AND 2 * length(here.content) <= length(before.content)
        )
    )
    LIMIT 1 OFFSET 0 -- which lets PostgreSQL look it up rather than join
);

-- name: said_between
-- The messages said in a span of time, newest first.
SELECT seq FROM messages WHERE said_at >= :first AND said_at < :last
ORDER BY said_at DESC, seq DESC LIMIT :limit;

-- name: between
-- The messages with numbers in a range.
SELECT $message FROM messages WHERE seq BETWEEN :first AND :last ORDER BY seq;

-- name: waiting_ranges
-- Where the messages are that no job has digested yet (two indexes, hence two halves).
SELECT first_message, last_message FROM jobs
WHERE state = 'pending' AND kind = 'remember' AND first_message IS NOT NULL
UNION ALL
SELECT first_message, last_message FROM jobs
WHERE state = 'failed' AND kind = 'remember' AND first_message IS NOT NULL;

-- name: named
-- All messages to which the caller gave an id.
SELECT $message FROM messages WHERE id = :id ORDER BY seq;

-- name: given
-- The messages to which callers gave ids, as a list, the first of each in front.
SELECT $message FROM messages WHERE id $in(:ids) ORDER BY seq;

-- name: page
-- The messages after a number, in order; erased ones are none.
SELECT $message FROM messages WHERE seq > :after AND role <> '' ORDER BY seq LIMIT :limit;

-- name: empty
-- Leave of a message only its number and its place.
UPDATE messages SET id = NULL, role = '', name = NULL, content = '', timestamp = NULL,
    session = NULL, metadata = NULL
WHERE seq = :n AND role <> '';

-- name: blank
-- Take the words from a message.
UPDATE messages SET content = '' WHERE seq = :n;

-- name: drop_speaker
-- Drop a name that nobody bears any more.
DELETE FROM speakers
WHERE name = :name AND NOT EXISTS (SELECT 1 FROM messages WHERE messages.name = :name);

-- name: old
-- Messages said before a time whose words are still there though no job needs them.
SELECT $message FROM messages
WHERE said_at < :before AND seq <= :upto AND content <> '' AND NOT EXISTS (
    SELECT 1 FROM jobs WHERE jobs.state <> 'done' AND jobs.kind = 'remember'
        AND messages.seq BETWEEN jobs.first_message AND jobs.last_message
)
ORDER BY said_at LIMIT :limit;

-- name: drop
-- Drop a message.
DELETE FROM messages WHERE seq = :n;

-- name: drop_speakers
-- Drop the names that nobody bears any more.
DELETE FROM speakers WHERE name NOT IN (SELECT name FROM messages WHERE name IS NOT NULL);
