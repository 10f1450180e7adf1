-- A message keeps the session it was said in and what its caller noted beside it; a job is found by
-- its messages, so that a message given again is answered with the receipt it had.

ALTER TABLE messages ADD COLUMN session TEXT;
ALTER TABLE messages ADD COLUMN metadata TEXT;  -- a flat JSON object; NULL: none
CREATE INDEX jobs_messages ON jobs (first_message) WHERE first_message IS NOT NULL;
