-- What was erased for good: ids and times, nothing else, so that nothing brings it back.

CREATE TABLE tombstones (
    kind TEXT NOT NULL,                     -- node, message
    id TEXT NOT NULL,                       -- the public id
    at REAL NOT NULL,
    PRIMARY KEY (kind, id)
) WITHOUT ROWID;
