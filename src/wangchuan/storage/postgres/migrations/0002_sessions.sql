-- The session of a message and what its caller noted beside it; jobs are found by their messages.

ALTER TABLE messages ADD COLUMN session TEXT COLLATE "C";
ALTER TABLE messages ADD COLUMN metadata TEXT COLLATE "C";
CREATE INDEX jobs_messages ON jobs (agent, first_message) WHERE first_message IS NOT NULL;
