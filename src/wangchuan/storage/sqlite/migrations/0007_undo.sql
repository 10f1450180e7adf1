-- What changes replaced, so that they can be undone; the oldest are dropped.

-- `first` and `last` bound the journal entries the change made, `seq` is the one it is known by.
CREATE TABLE undo (
    op INTEGER PRIMARY KEY AUTOINCREMENT,
    seq INTEGER NOT NULL,
    first INTEGER NOT NULL,
    last INTEGER NOT NULL
);
CREATE INDEX undo_last ON undo (last);

-- Every row a change touched, as JSON: before and after. NULL: there was none.
CREATE TABLE undo_rows (
    op INTEGER NOT NULL,
    kind TEXT NOT NULL,                     -- node, link, focus, fact, evidence
    key TEXT NOT NULL,                      -- JSON list
    former TEXT,
    later TEXT,
    PRIMARY KEY (op, kind, key)
) WITHOUT ROWID;
CREATE INDEX undo_rows_key ON undo_rows (kind, key);
