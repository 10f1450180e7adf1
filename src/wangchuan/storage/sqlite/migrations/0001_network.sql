-- The memory network: messages as accepted, jobs, memories, links, focus, journal.

CREATE TABLE meta (
    key TEXT PRIMARY KEY,
    value TEXT NOT NULL
);

-- The durable queue. `place` orders what is pending; a job sent back goes to the last place.
CREATE TABLE jobs (
    seq INTEGER PRIMARY KEY,
    kind TEXT NOT NULL,
    state TEXT NOT NULL DEFAULT 'pending',  -- pending, done, failed
    place INTEGER NOT NULL,
    attempts INTEGER NOT NULL DEFAULT 0,
    not_before REAL NOT NULL DEFAULT 0,
    reason TEXT,
    progress TEXT,                          -- what a long job has applied so far (JSON)
    first_message INTEGER,                  -- a job's messages are consecutive
    last_message INTEGER,
    accepted_at REAL NOT NULL,
    finished_at REAL
);
CREATE INDEX jobs_waiting ON jobs (place) WHERE state = 'pending' AND kind = 'remember';
CREATE INDEX jobs_upkeep ON jobs (place) WHERE state = 'pending' AND kind <> 'remember';
CREATE INDEX jobs_failed ON jobs (seq) WHERE state = 'failed';

-- What was said, word for word: the provenance of everything else.
CREATE TABLE messages (
    seq INTEGER PRIMARY KEY,
    id TEXT,                                -- the caller's; ours is msg_{seq}
    role TEXT NOT NULL,
    name TEXT,
    content TEXT NOT NULL,
    timestamp REAL
);
CREATE INDEX messages_id ON messages (id) WHERE id IS NOT NULL;

-- One record per memory, whatever its kind. `since_pass` is the pass from which on its scans are
-- counted (scan count = scans + passes - since_pass); NULL while it is held still by the focus.
-- fade_at, due_at and die_at are the passes in which it starts to fade, has its text rewritten,
-- and is forgotten, if nothing else happens.
CREATE TABLE nodes (
    n INTEGER PRIMARY KEY AUTOINCREMENT,
    kind TEXT NOT NULL,
    job INTEGER,
    original TEXT NOT NULL,
    content TEXT,                           -- NULL: still whole
    phrase TEXT NOT NULL,
    keywords TEXT NOT NULL,                 -- JSON list
    sources TEXT NOT NULL,                  -- JSON list of message ids
    created_at REAL NOT NULL,
    scans INTEGER NOT NULL DEFAULT 0,
    since_pass INTEGER,
    fade_at INTEGER,
    due_at INTEGER,
    die_at INTEGER,
    kept INTEGER NOT NULL DEFAULT 0,        -- 1: the model failed, the text stays as it is
    forgotten_at REAL,                      -- not NULL: in the trash
    reason TEXT
);
CREATE INDEX nodes_living ON nodes (n) WHERE forgotten_at IS NULL;
CREATE INDEX nodes_fade ON nodes (fade_at) WHERE forgotten_at IS NULL AND fade_at IS NOT NULL;
CREATE INDEX nodes_due ON nodes (due_at) WHERE forgotten_at IS NULL AND due_at IS NOT NULL;
CREATE INDEX nodes_die ON nodes (die_at) WHERE forgotten_at IS NULL AND die_at IS NOT NULL;
CREATE INDEX nodes_trash ON nodes (forgotten_at) WHERE forgotten_at IS NOT NULL;

-- `strength` is what it was when its source had been scanned `at_scan` times.
CREATE TABLE links (
    source INTEGER NOT NULL,
    target INTEGER NOT NULL,
    strength REAL NOT NULL,
    at_scan INTEGER NOT NULL,
    relation TEXT,
    PRIMARY KEY (source, target)
) WITHOUT ROWID;
CREATE INDEX links_target ON links (target);

CREATE TABLE focus (
    place INTEGER PRIMARY KEY,              -- 0 is the newest
    node INTEGER NOT NULL UNIQUE
);

CREATE TABLE journal (
    seq INTEGER PRIMARY KEY,
    at REAL NOT NULL,
    passes INTEGER NOT NULL,
    kind TEXT NOT NULL,
    node INTEGER,
    detail TEXT NOT NULL                    -- JSON: what undo and replay need
);
CREATE INDEX journal_node ON journal (node) WHERE node IS NOT NULL;

-- Behaviour, recorded by recall only; never a score.
CREATE TABLE signals (
    node INTEGER PRIMARY KEY,
    access_count INTEGER NOT NULL DEFAULT 0,
    traverse_count INTEGER NOT NULL DEFAULT 0,
    last_accessed_at REAL,
    last_linked_at REAL
);

INSERT INTO meta (key, value) VALUES ('passes', '0');
