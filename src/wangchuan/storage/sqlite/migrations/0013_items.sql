-- What frameworks keep beside the memory, by key: values of their own, which fade by no rule of ours.

CREATE TABLE items (
    namespace TEXT NOT NULL,                -- its parts, each ended by U+001F
    key TEXT NOT NULL,
    value TEXT NOT NULL,                    -- a JSON object
    created_at REAL NOT NULL,
    updated_at REAL NOT NULL,
    ttl REAL,                               -- minutes it lasts after its last use; NULL: for good
    expires_at REAL,
    terms TEXT NOT NULL DEFAULT '',         -- by which it is found; '': only by its key
    vectors BLOB,                           -- of its texts, if it has any: 4-byte numbers
    PRIMARY KEY (namespace, key)
) WITHOUT ROWID;
