-- How the last tick left the memories that are not active: a time and marks, never a score.
-- A memory without a row is active; so is one in focus, whatever its row says.
CREATE TABLE lifecycle (
    node INTEGER PRIMARY KEY,
    cold_since REAL NOT NULL,
    merge_with INTEGER,                     -- the memory it overlaps with: a merge is suggested
    delete_eligible INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX lifecycle_merges ON lifecycle (node) WHERE merge_with IS NOT NULL;
