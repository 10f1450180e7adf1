-- Finding what was said: full text, speakers, conversations and vectors.

-- `talk` numbers the conversations; `place` is a message's place in its own, from 0.
ALTER TABLE messages ADD COLUMN talk INTEGER NOT NULL DEFAULT 0;
ALTER TABLE messages ADD COLUMN place INTEGER NOT NULL DEFAULT 0;
ALTER TABLE messages ADD COLUMN said_at REAL NOT NULL DEFAULT 0;  -- when told, else when accepted
CREATE INDEX jobs_first ON jobs (first_message);  -- or every message is compared with every job
UPDATE messages SET (talk, place, said_at) = (
    SELECT j.first_message + (messages.seq - j.first_message) / 64,
        (messages.seq - j.first_message) % 64,
        coalesce(messages.timestamp, j.accepted_at)
    FROM jobs j WHERE j.first_message <= messages.seq
    ORDER BY j.first_message DESC LIMIT 1
)
WHERE seq >= (SELECT min(first_message) FROM jobs);
DROP INDEX jobs_first;
CREATE INDEX messages_said ON messages (said_at);

ALTER TABLE nodes ADD COLUMN message INTEGER;  -- the message a segment was cut from
UPDATE nodes SET message = (
    SELECT m.seq FROM jobs j
    JOIN messages m ON m.seq BETWEEN j.first_message AND j.last_message
    WHERE j.seq = nodes.job
        AND coalesce(m.id, 'msg_' || m.seq) = json_extract(nodes.sources, '$[0]')
    ORDER BY m.seq LIMIT 1
);
CREATE INDEX nodes_message ON nodes (message) WHERE message IS NOT NULL;

CREATE TABLE speakers (name TEXT PRIMARY KEY) WITHOUT ROWID;
INSERT INTO speakers SELECT DISTINCT name FROM messages WHERE name IS NOT NULL;

-- The terms of every message, analysed by us. A rowid holds the message's number, its place in
-- the conversation and how many terms it has: all that ranking needs (see `spot`).
CREATE VIRTUAL TABLE spoken USING fts5 (
    terms, content = '', contentless_delete = 1, detail = none, tokenize = 'ascii'
);
INSERT INTO spoken (spoken, rank) VALUES ('automerge', 2);  -- fewer places to look at

CREATE TABLE vectors (
    message INTEGER PRIMARY KEY,
    vector BLOB NOT NULL                    -- float16, little-endian
);
